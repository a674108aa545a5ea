/** Addresses as bytes: four or sixteen, all behind the prefix zero. */
export interface Network {
  readonly bytes: Uint8Array;
  readonly prefix: number;
}

/** An address, or a network in CIDR form. An IPv4 address that is written as an IPv6 one is an IPv4 address. */
export function networkOf(text: string): Network | undefined {
  const [address = "", length, ...more] = text.split("/");
  const bytes = address.includes(":") ? sixteenBytes(address) : fourBytes(address);
  if (!bytes || more.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined;
  const prefix = Number(length ?? bytes.length * 8);
  if (prefix > bytes.length * 8) return undefined;
  if (prefix >= 96 && isMapped(bytes)) return { bytes: masked(bytes.slice(12), prefix - 96), prefix: prefix - 96 };
  return { bytes: masked(bytes, prefix), prefix };
}

export const masked = (bytes: Uint8Array, prefix: number): Uint8Array =>
  bytes.map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - at * 8))));

const isMapped = (bytes: Uint8Array): boolean =>
  bytes.length === 16 && bytes.subarray(0, 12).every((byte, at) => byte === (at < 10 ? 0 : 0xff));

function fourBytes(text: string): Uint8Array | undefined {
  const parts = text.split(".");
  const isGood = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256);
  return isGood ? Uint8Array.from(parts, Number) : undefined;
}

function sixteenBytes(text: string): Uint8Array | undefined {
  const [head = "", tail, ...more] = text.split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  if (!before || !after || more.length > 0) return undefined;
  const gap = 16 - before.length - after.length;
  if (tail === undefined ? gap !== 0 : gap < 2) return undefined;
  return Uint8Array.from([...before, ...Array.from({ length: gap }, () => 0), ...after]);
}

function groupsOf(text: string): readonly number[] | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  const lastFour = groups.at(-1)!.includes(".") ? fourBytes(groups.pop()!) : new Uint8Array();
  if (!lastFour || !groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const pairs = groups.map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 0xff]);
  return [...pairs, ...lastFour];
}
