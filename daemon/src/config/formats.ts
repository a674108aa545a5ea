import { parseAddress, parseCidr, parseHost } from "../net/addresses.ts";

/** The text formats of keys. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  "listen-address": (text) => parseListenAddress(text) !== undefined,
  "ip-address": (text) => parseAddress(text) !== undefined,
  "cidr-or-none": (text) => text === "" || parseCidr(text) !== undefined,
  "lan-address-or-none": (text) => text === "" || parseHost(text) !== undefined,
  "host-name": isHostName,
  /** As the kernel accepts: IFNAMSIZ is 16 with the terminating zero; a colon marks an alias. */
  interface: (text) => /^[\x21-\x7e]{1,15}$/.test(text) && !/[/:"'#*\\]/.test(text) && text !== "." && text !== "..",
  /** Without a leading tilde: no shell expands it here. */
  path: isPath,
  /** The kernel accepts 107 bytes (sun_path). */
  "path-or-none": (text) => text === "" || (isPath(text) && Buffer.byteLength(text) <= 100),
};

function isPath(text: string): boolean {
  return /^[^\p{Cc}~][^\p{Cc}]*$/u.test(text);
}

/** Where to listen. Port 0 lets the kernel choose one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, v6, plain, digits] = /^(?:\[([^\]]*)\]|([^[\]:]*)):(0|[1-9]\d{0,4})$/.exec(text) ?? [];
  const host = v6 ?? plain ?? "";
  const port = Number(digits);
  const known = v6 === undefined ? isHostName(host) || parseAddress(host) : parseAddress(host) && host.includes(":");
  return known && port <= 65_535 ? { host, port } : undefined;
}

/** A name whose last label is a number would be parsed as an IPv4 address. */
function isHostName(text: string): boolean {
  const labels = text.split(".");
  const label = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
  return text.length <= 253 && labels.every((it) => label.test(it)) && !/^\d+$/.test(labels.at(-1)!);
}
