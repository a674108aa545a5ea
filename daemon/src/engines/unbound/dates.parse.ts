import type { Dated } from "./clock.model.ts";

/** A query for the SOA of the root with its signatures (RFC 4035, DO); with CD unless it is to be validated. */
export function soaQuery(id: number, isChecking = false): Uint8Array {
  const [header, section, options] = [
    `0000${isChecking ? "0100" : "0110"}0001000000000001`,
    "0000060001",
    "00002904d0000080000000",
  ];
  const message = Uint8Array.fromHex(`${header}${section}${options}`);
  new DataView(message.buffer).setUint16(0, id);
  return message;
}

/** The dates of the signatures in an answer to that query; none for anything else. */
export function parseDates(answer: Uint8Array, id: number): Dated[] {
  const view = new DataView(answer.buffer, answer.byteOffset, answer.byteLength);
  try {
    const isAnswer = view.getUint16(0) === id && (view.getUint8(2) & 0x80) !== 0 && (view.getUint8(3) & 0x0f) === 0;
    return isAnswer ? signatures(view) : [];
  } catch (error) {
    if (error instanceof RangeError) return []; // It ends before it says what it announced.
    throw error;
  }
}

/** Whether an answer to that query has signatures, or is a failure. Undefined if neither. */
export function parseSigned(answer: Uint8Array, id: number): "signed" | "unsigned" | "failed" | undefined {
  if (answer.length < headerBytes) return undefined;
  const view = new DataView(answer.buffer, answer.byteOffset, answer.byteLength);
  if (view.getUint16(0) !== id || (view.getUint8(2) & 0x80) === 0) return undefined;
  const code = view.getUint8(3) & 0x0f;
  if (code !== 0) return code === servfail ? "failed" : undefined;
  if (view.getUint16(6) === 0) return undefined;
  return parseDates(answer, id).length > 0 ? "signed" : "unsigned";
}

function signatures(view: DataView): Dated[] {
  let at = headerBytes;
  for (let left = view.getUint16(4); left > 0; left -= 1) at = afterName(view, at) + 4;
  const found: Dated[] = [];
  for (let left = view.getUint16(6); left > 0; left -= 1) {
    at = afterName(view, at);
    const data = at + 10;
    if (view.getUint16(at) === rrsig && view.getUint16(data) === soa)
      found.push({ expirationSec: view.getUint32(data + 8), inceptionSec: view.getUint32(data + 12) });
    at = data + view.getUint16(at + 8);
  }
  return found;
}

/** A name ends with the root or with a pointer to where the rest of it stands. */
function afterName(view: DataView, start: number): number {
  let at = start;
  for (let length = view.getUint8(at); length !== 0; length = view.getUint8(at)) {
    if (length >= 0xc0) return at + 2;
    at += length + 1;
  }
  return at + 1;
}

const headerBytes = 12;
const soa = 6;
const rrsig = 46;
const servfail = 2;
