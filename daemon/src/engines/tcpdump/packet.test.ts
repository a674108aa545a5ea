import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { linkTypes, summarize } from "./packet.parse.ts";
import { parsePcapHeader, parseRecord, pcapHeaderBytes, recordsIn } from "./pcap.parse.ts";
import { renderPcapStart } from "./pcap.render.ts";
import { renderPcapngPacket, renderPcapngStart } from "./pcapng.render.ts";

announceSeed("packets");

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ""), "hex");
const macs = "0200 0000 0002 0200 0000 0001";
const ip4 = (protocol: string) => `4500 0030 0001 0000 40${protocol} 0000 0a00 0002 cb00 7105`;
const ip6 = (next: string) =>
  `6000 0000 0020 ${next}40 fd00 0000 0000 0000 0000 0000 0000 0002 2001 0db8 0000 0000 0000 0000 0000 0005`;
const query = "1234 0100 0001 0000 0000 0000 0765 7861 6d70 6c65 0363 6f6d 0000 1c00 01";
const ethernet = (rest: string) => summarize(hex(`${macs} ${rest}`), linkTypes.ethernet);

test("a summary names protocol, addresses, ports and what the packet is about", () => {
  expect(ethernet(`0800 ${ip4("11")} c000 0035 0000 0000 ${query}`)).toEqual({
    protocol: "dns",
    source: "10.0.0.2",
    destination: "203.0.113.5",
    sourcePort: 0xc000,
    destinationPort: 53,
    info: "query AAAA example.com",
  });
  expect(ethernet(`86dd ${ip6("06")} c000 01bb 0000 0007 0000 0000 5012 1000 0000 0000`)).toMatchObject({
    protocol: "tcp",
    source: "fd00::2",
    destination: "2001:db8::5",
    destinationPort: 443,
    info: "SYN ACK, seq 7, window 4096",
  });
  expect(ethernet(`0800 ${ip4("01")} 0800`)).toMatchObject({ protocol: "icmp", info: "echo request" });
  expect(ethernet(`0806 0001 0800 0604 0001 0200 0000 0001 0a00 0002 0000 0000 0000 0a00 0001`)).toMatchObject({
    protocol: "arp",
    info: "who has 10.0.0.1",
  });
});

test("a summary reads VLAN tags, extension headers, fragments and interfaces without a link layer", () => {
  expect(ethernet(`8100 000a 0800 ${ip4("11")} c000 01bb 0000 0000`)).toMatchObject({ destinationPort: 443 });
  expect(ethernet(`86dd ${ip6("00")} 3a00 0000 0000 0000 8700`)).toMatchObject({ info: "neighbour solicitation" });
  expect(ethernet(`0800 4500 0030 0001 00b9 4011 0000 0a00 0002 cb00 7105`)).toMatchObject({ info: "fragment" });
  expect(summarize(hex(`${ip4("06")} c000`), linkTypes.rawIp)).toMatchObject({ protocol: "tcp", info: "cut off" });
  expect(summarize(hex(ip6("3b")), linkTypes.rawIp)).toMatchObject({ protocol: "ip 59" });
});

test("a summary of any bytes is one line of printable text", () => {
  const bytes = fc.uint8Array({ maxLength: 120 });
  const starts = ["", `${macs} 8100`, `${macs} 0800 ${ip4("11")} c000 0035 0000 0000`, `${macs} 86dd ${ip6("00")}`];
  fc.assert(
    fc.property(
      fc.constantFrom(...starts),
      bytes,
      fc.constantFrom(...Object.values(linkTypes)),
      (start, rest, link) => {
        const { protocol, info } = summarize(Buffer.concat([hex(start), rest]), link);
        expect(`${protocol} ${info}`).toMatch(/^[ -~]+$/);
      },
    ),
  );
});

const record = (data: Buffer, length = data.length): Buffer => {
  const header = Buffer.alloc(16);
  for (const [place, value] of [1_700_000_000, 250_000, data.length, length].entries())
    header.writeUInt32LE(value, place * 4);
  return Buffer.concat([header, data]);
};

test("records are found however the stream is cut into chunks", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.array(fc.nat(60), { minLength: 1 }), (all, cuts) => {
      const records = all.map((it) => record(Buffer.from(it)));
      const stream = Buffer.concat(records);
      const found: Buffer[] = [];
      let rest = Buffer.alloc(0);
      for (let at = 0, turn = 0; at < stream.length; turn += 1) {
        const size = 1 + cuts[turn % cuts.length]!;
        const bytes = Buffer.concat([rest, stream.subarray(at, at + size)]);
        at += size;
        const places = recordsIn(bytes);
        found.push(...places.map(({ start, end }) => bytes.subarray(start, end)));
        rest = bytes.subarray(places.at(-1)?.end ?? 0);
      }
      expect(found).toEqual(records);
      expect(rest).toHaveLength(0);
    }),
  );
});

test("a pcap header is read back, and a foreign format is refused", () => {
  const header = { linkType: 12, snapLength: 262_144 };
  expect(parsePcapHeader(renderPcapStart(header))).toEqual(header);
  expect(parsePcapHeader(Buffer.alloc(pcapHeaderBytes - 1))).toBeUndefined();
  expect(() => parsePcapHeader(Buffer.alloc(pcapHeaderBytes))).toThrow("format");
});

test("blocks of a pcapng file begin and end with their length, a multiple of four", () => {
  const lengths = [
    renderPcapngStart("lan0", "port 53", 1, 100),
    renderPcapngPacket(parseRecord(record(hex("010203"), 9))),
  ];
  const file = Buffer.concat(lengths);
  const types: number[] = [];
  for (let at = 0; at < file.length; ) {
    const length = file.readUInt32LE(at + 4);
    expect(length % 4).toBe(0);
    expect(file.readUInt32LE(at + length - 4)).toBe(length);
    types.push(file.readUInt32LE(at));
    at += length;
  }
  expect(types).toEqual([0x0a0d_0d0a, 1, 6]);
});
