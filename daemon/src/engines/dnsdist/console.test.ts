import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { expect, test } from "vitest";
import { consoleCommand } from "./console.ts";

const key = new TextEncoder().encode("01234567890123456789012345678901");

/** The other side, as dnsdist is: it says its nonce, opens the box with both, and answers in one of its own. */
async function consoleThat(respond: (socket: Socket, opened: () => string, seal: (text: string) => Buffer) => void) {
  const server = createServer((socket) => {
    const theirs = Buffer.alloc(24, 7);
    let received = Buffer.alloc(0);
    socket.write(theirs);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const ours = received.subarray(0, 24);
      if (received.length < 28 || received.length < 28 + received.readUInt32BE(24)) return;
      const nonce = (a: Buffer, b: Buffer) => new Uint8Array(Buffer.concat([a.subarray(0, 12), b.subarray(12)]));
      const box = new Uint8Array(received.subarray(28));
      respond(
        socket,
        () => new TextDecoder().decode(xsalsa20poly1305(key, nonce(theirs, ours)).decrypt(box)),
        (text) => {
          const sealed = xsalsa20poly1305(key, nonce(ours, theirs)).encrypt(new TextEncoder().encode(text));
          const length = Buffer.alloc(4);
          length.writeUInt32BE(sealed.length);
          return Buffer.concat([length, sealed]);
        },
      );
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() };
}

test("one thing is said, and what comes back is whole, in however many pieces", async () => {
  using there = await consoleThat((socket, opened, seal) => {
    for (const byte of seal(`you said ${opened()}`)) socket.write(Uint8Array.of(byte));
  });
  expect(await consoleCommand("return 'ü'", { port: there.port, key })).toBe("you said return 'ü'");
});

test("a box that was tampered with, silence and an end are failures", async () => {
  using tampering = await consoleThat((socket, _, seal) => {
    const box = seal("hello");
    box[10]! ^= 1;
    socket.write(box);
  });
  await expect(consoleCommand("x", { port: tampering.port, key })).rejects.toThrow("tag");
  using silent = await consoleThat(() => {});
  await expect(consoleCommand("x", { port: silent.port, key, limitMs: 50 })).rejects.toThrow("in time");
  using ending = await consoleThat((socket) => socket.destroy());
  await expect(consoleCommand("x", { port: ending.port, key })).rejects.toThrow("closed the connection");
});
