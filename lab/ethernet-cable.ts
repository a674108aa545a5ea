import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

/** The other end of a network cable of an emulated machine: Ethernet frames in UDP packets on loopback. */
export interface Cable extends Disposable {
  /** For the emulator. */
  readonly words: readonly string[];
  /** The address that the machine's DHCP server offers to a client with this MAC; undefined if there is no offer in time. */
  offered(mac: string, seconds: number): Promise<string | undefined>;
}

export async function openCable(id: string, mac: string): Promise<Cable> {
  const [socket, other] = [createSocket("udp4"), createSocket("udp4")];
  for (const it of [socket, other]) {
    it.bind(0, "127.0.0.1");
    await once(it, "listening");
  }
  // Free a moment ago; the emulator takes it.
  const { port: far } = other.address();
  other.close();
  const near = socket.address().port;
  return {
    words: [
      "-netdev",
      `socket,id=${id},udp=127.0.0.1:${near},localaddr=127.0.0.1:${far}`,
      "-device",
      `virtio-net-pci,netdev=${id},mac=${mac}`,
    ],
    offered: async (client, seconds) => {
      const offer = Promise.withResolvers<string>();
      const read = (frame: Buffer) => {
        const address = offerIn(frame);
        if (address !== undefined) offer.resolve(address);
      };
      socket.on("message", read);
      const sending = setInterval(() => socket.send(discover(client), far, "127.0.0.1"), 2000);
      try {
        return await Promise.race([offer.promise, wait(seconds * 1000, undefined, { ref: false })]);
      } finally {
        clearInterval(sending);
        socket.off("message", read);
      }
    },
    [Symbol.dispose]: () => void socket.close(),
  };
}

const transaction = 0x5043_5253;

/** DHCPDISCOVER (RFC 2131) in UDP, IPv4 and Ethernet, to all. */
function discover(mac: string): Buffer {
  const hardware = Buffer.from(mac.replaceAll(":", ""), "hex");
  const message = Buffer.alloc(300);
  message.set([1, 1, 6, 0]);
  message.writeUInt32BE(transaction, 4);
  message.writeUInt16BE(0x8000, 10); // The answer is a broadcast: there is no address to send it to.
  message.set(hardware, 28);
  message.set([0x63, 0x82, 0x53, 0x63, 53, 1, 1, 255], 236);
  const udp = Buffer.alloc(8);
  udp.writeUInt16BE(68, 0);
  udp.writeUInt16BE(67, 2);
  udp.writeUInt16BE(udp.length + message.length, 4);
  const ip = Buffer.alloc(20);
  ip.set([0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17]);
  ip.writeUInt16BE(ip.length + udp.length + message.length, 2);
  ip.fill(255, 16);
  ip.writeUInt16BE(checksum(ip), 10);
  const ethernet = Buffer.concat([Buffer.alloc(6, 255), hardware, Buffer.from("0800", "hex")]);
  return Buffer.concat([ethernet, ip, udp, message]);
}

function checksum(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < header.length; at += 2) sum += header.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** `yiaddr` of an answer to our request. */
function offerIn(frame: Buffer): string | undefined {
  const message = frame.subarray(14 + 20 + 8);
  const isAnswer = message.length > 240 && message[0] === 2 && message.readUInt32BE(4) === transaction;
  return isAnswer ? [...message.subarray(16, 20)].join(".") : undefined;
}
