/** An address of this page: a tab and its search parameters. */
export function dnsPlace(tab: string, words: Readonly<Record<string, string | null | undefined>> = {}): string {
  const params = new URLSearchParams({ tab });
  for (const [name, value] of Object.entries(words)) if (value) params.set(name, value);
  return `/dns?${params.toString()}`;
}

/** Whether a text is an IP address rather than the name of a device. */
export const isAddress = (word: string): boolean =>
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]*)$/i.test(word.trim());

/** The address of an entry that decided a query. */
export function placeOfCause(resourceType: string, name: string): string | undefined {
  if (resourceType === "dns_list") return dnsPlace("lists", { find: name });
  return ruleKinds.has(resourceType) ? dnsPlace("rules", { find: name }) : undefined;
}
const ruleKinds = new Set(["dns_filter_rule", "dns_allow_entry", "dns_block_entry", "dns_rewrite"]);
