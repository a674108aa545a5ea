import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { isIPv6, type Socket } from "node:net";
import { addressBytes, datagramFrom, datagramOf, type Destination, replies, replyMessage } from "./message.ts";
import type { Needs } from "./names.ts";

/**
 * Forwards the datagrams of one client, for as long as its connection lasts. Datagrams of other senders are not forwarded, nor
 * those of hosts to which the client has sent nothing.
 */
export async function associate(
  client: Socket,
  expected: Destination,
  { settings: { sources }, names }: Needs,
): Promise<void> {
  const sockets: DatagramSocket[] = [];
  const close = (): void => {
    for (const it of sockets.splice(0)) it.close();
  };
  /** Errors of later datagrams reject a promise that is fulfilled: a datagram may be lost. */
  const open = async (address: string): Promise<DatagramSocket> => {
    const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    sockets.push(socket);
    await new Promise<void>((resolve, reject) => socket.on("error", reject).bind({ address, port: 0 }, resolve));
    if (client.destroyed) {
      close(); // Its event may be over.
      throw new Error("The client is gone");
    }
    return socket;
  };
  client.once("close", close);

  const near = await open(client.localAddress!);
  const far = {
    v4: sources.v4 === null ? undefined : await open(sources.v4),
    v6: sources.v6 === null ? undefined : await open(sources.v6),
  };
  const contacted = newContacted();
  let port = expected.port; // Zero: of the first datagram.
  let pending = 0;

  async function send({ host, port: to }: Destination, content: Buffer): Promise<void> {
    const [address] = await names.addressesOf(host);
    if (address === undefined || sockets.length === 0) return;
    contacted.add({ host: address, port: to });
    (isIPv6(address) ? far.v6 : far.v4)?.send(content, to, address, () => {});
  }

  near.on("message", (message, from) => {
    if (from.address !== client.remoteAddress || (port !== 0 && from.port !== port) || pending >= maxPending) return;
    const datagram = datagramOf(message);
    if (!datagram) return;
    port = from.port;
    pending += 1;
    void send(datagram.to, datagram.content).finally(() => (pending -= 1));
  });
  for (const socket of [far.v4, far.v6])
    socket?.on("message", (content, from) => {
      const sender = { host: from.address, port: from.port };
      if (port === 0 || sockets.length === 0 || !contacted.has(sender)) return;
      near.send(datagramFrom(sender, content), port, client.remoteAddress, () => {});
    });

  const { address: host, port: own } = near.address();
  client.write(replyMessage(replies.succeeded, { host, port: own }));
  client.on("end", () => client.destroy()).resume(); // Nothing more is expected on it but its end.
}

/** Destinations of a client; of very many the oldest are forgotten. */
function newContacted() {
  const keys = new Set<string>();
  const keyOf = ({ host, port }: Destination) => `${addressBytes(host).toString("hex")} ${port}`;
  return {
    has: (sender: Destination): boolean => keys.has(keyOf(sender)),
    add: (to: Destination): void => {
      keys.delete(keyOf(to));
      keys.add(keyOf(to));
      if (keys.size > maxContacted) keys.delete(keys.values().next().value!);
    },
  };
}

const maxContacted = 4096;
/** Datagrams whose name is being resolved. */
const maxPending = 256;
