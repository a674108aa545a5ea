/** An address of this page: a tab and its search parameters. */
export function dnsLink(tab: string, search: Readonly<Record<string, string | null | undefined>> = {}): string {
  const params = new URLSearchParams({ tab });
  for (const [name, value] of Object.entries(search)) if (value) params.set(name, value);
  return `/dns?${params.toString()}`;
}

/** Whether a text is an IP address rather than the name of a device. */
export const isAddress = (word: string): boolean =>
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]*)$/i.test(word.trim());

/** The address of an entry that decided a query. */
export function linkOfCause(resourceType: string, name: string): string | undefined {
  if (resourceType === "dns_list") return dnsLink("lists", { find: name });
  return ruleKinds.has(resourceType) ? dnsLink("rules", { find: name }) : undefined;
}
const ruleKinds = new Set(["dns_filter_rule", "dns_allow_entry", "dns_block_entry", "dns_rewrite"]);
