import { addressBytes as bytesOf, parseLiteral } from "../../net/addresses.ts";

/** The bytes of an address, 4 or 16 of them; undefined for any other text. An IPv4-mapped address has 16, as in its record. */
export function addressBytes(text: string): readonly number[] | undefined {
  const address = parseLiteral(text);
  return address && [...bytesOf(address)];
}

/** The name under which an address is looked up, without a dot at its end. */
export const reverseName = (bytes: readonly number[]): string =>
  bytes.length === 4
    ? `${bytes.toReversed().join(".")}.in-addr.arpa`
    : `${nibbles(bytes).toReversed().join(".")}.ip6.arpa`;

const nibbles = (bytes: readonly number[]): string[] =>
  bytes.flatMap((byte) => [byte >> 4, byte & 0x0f]).map((nibble) => nibble.toString(16));

/** The reverse zones that together hold a network: names are cut at whole numbers only, networks anywhere. */
export function reverseZoneNames(network: string): readonly string[] {
  const [address = "", length = ""] = network.split("/");
  const bytes = addressBytes(address);
  const bits = Number(length);
  if (!bytes || !/^\d+$/.test(length) || bits > bytes.length * 8) return [];
  const step = bytes.length === 4 ? 8 : 4;
  const most = bytes.length === 4 ? 24 : 128;
  const cut = Math.min(most, Math.max(step, Math.ceil(bits / step) * step));
  const first = masked(bytes, Math.min(bits, cut));
  return Array.from({ length: 2 ** Math.max(0, cut - bits) }, (_, index) =>
    reverseName(withAdded(first, index, cut))
      .split(".")
      .slice((bytes.length * 8 - cut) / step)
      .join("."),
  );
}

const masked = (bytes: readonly number[], bits: number): number[] =>
  bytes.map((byte, at) => byte & (0xff << Math.min(8, Math.max(0, 8 - (bits - at * 8)))) & 0xff);

/** What is added lies within the byte that the cut is at the end of. */
function withAdded(bytes: readonly number[], index: number, cut: number): number[] {
  const at = Math.ceil(cut / 8) - 1;
  return bytes.map((byte, place) => (place === at ? byte + index * 2 ** ((at + 1) * 8 - cut) : byte));
}
