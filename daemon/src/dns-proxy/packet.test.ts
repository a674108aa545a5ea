import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../testing/seed.ts";
import { deframer, failed, framed, idOf, truncated, withId } from "./packet.ts";

announceSeed("dns-proxy");

const message = fc.uint8Array({ minLength: 12, maxLength: 400 }).map((bytes) => Buffer.from(bytes));

test("messages come out of a stream as they went in, however it is cut", () =>
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.integer({ min: 1, max: 50 }), (messages, size) => {
      const heard: Buffer[] = [];
      const take = deframer(
        (it) => heard.push(Buffer.from(it)),
        () => heard.push(Buffer.from("nonsense")),
      );
      const stream = Buffer.concat(messages.map(framed));
      for (let at = 0; at < stream.length; at += size) take(stream.subarray(at, at + size));
      expect(heard.map((it) => it.toString("hex"))).toEqual(messages.map((it) => it.toString("hex")));
    }),
  ));

test("what is too short to be a message is nonsense", () => {
  const heard: string[] = [];
  deframer(
    () => heard.push("message"),
    () => heard.push("nonsense"),
  )(Buffer.from([0, 11, ...Array.from({ length: 11 }, () => 0)]));
  expect(heard).toEqual(["nonsense"]);
});

test("an answer that says nothing is the question with a result", () => {
  const question = Buffer.from([0x12, 0x34, 0x01, 0x10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 1]);
  expect(failed(question).subarray(0, 4)).toEqual(Buffer.from([0x12, 0x34, 0x81, 0x92]));
  expect(truncated(question).subarray(0, 4)).toEqual(Buffer.from([0x12, 0x34, 0x83, 0x90]));
  expect(failed(question).subarray(4)).toEqual(question.subarray(4));
  expect([idOf(withId(question, 0xbeef)), idOf(question)]).toEqual([0xbeef, 0x1234]);
});
