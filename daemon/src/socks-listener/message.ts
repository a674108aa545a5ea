import { isIP, isIPv4 } from "node:net";

/* The messages of SOCKS5: RFC 1928, and RFC 1929 for the password. */

export const version = 5;
export const methods = { none: 0, password: 2, noneAcceptable: 0xff } as const;
export const commands = { connect: 1, associate: 3 } as const;
export const replies = {
  succeeded: 0,
  failed: 1,
  networkUnreachable: 3,
  hostUnreachable: 4,
  refused: 5,
  commandUnsupported: 7,
  addressUnsupported: 8,
} as const;
export type Reply = (typeof replies)[keyof typeof replies];

/** A destination of a client: an address, or a name that is still to be resolved. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** The size of an address after its type, or after the first byte of a name; undefined for an unknown type. */
export const addressSize = (type: number, next: number): number | undefined =>
  ({ [types.v4]: 4, [types.name]: 1 + next, [types.v6]: 16 })[type];

/** From the bytes of an address without its type, and the two of the port. A name that is an address is one. */
export function destinationOf(type: number, bytes: Buffer): Destination | undefined {
  const port = bytes.readUInt16BE(bytes.length - 2);
  const address = bytes.subarray(0, -2);
  if (type === types.v4) return { host: address.join("."), port };
  if (type === types.v6) return { host: v6Text(address), port };
  const name = address.subarray(1).toString("latin1");
  return isIP(name) !== 0 || isName(name) ? { host: name, port } : undefined;
}

/** What can be queried. Anything else, such as a zero byte, could be another name for a resolver than it is here. */
const isName = (text: string): boolean => /^[\w-]{1,63}(\.[\w-]{1,63})*\.?$/.test(text) && text.length <= 254;

/** The answer to a request, with the address that is used for it. */
export const replyMessage = (reply: Reply, { host, port }: Destination = unspecified): Buffer =>
  Buffer.concat([Buffer.from([version, reply, 0]), addressed(host, port)]);

const unspecified: Destination = { host: "0.0.0.0", port: 0 };

/** A datagram of a client: its destination and its content; undefined for one that is malformed or fragmented. */
export function datagramOf(message: Buffer): { readonly to: Destination; readonly content: Buffer } | undefined {
  const [, , fragment, type, next] = message;
  if (fragment !== 0 || type === undefined || next === undefined) return undefined;
  const size = addressSize(type, next);
  if (size === undefined || message.length < headBytes + size + 2) return undefined;
  const end = headBytes + size + 2;
  const to = destinationOf(type, message.subarray(headBytes, end));
  return to && { to, content: message.subarray(end) };
}

const headBytes = 4;

/** The same for a datagram that is returned to the client, with its sender. */
export const datagramFrom = ({ host, port }: Destination, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 0]), addressed(host, port), content]);

const types = { v4: 1, name: 3, v6: 4 } as const;

function addressed(host: string, port: number): Buffer {
  const address = addressBytes(host);
  const end = Buffer.alloc(2);
  end.writeUInt16BE(port);
  return Buffer.concat([Buffer.from([address.length === 4 ? types.v4 : types.v6]), address, end]);
}

/** 4 or 16 bytes. One address has several notations as text, and one as bytes. */
export function addressBytes(text: string): Buffer {
  if (isIPv4(text)) return Buffer.from(text.split(".").map(Number));
  const [dotted] = /[^:]*\.[^:]*$/.exec(text) ?? [];
  const plain = dotted === undefined ? text : text.slice(0, -dotted.length) + v4Groups(dotted);
  const [before = [], after = []] = plain.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const zeros = plain.includes("::") ? Array.from({ length: 8 - before.length - after.length }, () => "0") : [];
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...before, ...zeros, ...after].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), 2 * index);
  return bytes;
}

function v4Groups(dotted: string): string {
  const bytes = Buffer.from(dotted.split(".").map(Number));
  return [0, 2].map((at) => bytes.readUInt16BE(at).toString(16)).join(":");
}

const v6Text = (bytes: Buffer): string =>
  Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16)).join(":");
