interface LinkJson {
  readonly ifname?: string;
  readonly addr_info?: readonly { readonly local?: string; readonly scope?: string }[];
}

/** `ip -j address show` → interface → its first address that reaches further than the link. */
export function firstAddresses(json: string): ReadonlyMap<string, string> {
  return new Map(
    (JSON.parse(json || "[]") as LinkJson[]).flatMap(({ ifname, addr_info = [] }) => {
      const address = addr_info.find(({ scope }) => scope === "global")?.local;
      return ifname !== undefined && address !== undefined ? [[ifname, address] as const] : [];
    }),
  );
}
