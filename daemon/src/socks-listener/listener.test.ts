import { randomBytes } from "node:crypto";
import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { SocksListenerSettings } from "../engines/socks-listener/socks-listener.model.ts";
import { openListener } from "./listener.ts";
import { datagramFrom } from "./message.ts";
import { type Reader, readerOf } from "./reader.ts";

/* The real server on loopback, with a client that writes the bytes of RFC 1928 and 1929. */

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const it of closing.splice(0).toReversed()) await it();
});

const sources = { v4: "127.0.0.1", v6: "::1" };
const account = { username: "ada", password: "Pa:ss w0rd" };

async function listening(settings: Partial<SocksListenerSettings> = {}): Promise<number> {
  const listen = { address: "127.0.0.1", port: 0 };
  return track(await openListener({ listen, sources, credentials: null, nameservers: [], ...settings }));
}

function track(server: Server): number {
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Answers when its client has ended: with what it has received, and from which address. */
async function echo(host = "127.0.0.1"): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const parts: Buffer[] = [];
    socket.on("data", (part) => parts.push(part as Buffer));
    socket.on("end", () => socket.end(`${socket.remoteAddress} ${Buffer.concat(parts).toString()}`));
  });
  server.listen(0, host);
  await once(server, "listening");
  return track(server);
}

/** A name server that knows one name. */
async function nameServer(): Promise<{ readonly address: string; readonly queries: string[] }> {
  const queries: string[] = [];
  const socket = createSocket("udp4").on("message", (query, from) => {
    const name = query.subarray(12, query.indexOf(0, 12)).toString("latin1");
    const isA = query.readUInt16BE(query.indexOf(0, 12) + 1) === 1;
    queries.push(name.replaceAll(/[^a-z]/g, "."));
    const isKnown = name.includes("web") && isA;
    const answer = Buffer.concat([
      query.subarray(0, 2),
      Buffer.from([0x81, name.includes("web") ? 0x80 : 0x83, 0, 1, 0, isKnown ? 1 : 0, 0, 0, 0, 0]),
      query.subarray(12, query.indexOf(0, 12) + 5),
      ...(isKnown ? [Buffer.from("c00c00010001000000000004", "hex"), Buffer.from([127, 0, 0, 1])] : []),
    ]);
    socket.send(answer, from.port, from.address);
  });
  return { address: `127.0.0.1:${await bound(socket)}`, queries };
}

async function bound(socket: DatagramSocket, address = "127.0.0.1"): Promise<number> {
  socket.bind(0, address);
  await once(socket, "listening");
  closing.push(() => socket.close());
  return socket.address().port;
}

const words = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
const v4 = (host: string, port: number): Buffer =>
  Buffer.from([1, ...host.split(".").map(Number), port >> 8, port & 255]);
const named = (name: string, port: number): Buffer =>
  Buffer.concat([Buffer.from([3]), words(name), Buffer.from([port >> 8, port & 255])]);
const request = (command: number, destination: Buffer): Buffer =>
  Buffer.concat([Buffer.from([5, command, 0]), destination]);
const login = ({ username, password }: typeof account): Buffer =>
  Buffer.concat([Buffer.from([1]), words(username), words(password)]);

const readers = new WeakMap<Socket, Reader>();
function open(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
  socket.on("error", () => {});
  readers.set(socket, readerOf(socket));
  closing.push(() => socket.destroy());
  return socket;
}

/** The next bytes; none if the server ends the connection before. */
const next = (socket: Socket, size: number): Promise<Buffer> =>
  readers
    .get(socket)!
    .take(size)
    .catch(() => Buffer.alloc(0));

async function requested(
  port: number,
  command: number,
  destination: Buffer,
): Promise<{ socket: Socket; reply: Buffer }> {
  const socket = open(port);
  socket.write(Buffer.from([5, 1, 0]));
  expect(await next(socket, 2)).toEqual(Buffer.from([5, 0]));
  socket.write(request(command, destination));
  return { socket, reply: await next(socket, 10) };
}

async function answerOf(socket: Socket, text: string): Promise<string> {
  socket.end(text);
  readers.get(socket)!.release();
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

test("SOCKS5 listener: it forwards to an address, from the address of its egress, and passes on each end", async () => {
  const { socket, reply } = await requested(await listening(), 1, v4("127.0.0.1", await echo()));
  expect([...reply.subarray(0, 8)]).toEqual([5, 0, 0, 1, 127, 0, 0, 1]);
  expect(await answerOf(socket, "hello")).toBe("127.0.0.1 hello");
});

test("SOCKS5 listener: IPv6 destinations leave with the IPv6 address, or are refused without one", async () => {
  const port = await echo("::1");
  const destination = Buffer.concat([Buffer.from([4]), Buffer.alloc(15), Buffer.from([1, port >> 8, port & 255])]);
  const { socket, reply } = await requested(await listening(), 1, destination);
  expect(reply[1]).toBe(0);
  await next(socket, 12);
  expect(await answerOf(socket, "hello")).toBe("::1 hello");
  const without = await requested(await listening({ sources: { v4: "127.0.0.1", v6: null } }), 1, destination);
  expect(without.reply[1]).toBe(4);
});

test("SOCKS5 listener: names are resolved by its own servers only", async () => {
  const { address, queries } = await nameServer();
  const [port, site] = [await listening({ nameservers: [address] }), await echo()];
  const { socket, reply } = await requested(port, 1, named("web.example", site));
  expect(reply[1]).toBe(0);
  expect(await answerOf(socket, "hello")).toBe("127.0.0.1 hello");
  expect((await requested(port, 1, named("unknown.example", site))).reply[1]).toBe(4);
  expect(new Set(queries)).toEqual(new Set([".web.example", ".unknown.example"]));
  // Without servers there is no name, not even one that every machine knows.
  const alone = await listening();
  for (const name of ["web.example", "localhost"])
    expect((await requested(alone, 1, named(name, site))).reply[1]).toBe(4);
});

test("SOCKS5 listener: a client with the password is served, every other one is not", async () => {
  const [port, site] = [await listening({ credentials: account }), await echo()];
  const attempt = async (sent: typeof account | undefined) => {
    const socket = open(port);
    socket.write(Buffer.from([5, 1, sent ? 2 : 0]));
    const method = await next(socket, 2);
    if (!sent) return [...method];
    socket.write(login(sent));
    const verdict = await next(socket, 2);
    socket.write(request(1, v4("127.0.0.1", site)));
    return [...verdict, ...(await next(socket, 10)).subarray(0, 2)];
  };
  expect(await attempt(account)).toEqual([1, 0, 5, 0]);
  expect(await attempt({ ...account, password: "Pa:ss w0rd " })).toEqual([1, 1]);
  expect(await attempt({ ...account, username: "Ada" })).toEqual([1, 1]);
  expect(await attempt({ username: "", password: "" })).toEqual([1, 1]);
  expect(await attempt(undefined)).toEqual([5, 255]);
});

test("SOCKS5 listener: what it cannot do has the reply of RFC 1928", async () => {
  const port = await listening();
  const none = createServer().listen(0, "127.0.0.1");
  await once(none, "listening");
  const { port: closedPort } = none.address() as AddressInfo;
  none.close();
  expect((await requested(port, 1, v4("127.0.0.1", closedPort))).reply[1]).toBe(5);
  expect((await requested(port, 2, v4("127.0.0.1", 80))).reply[1]).toBe(7);
  expect((await requested(port, 1, Buffer.from([9, 1, 2, 3, 4, 5, 6]))).reply[1]).toBe(8);
});

test("SOCKS5 listener: a request that arrives byte by byte is the same request", async () => {
  const [port, site] = [await listening({ credentials: account }), await echo()];
  const socket = open(port);
  const all = [Buffer.from([5, 2, 0, 2]), login(account), request(1, v4("127.0.0.1", site)), Buffer.from("hello")];
  for (const byte of Buffer.concat(all)) {
    socket.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  expect([...(await next(socket, 6))]).toEqual([5, 2, 1, 0, 5, 0]);
  await next(socket, 8);
  expect(await answerOf(socket, "")).toBe("127.0.0.1 hello");
});

test("SOCKS5 listener: random bytes end their own connection and no other", async () => {
  const [port, site] = [await listening({ credentials: account }), await echo()];
  const { socket, reply } = await requested(await listening(), 1, v4("127.0.0.1", site));
  expect(reply[1]).toBe(0);
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const attacker = open(port);
      attacker.end(Buffer.concat([Buffer.from([5, 1, 2, 1].slice(0, index % 5)), randomBytes(index * 7)]));
      attacker.resume();
      await once(attacker, "close");
    }),
  );
  expect(await answerOf(socket, "hello")).toBe("127.0.0.1 hello");
});

/** A client's datagram socket, and what it receives. */
async function datagrams(address?: string) {
  const socket = createSocket("udp4");
  const received: Buffer[] = [];
  socket.on("message", (message) => received.push(message));
  await bound(socket, address);
  return { socket, received };
}

test("SOCKS5 listener: datagrams are forwarded for their client, and answers of contacted hosts only", async () => {
  const port = await listening();
  const far = createSocket("udp4").on("message", (message, from) => {
    far.send(`${from.address} ${message.toString()}`, from.port, from.address);
    other.send("unrequested", from.port, from.address);
  });
  const other = createSocket("udp4");
  const [farPort] = [await bound(far), await bound(other)];
  const { socket: control, reply } = await requested(port, 3, v4("0.0.0.0", 0));
  expect([...reply.subarray(0, 8)]).toEqual([5, 0, 0, 1, 127, 0, 0, 1]);
  const relay = reply.readUInt16BE(8);
  const [client, attacker] = [await datagrams(), await datagrams("127.0.0.2")];
  const sent = (text: string) => datagramFrom({ host: "127.0.0.1", port: farPort }, Buffer.from(text));
  attacker.socket.send(sent("of another host"), relay, "127.0.0.1");
  for (const text of ["one", "two"]) {
    client.socket.send(sent(text), relay, "127.0.0.1");
    await once(client.socket, "message");
  }
  expect(client.received).toEqual([sent("127.0.0.1 one"), sent("127.0.0.1 two")]);
  expect(attacker.received).toEqual([]);
  control.destroy();
  // The relay ends with its connection: its port is free.
  const next = createSocket("udp4");
  await expect.poll(() => rebound(next, relay)).toBe(true);
});

const rebound = (socket: DatagramSocket, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const failed = () => resolve(false);
    socket.once("error", failed).bind(port, "127.0.0.1", () => {
      socket.off("error", failed).close();
      resolve(true);
    });
  });
