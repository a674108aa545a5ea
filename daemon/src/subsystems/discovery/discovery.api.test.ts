import { afterAll, beforeAll, expect, test } from "vitest";
import { folderWith, observedAt } from "../../../../testing/earlier-state.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const nowMs = Date.parse("2026-10-01T12:00:00Z");
const random = (number: number) => `02:00:00:00:00:0${number}`;
const printerMac = "00:1b:a9:00:00:01";

const card = (number: number, mac: string, hostname?: string) => observedAt(nowMs, number, mac, hostname);

/* A gateway that an earlier daemon left with observed devices. */
let gateway: TestGateway;
beforeAll(async () => {
  const observed = [
    card(1, printerMac, "printer"),
    card(2, random(2), "Anna-Phone"),
    card(3, random(3), "printer"),
    card(4, random(4)),
    card(5, random(5), "bad_name!"),
    card(6, random(6)),
  ];
  gateway = await startGateway({ folder: folderWith({ observed }), now: () => new Date(nowMs) });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const request = (method: string, path: string, body?: object) => gateway.request(method, path, body ? { body } : {});
const listed = async (query = "") => (await request("GET", `/devices/discovered${query}`)).json();
const macsOf = (rows: readonly { mac: string }[]) => rows.map(({ mac }) => mac);

test("discovery: a device has its source and time of each fact, the earlier ones also after a restart", async () => {
  expect((await listed())[0]).toEqual({
    mac: printerMac,
    random_mac: false,
    device_id: null,
    device_name: null,
    interface: "lan0",
    addresses: [{ address: "10.0.0.1", seen_at: "2026-10-01T11:59:00.000Z" }],
    vendor: null,
    vendor_status: "no_registry",
    suggested_name: "printer",
    facts: [{ field: "hostname", value: "printer", source: "dhcp", seen_at: "2026-10-01T11:58:00.000Z" }],
    online: false,
    first_seen: "2026-10-01T11:00:00.000Z",
    last_seen: "2026-10-01T11:59:00.000Z",
    candidates: [],
  });
  expect((await listed())[3]).toMatchObject({
    random_mac: true,
    vendor_status: "random_mac",
    suggested_name: "Device 00:04",
  });
});

test("discovery: the list has pages, and is filtered by known and online", async () => {
  const first = await request("GET", "/devices/discovered?limit=4");
  expect(macsOf(first.json())).toHaveLength(4);
  expect(first.headers.get("x-total-count")).toBe("6");
  const next = /[?&]cursor=([^&>]+)/.exec(first.headers.get("link") ?? "")?.[1];
  expect(macsOf(await listed(`?limit=4&cursor=${next}`))).toEqual([random(5), random(6)]);
  expect(await listed("?online=true")).toEqual([]);
  expect(await listed("?known=true")).toEqual([]);
  expect(await listed("?known=false")).toHaveLength(6);
});

test("discovery: while the dataplane is off, every source is off with the reason", async () => {
  const { sources } = (await request("GET", "/devices/discovery")).json();
  expect(sources).toHaveLength(6);
  for (const it of sources)
    expect(it).toMatchObject({ status: "off", coded_reason: { code: "dataplane_off" }, interfaces: [] });
});

test("discovery: an allowed device is known, with the name that was suggested or given, and is no longer unknown", async () => {
  const strict = (await request("POST", "/privacy-classes", { name: "strict" })).json().id;
  const trusted = (await request("POST", "/trust-classes", { name: "family", level: 80 })).json().id;
  const body = { privacy_class: "strict", trust_class: "family" };
  const made = await request("POST", `/devices/discovered/${printerMac.toUpperCase()}/allow`, body);
  expect(made.status).toBe(201);
  expect(made.json()).toMatchObject({ privacy_class: strict, trust_class: trusted });
  expect(made.json()).toMatchObject({
    name: "printer",
    mac: printerMac,
    hostname: "printer",
    state: "known",
    group_ids: [],
  });
  expect((await listed())[0]).toMatchObject({ device_id: made.json().id, device_name: "printer" });
  expect(macsOf(await listed("?known=false"))).not.toContain(printerMac);
  const again = await request("POST", `/devices/discovered/${printerMac}/allow`, {});
  expect([again.status, again.json().error.code]).toEqual([409, "conflict"]);
  expect((await request("POST", "/devices/discovered/02:00:00:00:00:99/allow", {})).status).toBe(404);
  const audit = (await request("GET", "/audit?action=allow_device")).json();
  expect(audit).toMatchObject([{ resource_type: "device", resource_id: made.json().id }]);
});

test("discovery: a suggested name is one that no device has", async () => {
  expect((await listed())[2]).toMatchObject({ mac: random(3), suggested_name: "printer 00:03" });
});

test("discovery: a guest is in the group guest, which is created once; a blocked device is quarantined", async () => {
  const first = (await request("POST", `/devices/discovered/${random(4)}/guest`, { name: "Visitor" })).json();
  const second = (await request("POST", `/devices/discovered/${random(5)}/guest`, {})).json();
  const groups = (await request("GET", "/device-groups")).json();
  expect(groups).toMatchObject([{ name: "guest", device_ids: [first.id, second.id] }]);
  expect(first).toMatchObject({ name: "Visitor", state: "known", group_ids: [groups[0].id] });
  // What is no host name is a name all the same.
  expect(second).toMatchObject({ name: "bad_name!", hostname: null });
  expect((await request("POST", "/devices/discovered/02:00:00:00:00:99/guest", {})).status).toBe(404);
  const blocked = (await request("POST", `/devices/discovered/${random(6)}/block`, {})).json();
  expect(blocked).toMatchObject({ state: "quarantined", mac: random(6) });
});

test("discovery: a random MAC address is offered to the device with the same host name, and linked only on request", async () => {
  const phone = (
    await request("POST", "/devices", { name: "Anna", hostname: "anna-phone", mac: "06:00:00:00:00:01" })
  ).json();
  expect((await listed())[1]).toMatchObject({
    device_id: null,
    candidates: [{ device_id: phone.id, device_name: "Anna" }],
  });
  expect((await request("POST", `/devices/discovered/${random(2)}/link`, { device_id: "Missing" })).status).toBe(400);
  const linked = await request("POST", `/devices/discovered/${random(2)}/link`, { device_id: "Anna" });
  expect(linked.json()).toMatchObject({ id: phone.id, name: "Anna", mac: random(2) });
  expect((await listed())[1]).toMatchObject({ device_id: phone.id, candidates: [] });
  const audit = (await request("GET", "/audit?action=link_device")).json();
  expect(audit).toMatchObject([{ resource_id: phone.id }]);
});
