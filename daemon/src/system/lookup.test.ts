import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { lookup, lookupBy } from "./lookup.ts";

test("a name is found as the machine finds it, and an unknown one is refused", async () => {
  expect(await lookup("localhost")).toContainEqual(expect.stringMatching(/^(?:127\.0\.0\.1|::1)$/));
  // Too long for a name, so that no resolver is bothered.
  await expect(lookup("x".repeat(64))).rejects.toThrow(/ENOTFOUND/);
});

test("many names are looked up in turn", async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => lookup("localhost")));
  expect(all.every((found) => found.length > 0)).toBe(true);
});

/** Answers every A query with 192.0.2.7, and every other without records. */
async function openResolver() {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    const isV4 = query.readUInt16BE(end - 4) === 1;
    const answer = isV4 ? Buffer.from("c00c000100010000003c0004c0000207", "hex") : Buffer.alloc(0);
    const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isV4 ? 1 : 0, 0, 0, 0, 0]);
    socket.send(Buffer.concat([header, query.subarray(12, end), answer]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { port: socket.address().port, [Symbol.dispose]: () => void socket.close() };
}

test("lookup: our own resolver is queried first, then the system's", async () => {
  using resolver = await openResolver();
  expect(await lookupBy(resolver.port)("server.example.net")).toEqual(["192.0.2.7"]);
  const silent = await openResolver();
  silent[Symbol.dispose]();
  const found = await lookupBy(silent.port)("localhost");
  expect(found.every((address) => ["127.0.0.1", "::1"].includes(address))).toBe(true);
  expect(found).not.toEqual([]);
});
