import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { announceSeed } from "../../../../testing/seed.ts";
import { addressBytes, reverseName, reverseZoneNames } from "./address.model.ts";
import { labelOf, reverseZones, withDevices } from "./devices.model.ts";
import { zoneChanges } from "./nsd.diff.ts";
import type { RecordType, Zone, ZoneRecord } from "./nsd.model.ts";
import { parseZones } from "./nsd.parse.ts";
import { renderNsd } from "./nsd.render.ts";
import { checkZone } from "./zone.check.model.ts";
import { marked, markOf, markQuery } from "./zone.mark.model.ts";
import { renderZone } from "./zone.render.ts";

announceSeed("zones");

const golden = (name: string): string => join(import.meta.dirname, "goldens", name);
const record = (name: string, type: RecordType, value: string, ttlSec: number | null = null): ZoneRecord => ({
  name,
  type,
  value,
  ttlSec,
});
const zoneOf = (...records: readonly ZoneRecord[]): Zone => ({ name: "home.lan", serial: 7, ttlSec: 300, records });
const reasons = (...records: readonly ZoneRecord[]) => checkZone(zoneOf(...records)).map(({ reason }) => reason);

const all = zoneOf(
  record("@", "MX", "10 mail"),
  record("mail", "A", "192.168.1.5"),
  record("mail", "AAAA", "FD00::5", 60),
  record("nas", "A", "192.168.1.6", 900),
  record("nas", "A", "192.168.1.7", 60),
  record("WWW", "CNAME", "nas"),
  record("elsewhere", "CNAME", "www.example.com."),
  record("*.apps", "A", "192.168.1.8"),
  record("_sip._tcp", "SRV", "0 5 5060 nas"),
  record("_none._tcp", "SRV", "0 0 0 ."),
  record("@", "TXT", 'v=spf1 "quoted" \\ -all; $INCLUDE /etc/passwd\nevil IN A 192.0.2.66'),
  record("two", "TXT", '"one" "t\\"wo\\200\\300"'),
  record("@", "CAA", '0 issue "ca.example"'),
  record("lab", "NS", "ns.lab"),
  record("ns.lab", "A", "192.168.1.9"),
  record("5", "PTR", "mail"),
);

test("a zone with a record of each kind", async () => {
  expect(checkZone(all)).toEqual([]);
  await expect(renderZone(all)).toMatchFileSnapshot(golden("home.lan.zone"));
});

test("settings of NSD", () => expect(renderNsd({ port: 17_990 })).toMatchFileSnapshot(golden("nsd.conf")));

test("a zone with name servers of its own names them", () => {
  const text = renderZone(zoneOf(record("@", "NS", "ns1"), record("ns1", "A", "192.168.1.2")));
  expect(text).toContain("SOA\tns1.home.lan. hostmaster.home.lan. 7 ");
  expect(text).not.toContain("localhost");
});

test.each([
  [record("a", "A", "fd00::1"), "IPv4"],
  [record("a", "A", "192.168.1.256"), "IPv4"],
  [record("a", "A", "192.168.01.5"), "IPv4"],
  [record("a", "AAAA", "192.168.1.5"), "IPv6"],
  [record("a", "AAAA", "fe80::1%eth0"), "IPv6"],
  [record("a", "AAAA", "1:2:3:4:5:6:7:8:9"), "IPv6"],
  [record("a", "MX", "mail"), "preference"],
  [record("a", "MX", "65536 mail"), "preference"],
  [record("a", "SRV", "1 2 mail"), "priority, weight, port"],
  [record("a", "CAA", "256 issue x"), "flags"],
  [record("a", "CAA", "0 is-sue x"), "flags"],
  [record("a", "TXT", '"open'), "quotes"],
  [record("a", "TXT", "x".repeat(65_536)), "too long"],
  [record("a", "CNAME", "b c"), "signs"],
  [record("a", "PTR", "a..b"), "empty part"],
  [record("@", "CNAME", "b"), "cannot be an alias"],
  [record("a.", "A", "192.168.1.1"), "leave out the dot"],
  [record("a.*.b", "A", "192.168.1.1"), "signs"],
  [record("-a", "A", "192.168.1.1"), "signs"],
  [record("x".repeat(64), "A", "192.168.1.1"), "longer than 63"],
  [record("x.".repeat(130) + "x", "A", "192.168.1.1"), "253"],
  [record("a", "A", "192.168.1.1", -1), "TTL"],
  [record("sub", "NS", "ns.sub"), "no address"],
])("%j is refused, and said why", (wrong, reason) => {
  expect(reasons(wrong)).toEqual([expect.stringContaining(reason)]);
  expect(renderZone(zoneOf(wrong, record("ok", "A", "192.168.1.1"))).split("\n")).toHaveLength(4);
});

test("what stands beside each other must get on", () => {
  const alias = record("a", "CNAME", "b");
  expect(reasons(alias, record("A", "TXT", "x"))).toEqual([expect.stringContaining("stands alone")]);
  expect(reasons(alias, record("a", "CNAME", "c"))).toHaveLength(2);
  expect(reasons(alias, record("@", "MX", "10 a"))).toEqual([expect.stringContaining("is an alias")]);
  expect(reasons(alias, record("sub", "NS", "a"))).toHaveLength(2);
  expect(reasons(alias, record("sub", "NS", "ns.example."))).toEqual([]);
});

test("a zone that is none is said to be", () => {
  for (const name of ["", "a b", "x..y", "."]) expect(checkZone({ ...all, name })[0]).toMatchObject({ record: null });
  expect(checkZone({ ...all, serial: 2 ** 32 })[0]).toMatchObject({ record: null });
});

test("no value can say anything but itself", () => {
  const types = fc.constantFrom<RecordType>("A", "AAAA", "CNAME", "MX", "TXT", "SRV", "NS", "PTR", "CAA");
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.stringMatching(/^["\\();@$ \t\n.0-9a-z]{0,40}$/),
  );
  const given = fc.record({
    name: fc.oneof(text, fc.constant("a")),
    type: types,
    value: text,
    ttlSec: fc.constant(null),
  });
  fc.assert(
    fc.property(fc.array(given, { maxLength: 5 }), (records) => {
      const lines = renderZone(zoneOf(...records))
        .trimEnd()
        .split("\n");
      expect(lines.length).toBeLessThanOrEqual(records.length + 2);
      for (const line of lines)
        expect(line).toMatch(
          /^(?:\*\.)?[a-z0-9_.-]*home\.lan\.\t\d+\tIN\t[A-Z]+\t(?:[a-zA-Z0-9_.: -]*|(?:\d+ [a-z0-9]+ )?(?:"(?:[ !#-[\]-~]|\\\d{3})*" ?)+)$/,
        );
    }),
    { numRuns: 200 },
  );
});

test("text comes back as it was, however long", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 600 }), (text) => {
      fc.pre(text === text.trim() && !text.startsWith('"'));
      const [, data = ""] = /\tTXT\t(.*)$/m.exec(renderZone(zoneOf(record("t", "TXT", text)))) ?? [];
      const pieces = [...data.matchAll(/"([^"]*)"/g)].map(
        ([, piece]) =>
          piece!
            .match(/\\\d{3}|[^\\]/g)
            ?.map((sign) => (sign.length > 1 ? Number(sign.slice(1)) : sign.charCodeAt(0))) ?? [],
      );
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(255);
      expect(new TextDecoder().decode(Uint8Array.from(pieces.flat()))).toBe(text);
    }),
  );
});

test("reverse names: an address becomes the name of its PTR record", () => {
  expect(addressBytes("::ffff:192.0.2.1")).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1]);
  expect(addressBytes("1::2:192.0.2.1")?.slice(10)).toEqual([0, 2, 192, 0, 2, 1]);
  for (const strange of ["", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8::", "::1.2.3", "g::"])
    expect(addressBytes(strange)).toBeUndefined();
  expect(reverseName(addressBytes("192.0.2.1")!)).toBe("1.2.0.192.in-addr.arpa");
  expect(reverseName(addressBytes("2001:db8::1")!)).toMatch(/^1\.0\.0\..*\.8\.b\.d\.0\.1\.0\.0\.2\.ip6\.arpa$/);
});

test.each([
  ["192.168.1.0/24", ["1.168.192.in-addr.arpa"]],
  ["192.168.1.128/25", ["1.168.192.in-addr.arpa"]],
  ["192.168.4.0/22", ["4", "5", "6", "7"].map((it) => `${it}.168.192.in-addr.arpa`)],
  ["10.0.0.0/8", ["10.in-addr.arpa"]],
  ["10.1.0.0/16", ["1.10.in-addr.arpa"]],
  ["fd00:1::/32", ["1.0.0.0.0.0.d.f.ip6.arpa"]],
  ["fd00::/7", ["c.f.ip6.arpa", "d.f.ip6.arpa"]],
  ["nonsense/8", []],
  ["10.0.0.0/33", []],
])("the network %s has these reverse zones", (network, zones) => expect(reverseZoneNames(network)).toEqual(zones));

const devices = [
  { name: "Anna's Phone", addresses: ["192.168.1.20", "fd00::20", "fe80::1"] },
  { name: "annas phone", addresses: ["192.168.1.21"] },
  { name: "Anna s phone", addresses: ["192.168.1.22"] },
  { name: "NAS", addresses: ["192.168.1.30"] },
  { name: "☃", addresses: ["192.168.1.31"] },
  { name: "Küche", addresses: ["10.9.9.9"] },
];

test("zones: each device has a unique name, unless the operator uses it", () => {
  const filled = withDevices(zoneOf(record("nas", "A", "192.168.1.6")), devices);
  expect(filled.records.map(({ name, type, value }) => `${name} ${type} ${value}`)).toEqual([
    "nas A 192.168.1.6",
    "anna-s-phone A 192.168.1.20",
    "anna-s-phone AAAA fd00::20",
    "annas-phone A 192.168.1.21",
    "anna-s-phone-2 A 192.168.1.22",
    "kuche A 10.9.9.9",
  ]);
  expect(checkZone(filled)).toEqual([]);
});

test("zones: addresses of the LAN resolve to names of devices", () => {
  const zones = reverseZones({ zone: all, devices, networks: ["192.168.1.0/24", "fd00::/64"] });
  expect(zones.map(({ name }) => name)).toEqual(["0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa", "1.168.192.in-addr.arpa"]);
  expect(zones[1]!.records[0]).toEqual({ name: "20", type: "PTR", value: "anna-s-phone.home.lan.", ttlSec: null });
  expect(zones.flatMap(checkZone)).toEqual([]);
  expect(JSON.stringify(zones)).not.toContain("kuche");
});

test("whatever a device is called, its name is one or none", () =>
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 90 }), (name) => {
      expect(labelOf(name)).toMatch(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)?$/);
    }),
  ));

test("zones: a zone is loaded when it is new, changed, or was not loaded since", () => {
  const digest = (text: string) => `#${text}`;
  const settled = (text: string) => ({ text, loadedDigest: digest(text) });
  const files = new Map([
    ["same", settled("1")],
    ["other", settled("1")],
    ["unread", { text: "1", loadedDigest: "" }],
    ["gone", settled("1")],
    ["lost", settled("1")],
  ]);
  const wanted = ["same", "unread", "lost"].map((name) => ({ name, text: "1" }));
  const changes = zoneChanges(
    [...wanted, { name: "other", text: "2" }, { name: "new", text: "1" }],
    { served: ["same", "other", "unread", "gone", "strange"], files },
    digest,
  );
  expect(changes.map((it) => `${it.kind} ${it.kind === "remove" ? it.name : it.zone.name}`)).toEqual([
    "remove gone",
    "remove strange",
    "reload unread",
    "add lost",
    "reload other",
    "add new",
  ]);
});

test("NSD's list of zones is read", () => {
  expect(parseZones("zone:\tb.lan\n\tpattern: local\n\tstate: master\nzone:\ta.lan\n")).toEqual(["b.lan", "a.lan"]);
  expect(parseZones("")).toEqual([]);
  expect(parseZones("error something")).toBeUndefined();
});

test("zones: a query shows which text of a zone is served", () => {
  const { name, text } = marked({ name: "home.lan", text: "" }, "0123456789abcdef".repeat(4));
  expect(text).toBe(`_served.home.lan. 0 IN TXT "${"0123456789abcdef".repeat(2)}"\n`);
  expect(markOf(text)).toBe("0123456789abcdef".repeat(2));
  expect(Buffer.from(markQuery(name)).toString("latin1")).toContain("\x07_served\x04home\x03lan\0\0\x10\0\x01");
});
