import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { connectPacket, firstPacket, publishPacket } from "./mqtt-packets.ts";

describe("mqtt packets", () => {
  test("a connection has the layout of MQTT 3.1.1 with its will and its login", () => {
    const bytes = connectPacket({
      clientId: "c",
      keepAliveSec: 30,
      login: { username: "u", password: "p" },
      will: { topic: "t", payload: "w" },
    });
    const fields = ["c", "t", "w", "u", "p"].flatMap((it) => [0, 1, it.charCodeAt(0)]);
    expect([...bytes]).toEqual([0x10, 25, 0, 4, 77, 81, 84, 84, 4, 0xee, 0, 30, ...fields]);
  });

  test("a message of any size is read back, whatever the pieces in which it arrives", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 40_000 }),
        fc.nat(65_534),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        (payload, id, at, isRetained) => {
          const bytes = publishPacket(id + 1, "a/b", payload, isRetained);
          const cut = Math.floor(at * (bytes.length - 1));
          expect(firstPacket(bytes.subarray(0, cut))).toBeUndefined();
          const text = Buffer.from(payload).toString();
          const message = { kind: "message", topic: "a/b", payload: text, id: id + 1, isRetained };
          expect(firstPacket(Buffer.concat([bytes, Buffer.from("rest")]))).toEqual({
            packet: message,
            size: bytes.length,
          });
        },
      ),
    );
  });

  test("bytes of another protocol and endless packets are refused, and end in no other error", () => {
    expect(() => firstPacket(Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n".padEnd(200)))).toThrow("not MQTT");
    expect(() => firstPacket(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]))).toThrow("too large");
    expect(() => firstPacket(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01]))).toThrow("not MQTT");
    expect(() => firstPacket(Buffer.from([0x20, 0]))).toThrow("not MQTT");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect([undefined, "MqttProtocolError"]).toContain(failureOf(Buffer.from(bytes)));
      }),
    );
    expect(firstPacket(Buffer.from([0x20, 2, 0, 5]))).toEqual({ packet: { kind: "connected", code: 5 }, size: 4 });
  });
});

function failureOf(bytes: Buffer): string | undefined {
  try {
    firstPacket(bytes);
    return undefined;
  } catch (error) {
    return (error as Error).name;
  }
}
