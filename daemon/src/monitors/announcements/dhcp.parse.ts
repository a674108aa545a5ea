import type { Fact } from "../fact.ts";
import { visible } from "./visible.ts";

type Said = Omit<Fact, "seenMs">;

/** The message of a DHCP client: discover, request or inform (RFC 2131, RFC 2132). undefined: it is none. */
export function clientMessageIn(
  bytes: Uint8Array,
): { readonly mac: string; readonly facts: readonly Said[] } | undefined {
  const [operation, hardware, length] = bytes;
  if (bytes.length < optionsAt || operation !== 1 || hardware !== 1 || length !== 6) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(236) !== magicCookie) return undefined;
  const options = optionsIn(bytes.subarray(optionsAt));
  const type = options.get(53)?.[0];
  if (type === undefined || !clientTypes.has(type)) return undefined;
  const mac = Array.from(bytes.subarray(28, 34), (byte) => byte.toString(16).padStart(2, "0")).join(":");
  const text = (code: number): string => visible(options.get(code) ?? new Uint8Array());
  const facts: readonly Said[] = [
    { field: "hostname", value: text(12), source: "dhcp" },
    { field: "dhcp_parameters", value: (options.get(55) ?? new Uint8Array()).join(","), source: "dhcp" },
    { field: "dhcp_vendor_class", value: text(60), source: "dhcp" },
  ];
  return { mac, facts: facts.filter(({ value }) => value !== "") };
}

function optionsIn(bytes: Uint8Array): Map<number, Uint8Array> {
  const options = new Map<number, Uint8Array>();
  for (let at = 0; at < bytes.length; ) {
    const code = bytes[at]!;
    if (code === end) break;
    if (code === padding) {
      at += 1;
      continue;
    }
    const length = bytes[at + 1];
    if (length === undefined || at + 2 + length > bytes.length) break;
    options.set(code, bytes.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return options;
}

const optionsAt = 240;
const magicCookie = 0x63_82_53_63;
const [padding, end] = [0, 255];
/** Discover, request, inform. */
const clientTypes = new Set([1, 3, 8]);
