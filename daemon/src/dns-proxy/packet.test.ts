import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../testing/seed.ts";
import { deframer, failed, framed, idOf, truncated, withId } from "./packet.ts";

announceSeed("dns-proxy");

const message = fc.uint8Array({ minLength: 12, maxLength: 400 }).map((bytes) => Buffer.from(bytes));

test("DNS proxy: a stream yields the messages that were written, however it is split", () =>
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.integer({ min: 1, max: 50 }), (messages, size) => {
      const received: Buffer[] = [];
      const take = deframer(
        (it) => received.push(Buffer.from(it)),
        () => received.push(Buffer.from("invalid")),
      );
      const stream = Buffer.concat(messages.map(framed));
      for (let at = 0; at < stream.length; at += size) take(stream.subarray(at, at + size));
      expect(received.map((it) => it.toString("hex"))).toEqual(messages.map((it) => it.toString("hex")));
    }),
  ));

test("DNS proxy: a length below the header size is invalid", () => {
  const received: string[] = [];
  deframer(
    () => received.push("message"),
    () => received.push("invalid"),
  )(Buffer.from([0, 11, ...Array.from({ length: 11 }, () => 0)]));
  expect(received).toEqual(["invalid"]);
});

test("DNS proxy: negative and truncated answers repeat the query with other flags", () => {
  const query = Buffer.from([0x12, 0x34, 0x01, 0x10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 1]);
  expect(failed(query).subarray(0, 4)).toEqual(Buffer.from([0x12, 0x34, 0x81, 0x92]));
  expect(truncated(query).subarray(0, 4)).toEqual(Buffer.from([0x12, 0x34, 0x83, 0x90]));
  expect(failed(query).subarray(4)).toEqual(query.subarray(4));
  expect([idOf(withId(query, 0xbeef)), idOf(query)]).toEqual([0xbeef, 0x1234]);
});
