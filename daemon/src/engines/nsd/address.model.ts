/** The bytes of an address, 4 or 16 of them; nothing if it is not one. Zones and ports do not belong to it. */
export function addressBytes(text: string): readonly number[] | undefined {
  return text.includes(":") ? bytes6(text) : bytes4(text);
}

function bytes4(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  const isWell = parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
  return isWell ? parts.map(Number) : undefined;
}

function bytes6(text: string): readonly number[] | undefined {
  const tail = text.slice(text.lastIndexOf(":") + 1);
  const last = tail.includes(".") ? bytes4(tail) : [];
  if (!last) return undefined;
  const [front = "", back, ...more] = (
    last.length > 0 ? text.slice(0, -tail.length).replace(/([^:]):$/, "$1") : text
  ).split("::");
  const before = groups(front);
  const after = groups(back ?? "");
  if (more.length > 0 || !before || !after) return undefined;
  const missing = 16 - last.length - 2 * (before.length + after.length);
  if (back === undefined ? missing !== 0 : missing < 2) return undefined;
  const zeros = Array.from({ length: missing }, () => 0);
  return [...before.flatMap(pair), ...zeros, ...after.flatMap(pair), ...last];
}

function groups(text: string): readonly number[] | undefined {
  const parts = text === "" ? [] : text.split(":");
  return parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))
    ? parts.map((part) => Number.parseInt(part, 16))
    : undefined;
}

const pair = (group: number): number[] => [group >> 8, group & 0xff];

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
