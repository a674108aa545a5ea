import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { groupName } from "../daemon/src/system/tls-offer.ts";

interface Options {
  readonly cert: string;
  readonly key: string;
  /** The groups it supports. */
  readonly groups: string;
  readonly maxVersion?: "TLSv1.2";
  /** Serves an established session. */
  readonly serve: (socket: TLSSocket) => void;
}

/** A TLS server with chosen groups, behind a relay that reads in its ServerHello which group it has agreed upon. */
export async function openTlsServer({ cert, key, groups, maxVersion, serve }: Options) {
  const agreed: string[] = [];
  const options = { cert, key, ecdhCurve: groups, ...(maxVersion && { maxVersion }) };
  const behind = createTlsServer(options, (socket) => {
    socket.on("error", () => {}); // The client has ended.
    serve(socket);
  }).listen(0, "127.0.0.1");
  behind.on("tlsClientError", () => {});
  await once(behind, "listening");
  const relay = createServer((client) => {
    const server = connect((behind.address() as AddressInfo).port, "127.0.0.1");
    server.on("data", (bytes: Buffer) => {
      const group = agreedGroup(bytes);
      if (group !== undefined) agreed.push(group);
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  return {
    port: (relay.address() as AddressInfo).port,
    /** Of each session, in their order. */
    agreed,
    [Symbol.asyncDispose]: async () => {
      behind.close();
      relay.close();
      await Promise.all([once(behind, "close"), once(relay, "close")]);
    },
  };
}

/** The group of the key share in a ServerHello (RFC 8446, 4.1.3 and 4.2.8). That of TLS 1.2 has none, a HelloRetryRequest one without a key. */
function agreedGroup(record: Buffer): string | undefined {
  if (record[0] !== 22 || record[5] !== 2) return undefined;
  const afterSession = 44 + record.readUInt8(43);
  const end = afterSession + 5 + record.readUInt16BE(afterSession + 3);
  for (let at = afterSession + 5; at < end; at += 4 + record.readUInt16BE(at + 2))
    if (record.readUInt16BE(at) === 51 && record.readUInt16BE(at + 2) > 2)
      return groupName(record.readUInt16BE(at + 4));
  return undefined;
}
