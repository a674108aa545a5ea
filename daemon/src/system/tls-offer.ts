import { Duplex } from "node:stream";
import type { PqMode } from "../net/key-exchange.ts";
import { connectTls } from "./outbound-tls.ts";

export interface TlsOffer {
  readonly groups: string[];
  readonly versions: string[];
}

/** What a TLS client of the daemon offers: the ClientHello of one, which does not leave the process, is read. */
export function measureOffer(pqMode: PqMode): Promise<TlsOffer> {
  const hello = Promise.withResolvers<TlsOffer>();
  const sink = new Duplex({
    read: () => {},
    write: (record: Buffer, _encoding, done) => {
      try {
        hello.resolve(offerIn(record));
      } catch (error) {
        hello.reject(error);
      }
      done();
    },
  });
  const client = connectTls(pqMode, { socket: sink });
  client.on("error", hello.reject);
  return hello.promise.finally(() => client.destroy());
}

/** RFC 8446, 4.1.2 and 4.2: a handshake record with a ClientHello. */
export function offerIn(record: Buffer): TlsOffer {
  if (record[0] !== 22 || record[5] !== 1) throw new Error("This is not a ClientHello");
  let at = 43; // The lengths, the version and the random number have 43 bytes.
  at += 1 + record.readUInt8(at);
  at += 2 + record.readUInt16BE(at);
  at += 1 + record.readUInt8(at);
  const end = at + 2 + record.readUInt16BE(at);
  const extensions = new Map<number, Buffer>();
  for (at += 2; at < end; at += 4 + record.readUInt16BE(at + 2))
    extensions.set(record.readUInt16BE(at), record.subarray(at + 4, at + 4 + record.readUInt16BE(at + 2)));
  const [groups, versions] = [extensions.get(10)?.subarray(2), extensions.get(43)?.subarray(1)];
  return { groups: wordsIn(groups).map(groupName), versions: wordsIn(versions).map(versionName) };
}

const wordsIn = (bytes: Buffer = Buffer.alloc(0)): number[] =>
  Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readUInt16BE(2 * index));

const versionName = (id: number): string => (id > 0x0300 && id < 0x0310 ? `TLSv1.${id - 0x0301}` : hex(id));
export const groupName = (id: number): string => groupNames[id] ?? hex(id);
const hex = (id: number): string => `0x${id.toString(16).padStart(4, "0")}`;

/** Names and numbers of IANA's registry "TLS Supported Groups". */
const groupNames: Readonly<Record<number, string>> = {
  23: "secp256r1",
  24: "secp384r1",
  25: "secp521r1",
  29: "x25519",
  30: "x448",
  256: "ffdhe2048",
  257: "ffdhe3072",
  258: "ffdhe4096",
  259: "ffdhe6144",
  260: "ffdhe8192",
  4587: "SecP256r1MLKEM768",
  4588: "X25519MLKEM768",
  4589: "SecP384r1MLKEM1024",
};
