import { addressWidth, formatAddress, formatCidr, parseAddress, parseNetwork } from "../../net/addresses.ts";
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

/** Equal for all spellings of one address with its prefix length. An unreadable address equals itself only. */
export function addressKey(text: string): string {
  const [written = "", length] = text.split("/");
  const address = parseAddress(written);
  return address ? `${formatAddress(address)}/${length ?? addressWidth[address.family]}` : text;
}

/** Equal for all spellings of one network, whatever the host part. */
export function networkKey(text: string): string {
  const network = parseNetwork(text);
  return network ? formatCidr(network) : text;
}
