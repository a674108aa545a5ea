/** One interface as `wg` shows it. */
export interface Device {
  readonly privateKey: string | null;
  readonly listenPort: number;
  readonly mark: number;
  readonly peers: readonly DevicePeer[];
}

export interface DevicePeer {
  readonly publicKey: string;
  readonly presharedKey: string | null;
  readonly endpoint: string | null;
  readonly allowedIps: readonly string[];
  /** null: there was none yet. */
  readonly lastHandshakeMs: number | null;
  readonly rxBytes: number;
  readonly txBytes: number;
  readonly keepaliveSec: number;
}

/** `wg show X dump`: the interface, then a line for each peer. */
export function parseDump(text: string): Device {
  const [first = "", ...rest] = text.trimEnd().split("\n");
  const [privateKey = "", , listenPort = "0", mark = "off"] = first.split("\t");
  return {
    privateKey: orNull(privateKey),
    listenPort: Number(listenPort),
    mark: mark === "off" ? 0 : Number(mark),
    peers: rest.map(parsePeer),
  };
}

function parsePeer(line: string): DevicePeer {
  const [publicKey = "", presharedKey = "", endpoint = "", allowed = "", handshake = "0", rx, tx, keepalive = "off"] =
    line.split("\t");
  return {
    publicKey,
    presharedKey: orNull(presharedKey),
    endpoint: orNull(endpoint),
    allowedIps: orNull(allowed)?.split(",") ?? [],
    lastHandshakeMs: handshake === "0" ? null : Number(handshake) * 1000,
    rxBytes: Number(rx),
    txBytes: Number(tx),
    keepaliveSec: keepalive === "off" ? 0 : Number(keepalive),
  };
}

/** The answer to `get=1`, line by line: keys in hexadecimal, and a new peer with each public key. */
export function parseAnswer(lines: readonly string[]): Device {
  const pairs = lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
  const begins = pairs.flatMap(([key], place) => (key === "public_key" ? [place] : []));
  const own = new Map(pairs.slice(0, begins[0]));
  return {
    privateKey: keyOf(own.get("private_key")),
    listenPort: Number(own.get("listen_port") ?? 0),
    mark: Number(own.get("fwmark") ?? 0),
    peers: begins.map((begin, place) => answeredPeer(pairs.slice(begin, begins[place + 1]))),
  };
}

function answeredPeer(pairs: readonly (readonly [string, string])[]): DevicePeer {
  const of = new Map(pairs);
  const handshakeSec = Number(of.get("last_handshake_time_sec") ?? 0);
  return {
    publicKey: keyOf(of.get("public_key")) ?? "",
    presharedKey: keyOf(of.get("preshared_key")),
    endpoint: of.get("endpoint") ?? null,
    allowedIps: pairs.filter(([key]) => key === "allowed_ip").map(([, value]) => value),
    lastHandshakeMs: handshakeSec === 0 ? null : handshakeSec * 1000,
    rxBytes: Number(of.get("rx_bytes") ?? 0),
    txBytes: Number(of.get("tx_bytes") ?? 0),
    keepaliveSec: Number(of.get("persistent_keepalive_interval") ?? 0),
  };
}

/** As people write it; none is all zeros. */
function keyOf(hex = ""): string | null {
  if (/^0*$/.test(hex)) return null;
  const bytes = hex.match(/../g)!.map((it) => Number.parseInt(it, 16));
  return btoa(String.fromCharCode(...bytes));
}

const orNull = (text: string): string | null => (text === "(none)" || text === "" ? null : text);

/** A link of the kernel, as far as it matters here. */
export interface Interface {
  readonly isUp: boolean;
  readonly mtu: number;
  /** With the length of their network, and without those the kernel gives itself. */
  readonly addresses: readonly string[];
}

interface AddressJson {
  readonly ifname?: string;
  readonly flags?: readonly string[];
  readonly mtu?: number;
  readonly addr_info?: readonly { readonly local: string; readonly prefixlen: number; readonly scope?: string }[];
}

/** `ip -j address` → links by name. */
export function parseInterfaces(json: string): ReadonlyMap<string, Interface> {
  const listed = JSON.parse(json || "[]") as AddressJson[];
  return new Map(
    listed.map(({ ifname = "", flags = [], mtu = 0, addr_info: addresses = [] }) => [
      ifname,
      {
        isUp: flags.includes("UP"),
        mtu,
        addresses: addresses
          .filter(({ scope }) => scope !== "link")
          .map(({ local, prefixlen }) => `${local}/${prefixlen}`),
      },
    ]),
  );
}

/** Equal for all spellings of one address. An unreadable address equals itself only. */
export const addressKey = (text: string): string => {
  const address = readNetwork(text);
  return address ? `${address.width}:${address.bits.toString(16)}/${address.length}` : text;
};

/** Equal for all spellings of one network, whatever the host part. */
export function networkKey(text: string): string {
  const network = readNetwork(text);
  if (!network) return text;
  const { bits, length, width } = network;
  const host = BigInt(width - length);
  return `${width}:${((bits >> host) << host).toString(16)}/${length}`;
}

function readNetwork(text: string): { bits: bigint; length: number; width: number } | undefined {
  const [address = "", written] = text.split("/");
  const isV6 = address.includes(":");
  const width = isV6 ? 128 : 32;
  const bits = isV6 ? bitsOfV6(address) : bitsOfV4(address);
  const length = written === undefined ? width : Number(written);
  return bits === undefined || !(length >= 0 && length <= width) ? undefined : { bits, length, width };
}

function bitsOfV4(text: string): bigint | undefined {
  const bytes = text.split(".").map(Number);
  if (bytes.length !== 4 || !bytes.every((byte) => byte >= 0 && byte <= 255)) return undefined;
  return bytes.reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
}

function bitsOfV6(text: string): bigint | undefined {
  const [head = [], tail, ...more] = text.split("::").map(groupsOfV6);
  if (more.length > 0) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 0) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])];
  return groups.every((group) => group >= 0 && group <= 0xffff)
    ? groups.reduce((bits, group) => (bits << 16n) | BigInt(group), 0n)
    : undefined;
}

/** The last 32 bits may be written like those of IPv4. */
const groupsOfV6 = (text: string): number[] =>
  text === ""
    ? []
    : text.split(":").flatMap((group) => {
        const v4 = group.includes(".") ? bitsOfV4(group) : undefined;
        return v4 === undefined ? [Number.parseInt(group, 16)] : [Number(v4 >> 16n), Number(v4 & 0xffffn)];
      });
