import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { tcpDialog, type DialogStep, secureRandomBytes } from "../../system/tcp-dialog.ts";

export const keyBytes = 32;

interface Needs {
  readonly port: number;
  readonly key: Uint8Array;
  readonly limitMs?: number;
}

/**
 * Sends one command to dnsdist's console and resolves to its output. Both sides begin with half of each nonce; then every
 * message is a length and a sealed box. A console with another key closes the connection.
 */
export function consoleCommand(command: string, { port, key, limitMs = 5000 }: Needs): Promise<string> {
  const ours = secureRandomBytes(nonceBytes);
  let theirs: Uint8Array | undefined;
  function turn(received: Uint8Array): DialogStep<string> {
    if (!theirs) {
      if (received.length < nonceBytes) return { kind: "wait" };
      theirs = received.slice(0, nonceBytes);
      const box = xsalsa20poly1305(key, halves(theirs, ours)).encrypt(new TextEncoder().encode(command));
      return { kind: "send", bytes: joined(lengthOf(box), box), consumedBytes: nonceBytes };
    }
    const size = received.length < 4 ? undefined : new DataView(received.buffer, received.byteOffset).getUint32(0);
    if (size === undefined || received.length < 4 + size) return { kind: "wait" };
    if (size === 0) return { kind: "done", result: "" };
    const box = received.slice(4, 4 + size);
    return {
      kind: "done",
      result: new TextDecoder().decode(xsalsa20poly1305(key, halves(ours, theirs)).decrypt(box)),
    };
  }
  return tcpDialog({ address: "127.0.0.1", port }, ours, turn, limitMs);
}

const nonceBytes = 24;

/** The first half of one and the second of the other: neither side alone decides on a nonce. */
const halves = (first: Uint8Array, second: Uint8Array): Uint8Array =>
  joined(first.subarray(0, nonceBytes / 2), second.subarray(nonceBytes / 2));

function lengthOf({ length }: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, length);
  return bytes;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
