import type { Fact } from "../fact.ts";
import { visible, visibleText } from "./visible.ts";

type Said = Omit<Fact, "seenMs">;

/**
 * What a device says about itself in a multicast DNS response (RFC 6762). A host name counts if the response has the sender's own
 * address for it: a proxy answers for devices that sleep.
 */
export function responseIn(bytes: Uint8Array, sender: string): readonly Said[] {
  try {
    return factsIn(recordsIn(bytes), sender);
  } catch (error) {
    if (error instanceof RangeError) return []; // Truncated, or a name that refers to itself.
    throw error;
  }
}

interface DnsRecord {
  /** Its labels. */
  readonly name: readonly string[];
  readonly type: number;
  /** Where its data is in the message. */
  readonly at: number;
  readonly data: Uint8Array;
}

function factsIn(
  { records, message }: { readonly records: readonly DnsRecord[]; readonly message: Uint8Array },
  sender: string,
): Said[] {
  const own = records.find(
    ({ type, name, data }) => type === recordTypes.A && data.length === 4 && data.join(".") === sender && isLocal(name),
  );
  if (!own) return [];
  const host = own.name[0]!;
  const services = records
    .filter(({ type }) => type === recordTypes.SRV)
    .filter(({ at }) => sameName(nameAt(message, at + 6).labels, own.name))
    .map(({ name }) => name);
  const texts = records
    .filter(
      ({ type, name }) => type === recordTypes.TXT && (services.some((it) => sameName(it, name)) || isDeviceInfo(name)),
    )
    .flatMap(({ data }) => stringsIn(data));
  const value = (...keys: readonly string[]) => texts.find(([key]) => keys.includes(key))?.[1];
  const friendly = value("fn") ?? services.map(([instance = ""]) => instance).find((it) => isFriendly(it, host));
  const product = value("model", "md", "ty");
  const facts: readonly Said[] = [
    { field: "hostname", value: visibleText(host), source: "mdns" },
    { field: "name", value: visibleText(friendly ?? ""), source: "mdns" },
    { field: "product", value: visibleText(product ?? ""), source: "mdns" },
  ];
  return facts.filter((it) => it.value !== "");
}

const isLocal = (name: readonly string[]): boolean => name.length === 2 && name[1]!.toLowerCase() === "local";
const isDeviceInfo = (name: readonly string[]): boolean => name.includes("_device-info");
/** Not a number of some protocol, such as that of AirPlay with an address before the name, nor the host name again. */
const isFriendly = (instance: string, host: string): boolean =>
  instance !== "" &&
  !instance.includes("@") &&
  !/^[0-9a-f-]{12,}$/i.test(instance) &&
  instance.toLowerCase() !== host.toLowerCase();
const sameName = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((label, index) => label.toLowerCase() === b[index]!.toLowerCase());

/** Throws a RangeError if the message ends too early. */
function recordsIn(message: Uint8Array): { readonly records: readonly DnsRecord[]; readonly message: Uint8Array } {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const isResponse = (view.getUint16(2) & 0x80_00) !== 0;
  if (!isResponse) return { records: [], message };
  let at = 12;
  for (let left = view.getUint16(4); left > 0; left -= 1) at = nameAt(message, at).end + 4;
  const records: DnsRecord[] = [];
  const count = view.getUint16(6) + view.getUint16(8) + view.getUint16(10);
  for (let left = Math.min(count, maxRecords); left > 0; left -= 1) {
    const { labels, end } = nameAt(message, at);
    const length = view.getUint16(end + 8);
    const from = end + 10;
    if (from + length > message.length) throw new RangeError("the data of a record is incomplete");
    records.push({ name: labels, type: view.getUint16(end), at: from, data: message.subarray(from, from + length) });
    at = from + length;
  }
  return { records, message };
}

/** A pointer leads to an earlier place, so that the labels end. */
function nameAt(message: Uint8Array, start: number): { readonly labels: readonly string[]; readonly end: number } {
  const labels: string[] = [];
  let [at, end, limit] = [start, -1, start];
  for (;;) {
    const length = message[at];
    if (length === undefined || labels.length > maxLabels) throw new RangeError("the name is incomplete");
    if (length === 0) return { labels, end: end === -1 ? at + 1 : end };
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | (message[at + 1] ?? 0);
      if (target >= limit) throw new RangeError("the name refers to itself");
      if (end === -1) end = at + 2;
      at = limit = target;
      continue;
    }
    if (at + 1 + length > message.length) throw new RangeError("the label is incomplete");
    labels.push(visible(message.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
}

/** The strings of a TXT record, as key and value. */
function stringsIn(data: Uint8Array): (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  for (let at = 0; at < data.length; at += 1 + data[at]!) {
    const text = visible(data.subarray(at + 1, at + 1 + data[at]!));
    const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
    if (key !== undefined) found.push([key.toLowerCase(), value!]);
  }
  return found;
}

const recordTypes = { A: 1, TXT: 16, SRV: 33 } as const;
const maxRecords = 200;
const maxLabels = 32;
