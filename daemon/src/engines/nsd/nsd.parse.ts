/** The names of the zones that NSD says it has; nothing if that is no answer. */
export function parseZones(text: string): string[] | undefined {
  if (text.startsWith("error")) return undefined;
  return [...text.matchAll(/^zone:\s*(\S+)$/gm)].map(([, name]) => name!.replace(/\.$/, ""));
}
