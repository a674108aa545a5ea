import { expect, test } from "vitest";
import { addressBytes, datagramFrom, datagramOf, destinationOf, replies, replyMessage } from "./message.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");
const named = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text), hex("0050")]);

test("SOCKS5 messages: destinations are IPv4, IPv6 and names", () => {
  expect(destinationOf(1, hex("c0000201 0050"))).toEqual({ host: "192.0.2.1", port: 80 });
  expect(destinationOf(4, hex("20010db8000000000000000000000001 01bb"))).toEqual({
    host: "2001:db8:0:0:0:0:0:1",
    port: 443,
  });
  expect(destinationOf(3, named("web.example"))).toEqual({ host: "web.example", port: 80 });
  expect(destinationOf(3, named("2001:db8::1"))).toEqual({ host: "2001:db8::1", port: 80 });
});

test.each(["", ".", "a..b", "a b", "web.example\0.other", "a/b", "ä.example", `${"a".repeat(64)}.example`])(
  "SOCKS5 messages: %j is no name",
  (name) => expect(destinationOf(3, named(name))).toBeUndefined(),
);

test("SOCKS5 messages: a datagram returns as it was sent, and a malformed or fragmented one is none", () => {
  const to = { host: "192.0.2.1", port: 53 };
  const message = datagramFrom(to, Buffer.from("content"));
  expect(datagramOf(message)).toEqual({ to, content: Buffer.from("content") });
  for (let length = 0; length < 10; length += 1) expect(datagramOf(message.subarray(0, length))).toBeUndefined();
  expect(datagramOf(hex("000001 01 c0000201 0035 00"))).toBeUndefined();
  expect(datagramOf(hex("000000 05 c0000201 0035 00"))).toBeUndefined();
});

test("SOCKS5 messages: a reply has the address in bytes", () => {
  expect(replyMessage(replies.refused)).toEqual(hex("050500 01 00000000 0000"));
  expect(replyMessage(replies.succeeded, { host: "2001:db8::1", port: 1 })).toEqual(
    hex("050000 04 20010db8000000000000000000000001 0001"),
  );
});

test("SOCKS5 messages: notations of one address are the same bytes", () => {
  expect(addressBytes("2001:db8:0:0::1")).toEqual(addressBytes("2001:db8::1"));
  expect(addressBytes("::ffff:192.0.2.1")).toEqual(addressBytes("::ffff:c000:201"));
  expect(addressBytes("::")).toEqual(Buffer.alloc(16));
});
