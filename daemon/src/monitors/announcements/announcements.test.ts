import fc from "fast-check";
import { expect, test } from "vitest";
import { clientMessageIn } from "./dhcp.parse.ts";
import { responseIn } from "./mdns.parse.ts";
import { announcementIn } from "./ssdp.parse.ts";

const text = (words: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(words);
type Part = Uint8Array | readonly number[];
const joined = (...parts: readonly Part[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));
const u16 = (value: number): number[] => [value >> 8, value & 255];

const option = (code: number, value: Uint8Array | readonly number[]): Uint8Array => joined([code, value.length], value);
function dhcp(...options: readonly Part[]): Uint8Array {
  const head = new Uint8Array(240);
  head.set([1, 1, 6]);
  head.set([0x02, 0, 0, 0, 0, 7], 28);
  head.set([0x63, 0x82, 0x53, 0x63], 236);
  return joined(head, ...options, [255]);
}
const discover = option(53, [1]);

test("DHCP: a client's host name, requested options and vendor class are those of its MAC address", () => {
  const request = dhcp(
    discover,
    [0],
    option(12, text("kitchen-tv")),
    option(55, [1, 3, 6, 15]),
    option(60, text("udhcp 1.35")),
  );
  expect(clientMessageIn(request)).toEqual({
    mac: "02:00:00:00:00:07",
    facts: [
      { field: "hostname", value: "kitchen-tv", source: "dhcp" },
      { field: "dhcp_parameters", value: "1,3,6,15", source: "dhcp" },
      { field: "dhcp_vendor_class", value: "udhcp 1.35", source: "dhcp" },
    ],
  });
});

test("DHCP: a server's answer, another hardware, a missing cookie and an incomplete option are no client's words", () => {
  const changed = (at: number, value: number) => dhcp(discover, option(12, text("tv"))).with(at, value);
  expect(clientMessageIn(changed(0, 1))?.facts).toHaveLength(1);
  for (const [at, value] of [
    [0, 2],
    [1, 6],
    [2, 8],
    [236, 0],
    [242, 2],
  ] as const)
    expect(clientMessageIn(changed(at, value))).toBeUndefined();
  expect(clientMessageIn(dhcp(discover, joined([12, 200], text("tv"))))?.facts).toEqual([]);
});

test("messages: text of a device has no control characters and is on one line", () => {
  const named = dhcp(discover, option(12, text(" a\u001b[31mb\r\nc\u202ed ")));
  expect(clientMessageIn(named)?.facts).toMatchObject([{ value: "a [31mb c d" }]);
  expect(clientMessageIn(dhcp(discover, option(12, text("x".repeat(200)))))?.facts[0]!.value).toHaveLength(120);
});

const name = (...labels: readonly string[]) => joined(...labels.map((it) => joined([text(it).length], text(it))), [0]);
const record = (owner: Uint8Array, type: number, data: Uint8Array | readonly number[]) =>
  joined(owner, u16(type), u16(0x80_01), [0, 0, 0, 120], u16(data.length), data);
const response = (...records: readonly Uint8Array[]) =>
  joined([0, 0], [0x84, 0], u16(0), u16(records.length), u16(0), u16(0), ...records);
const a = (host: string, address: readonly number[]) => record(name(host, "local"), 1, address);
const address = [10, 0, 0, 7];

test("mDNS: a host name counts if the sender has its address", () => {
  const announced = response(a("Kitchen-TV", address));
  expect(responseIn(announced, "10.0.0.7")).toEqual([{ field: "hostname", value: "Kitchen-TV", source: "mdns" }]);
  expect(responseIn(announced, "10.0.0.8")).toEqual([]);
  expect(responseIn(announced.with(2, 0), "10.0.0.7")).toEqual([]); // A query.
});

test("mDNS: the name and the model are those of a service of this host, also with compressed names", () => {
  const service = ["Living room", "_googlecast", "_tcp", "local"];
  const host = a("tv-1", address); // Its name is at 12 in the message.
  const pointer = [0xc0, 12];
  const srv = record(name(...service), 33, joined(u16(0), u16(0), u16(8009), pointer));
  const foreign = record(
    name("Printer", "_ipp", "_tcp", "local"),
    33,
    joined(u16(0), u16(0), u16(631), name("other", "local")),
  );
  const strings = ["id=1", "md=Chromecast Ultra"].map((it) => joined([it.length], text(it)));
  const txt = record(name(...service), 16, joined(...strings));
  expect(responseIn(response(host, foreign, srv, txt), "10.0.0.7")).toEqual([
    { field: "hostname", value: "tv-1", source: "mdns" },
    { field: "name", value: "Living room", source: "mdns" },
    { field: "product", value: "Chromecast Ultra", source: "mdns" },
  ]);
});

test("mDNS: a name that refers to itself or to a later place ends the message", () => {
  const looped = joined([0, 0, 0x84, 0], u16(0), u16(1), u16(0), u16(0), [0xc0, 12], u16(1), u16(1));
  expect(responseIn(looped, "10.0.0.7")).toEqual([]);
});

test("SSDP: a device that announces itself has a product, one that leaves or searches has none", () => {
  const notify = (nts: string, first = "NOTIFY * HTTP/1.1") =>
    text(`${first}\r\nHOST: 239.255.255.250:1900\r\nNTS: ${nts}\r\nServer: Linux/4.9 UPnP/1.0 Example-TV/2.1\r\n\r\n`);
  expect(announcementIn(notify("ssdp:alive"))).toEqual([
    { field: "product", value: "Linux/4.9 UPnP/1.0 Example-TV/2.1", source: "ssdp" },
  ]);
  expect(announcementIn(notify("ssdp:byebye"))).toEqual([]);
  expect(announcementIn(notify("ssdp:alive", "M-SEARCH * HTTP/1.1"))).toEqual([]);
});

test("messages: no bytes make a parser throw", () => {
  const message = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc.tuple(fc.nat(199), fc.nat(255)).map(([at, byte]) => {
      const whole = response(
        a("tv", address),
        a("other", [10, 0, 0, 8]),
        record(name("x", "_device-info", "_tcp", "local"), 16, joined([7], text("model=a"))),
      );
      return at < whole.length ? whole.with(at, byte) : whole.slice(0, at % whole.length);
    }),
    fc.tuple(fc.nat(260), fc.nat(255)).map(([at, byte]) => {
      const whole = dhcp(discover, option(12, text("tv")), option(55, [1, 3]));
      return at < whole.length ? whole.with(at, byte) : whole.slice(0, at % whole.length);
    }),
  );
  fc.assert(
    fc.property(message, (bytes) => {
      for (const { value } of [
        ...responseIn(bytes, "10.0.0.7"),
        ...announcementIn(bytes),
        ...(clientMessageIn(bytes)?.facts ?? []),
      ])
        expect(value.length).toBeGreaterThan(0);
    }),
  );
});
