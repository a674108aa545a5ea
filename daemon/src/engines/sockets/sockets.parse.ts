/** /proc/net/tcp or tcp6 → how many connections are established at each local port. */
export function establishedByPort(text: string): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const line of text.split("\n")) {
    const [, port, state] = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ ([0-9A-F]{2}) /.exec(line) ?? [];
    if (port === undefined || state !== established) continue;
    const number = Number.parseInt(port, 16);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return counts;
}

/** As the kernel numbers states: include/net/tcp_states.h. */
const established = "01";
