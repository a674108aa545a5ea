/** A tracked connection with what it transferred since its first packet. */
export interface CountedFlow {
  /** The kernel's id of the connection. */
  readonly id: number;
  /** The opener, with its own address. */
  readonly source: string;
  /** As the opener addressed it. */
  readonly destination: string;
  readonly mark: number;
  /** A DNS query: to the gateway's resolver, redirected to it, or to another. */
  readonly isDns: boolean;
  /** Redirected to a program of the gateway, such as a resolver or a redirector. */
  readonly isRedirected: boolean;
  /** With their headers, without those of the link. */
  readonly sent: Counter;
  readonly received: Counter;
}

export interface Counter {
  readonly packets: number;
  readonly bytes: number;
}

/** A line of `conntrack -o extended,id`; undefined: no connection, or one without counters. */
export function countedFlowIn(line: string): CountedFlow | undefined {
  const found = form.exec(line);
  if (!found) return undefined;
  const [, source = "", destination = "", ports = "", packets, bytes, answerer, , back = "", backPackets, backBytes] =
    found;
  const [port, backPort] = [/ dport=(\d+)/.exec(ports)?.[1], / sport=(\d+)/.exec(back)?.[1]];
  return {
    id: Number(found[12]),
    source,
    destination,
    mark: Number(found[11]),
    isDns: port === "53",
    isRedirected: answerer !== destination || backPort !== port,
    sent: { packets: Number(packets), bytes: Number(bytes) },
    received: { packets: Number(backPackets), bytes: Number(backBytes) },
  };
}

/** Both directions have addresses, ports where the protocol has them, and counters. */
const form =
  / src=(\S+) dst=(\S+)((?: (?:sport|dport|type|code|id|srckey|dstkey)=\S+)*) packets=(\d+) bytes=(\d+)(?: \[UNREPLIED\])? src=(\S+) dst=(\S+)((?: (?:sport|dport|type|code|id|srckey|dstkey)=\S+)*) packets=(\d+) bytes=(\d+).* mark=(\d+) .*?\bid=(\d+)(?: |$)/;

/** Every connection with counters of `conntrack -L -o extended,id`. */
export const countedFlowsIn = (listing: string): CountedFlow[] =>
  listing.split("\n").flatMap((line) => countedFlowIn(line) ?? []);
