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

/** /proc/net/tcp → who has the other end of each connection to a port of ours on loopback: the other end's port → user id. */
export function usersByPort(text: string, ours: number): ReadonlyMap<number, number> {
  const users = new Map<number, number>();
  const wanted = ours.toString(16).toUpperCase().padStart(4, "0");
  for (const line of text.split("\n")) {
    const [, theirs, port, user] = loopbackConnection.exec(line) ?? [];
    if (theirs !== undefined && port === wanted) users.set(Number.parseInt(theirs, 16), Number(user));
  }
  return users;
}

/** The kernel writes addresses as its processor keeps them: 127.0.0.1 has two spellings. */
const loopbackConnection =
  /^\s*\d+: (?:0100007F|7F000001):([0-9A-F]{4}) (?:0100007F|7F000001):([0-9A-F]{4}) 01 \S+ \S+ \S+\s+(\d+) /;
