import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

const unknownId = "00000000-0000-7000-8000-000000000000";

test("devices: a device is created, read, changed and deleted", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const made = await client.devices.create({ body: { name: "TV" } });
  expect(await client.devices.get({ params: { id: made.id } })).toEqual(made);
  const changed = await client.devices.update({ params: { id: made.id }, body: { notes: "in the kitchen" } });
  expect(changed).toEqual({ ...made, notes: "in the kitchen" });
  expect(await client.devices.get({ params: { id: made.id } })).toEqual(changed);
  expect(await client.devices.remove({ params: { id: made.id } })).toEqual({ id: made.id, deleted: true });
  expect((await client.devices.list()).items).toEqual([]);
  expect((await client.audit.list()).items.map(({ action }) => action)).toEqual([
    "delete_device",
    "update_device",
    "create_device",
  ]);
});

test("devices: what a create does not say has its plainest value", async () => {
  await using gateway = await startGateway({ now: () => new Date("2030-01-01T00:00:00Z") });
  const { id, ...made } = await gateway.client.devices.create({ body: { name: "TV" } });
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(made).toEqual({
    name: "TV",
    mac: null,
    hostname: null,
    ips: [],
    vendor: null,
    state: "known",
    notes: "",
    force_dns: null,
    block_doh: null,
    block_ipv6: null,
    block_webrtc: null,
    trust_class: null,
    privacy_class: null,
    profile_id: null,
    group_ids: [],
    first_seen: "2030-01-01T00:00:00.000Z",
    last_seen: null,
  });
});

test("devices: a create answers 201 and where the device is", async () => {
  await using gateway = await startGateway();
  const made = await gateway.request("POST", "/devices", { body: { name: "TV" } });
  expect(made.status).toBe(201);
  expect(made.headers.get("location")).toBe(`/api/v1/devices/${made.json().id}`);
  const there = await gateway.request("GET", `/${made.headers.get("location")}`);
  expect(there.json()).toEqual(made.json());
});

test("devices: an update keeps every field it does not give, and null empties one", async () => {
  await using gateway = await startGateway();
  const { devices } = gateway.client;
  const body = {
    name: "TV",
    mac: "02:00:00:00:00:01",
    hostname: "tv.lan",
    ips: ["192.168.1.20", "fd00::20"],
    vendor: "Acme",
    state: "new" as const,
    notes: "in the kitchen",
  };
  const made = await devices.create({ body });
  const params = { id: made.id };
  expect(await devices.update({ params, body: {} })).toEqual(made);
  expect(await devices.update({ params, body: { vendor: null } })).toEqual({ ...made, vendor: null });
  expect(await devices.update({ params, body: { ips: [], state: "quarantined" } })).toEqual({
    ...made,
    vendor: null,
    ips: [],
    state: "quarantined",
  });
});

test("devices: a MAC address has one spelling and one device", async () => {
  await using gateway = await startGateway();
  const { devices } = gateway.client;
  const tv = await devices.create({ body: { name: "TV", mac: "02-AB-CD-EF-00-01" } });
  expect(tv.mac).toBe("02:ab:cd:ef:00:01");

  const again = { name: "Impostor", mac: "02:AB:cd:ef:00:01" };
  const refused = await gateway.request("POST", "/devices", { body: again });
  expect(refused.status).toBe(409);
  expect(refused.json().error).toMatchObject({ code: "conflict", details: { field: "mac", existing_id: tv.id } });

  const lamp = await devices.create({ body: { name: "Lamp", mac: "02:ab:cd:ef:00:02" } });
  await expect(devices.update({ params: { id: lamp.id }, body: { mac: "02-ab-cd-ef-00-01" } })).rejects.toMatchObject({
    code: "conflict",
  });
  expect((await devices.get({ params: { id: lamp.id } })).mac).toBe("02:ab:cd:ef:00:02");

  // Its own address is no conflict, and neither are two devices without one.
  await devices.update({ params: { id: tv.id }, body: { mac: "02:AB:CD:EF:00:01", notes: "same" } });
  await devices.create({ body: { name: "A", mac: null } });
  await devices.create({ body: { name: "B", mac: null } });
  expect((await devices.list()).total).toBe(4);
});

test("devices: names of classes, groups and profiles become ids, and null takes them off", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const guest = await client.trustClasses.create({ body: { name: "Guest" } });
  const strict = await client.privacyClasses.create({ body: { name: "Strict" } });
  const kitchen = await client.deviceGroups.create({ body: { name: "Kitchen" } });
  const made = await client.devices.create({
    body: { name: "TV", trust_class: "Guest", privacy_class: strict.id, group_ids: ["Kitchen"] },
  });
  expect(made).toMatchObject({ trust_class: guest.id, privacy_class: strict.id, group_ids: [kitchen.id] });
  const twice = await client.devices.update({ params: { id: made.id }, body: { group_ids: ["Kitchen", kitchen.id] } });
  expect(twice.group_ids).toEqual([kitchen.id]);
  const bare = await client.devices.update({
    params: { id: made.id },
    body: { trust_class: null, privacy_class: null, group_ids: [] },
  });
  expect(bare).toMatchObject({ trust_class: null, privacy_class: null, group_ids: [] });
});

test("devices: a reference to an unknown resource is refused with the field name, and nothing is created", async () => {
  await using gateway = await startGateway();
  for (const field of ["trust_class", "privacy_class", "group_ids"])
    for (const unknown of ["Absent", unknownId]) {
      const body = { name: "TV", [field]: field === "group_ids" ? [unknown] : unknown };
      const refused = await gateway.request("POST", "/devices", { body });
      expect(refused.status).toBe(400);
      expect(refused.json().error).toMatchObject({
        code: "invalid_request",
        details: { fields: [{ field: `body.${field}` }] },
      });
    }
  expect((await gateway.client.devices.list()).items).toEqual([]);
  expect((await gateway.client.audit.list()).items).toEqual([]);
});

test("devices: an unknown field is refused with the name that was probably meant", async () => {
  await using gateway = await startGateway();
  const made = await gateway.client.devices.create({ body: { name: "TV" } });
  for (const [method, path] of [
    ["POST", "/devices"],
    ["PUT", `/devices/${made.id}`],
  ] as const) {
    const refused = await gateway.request(method, path, { body: { name: "TV", hostnmae: "tv" } });
    expect(refused.status).toBe(400);
    expect(refused.json().error.details.fields).toEqual([
      { field: "body.hostnmae", problem: "is not a known field", did_you_mean: "hostname" },
    ]);
  }
  expect((await gateway.client.devices.list()).items).toEqual([made]);
});

test("devices: what no device can be is refused, and nothing is made", async () => {
  await using gateway = await startGateway();
  const mistakes = {
    "no name": {},
    "an empty name": { name: "" },
    "a name of spaces": { name: "   " },
    "a name with a line break": { name: "a\nb" },
    "a number for a name": { name: 5 },
    "half a MAC address": { name: "TV", mac: "02:00:00" },
    "an address that is none": { name: "TV", ips: ["300.1.1.1"] },
    "the same address twice": { name: "TV", ips: ["10.0.0.1", "10.0.0.1"] },
    "an unknown state": { name: "TV", state: "asleep" },
    "an id of its own choosing": { name: "TV", id: unknownId },
    "a time it was first seen": { name: "TV", first_seen: "2030-01-01T00:00:00Z" },
    "a list": [],
    nothing: undefined,
  };
  const answers = Object.entries(mistakes).map(async ([mistake, body]) => {
    const refused = await gateway.request("POST", "/devices", body === undefined ? {} : { body });
    return `${mistake}: ${refused.status} ${refused.json().error.code}`;
  });
  expect(await Promise.all(answers)).toEqual(Object.keys(mistakes).map((it) => `${it}: 400 invalid_request`));
  expect((await gateway.client.devices.list()).items).toEqual([]);
});

test("devices: a device that is not there is not found, by any method", async () => {
  await using gateway = await startGateway();
  for (const [method, body] of [["GET"], ["PUT", { name: "TV" }], ["DELETE"]] as const) {
    const missing = await gateway.request(method, `/devices/${unknownId}`, body === undefined ? {} : { body });
    expect(missing.status).toBe(404);
    expect(missing.json().error).toMatchObject({ code: "not_found", details: { id: unknownId } });
    const misspelt = await gateway.request(method, "/devices/5", body === undefined ? {} : { body });
    expect(misspelt.status).toBe(404);
  }
});

test("devices: each filter finds its devices and counts them", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const { id: guest } = await client.trustClasses.create({ body: { name: "Guest" } });
  const { id: strict } = await client.privacyClasses.create({ body: { name: "Strict" } });
  const { id: kitchen } = await client.deviceGroups.create({ body: { name: "Kitchen" } });
  for (const body of [
    { name: "Kitchen TV", mac: "02:00:00:00:00:01", group_ids: [kitchen] },
    { name: "Phone", trust_class: guest, state: "new" as const },
    { name: "Old phone", trust_class: guest, privacy_class: strict, group_ids: [kitchen] },
  ])
    await client.devices.create({ body });
  const names = async (query: object) => {
    const { items, total } = await client.devices.list({ query });
    expect(total).toBe(items.length);
    return items.map(({ name }) => name).toSorted();
  };
  expect(await names({})).toEqual(["Kitchen TV", "Old phone", "Phone"]);
  expect(await names({ name: "phone" })).toEqual(["Old phone", "Phone"]);
  expect(await names({ mac: "02-00-00-00-00-01" })).toEqual(["Kitchen TV"]);
  expect(await names({ state: "new" })).toEqual(["Phone"]);
  expect(await names({ trust_class: guest })).toEqual(["Old phone", "Phone"]);
  expect(await names({ privacy_class: strict })).toEqual(["Old phone"]);
  expect(await names({ group_id: kitchen })).toEqual(["Kitchen TV", "Old phone"]);
  expect(await names({ group_id: kitchen, name: "phone" })).toEqual(["Old phone"]);
  expect(await names({ trust_class: unknownId })).toEqual([]);
});

test("devices: a change that changes nothing is not audited and makes no snapshot", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const made = await client.devices.create({ body: { name: "TV", mac: "02:00:00:00:00:01" } });
  const before = [(await client.audit.list()).items, (await client.snapshots.list()).items];
  await client.devices.update({ params: { id: made.id }, body: { name: "TV", mac: "02-00-00-00-00-01" } });
  expect([(await client.audit.list()).items, (await client.snapshots.list()).items]).toEqual(before);
});

test("devices: addresses of a device get one spelling, and the MAC of a group is refused", async () => {
  await using gateway = await startGateway();
  const { devices } = gateway.client;
  const body = { name: "Tablet", mac: "0200.0000.000A", ips: ["FD00:0::2", "fd00::2", "::ffff:10.0.0.7"] };
  const made = await devices.create({ body });
  expect(made).toMatchObject({ mac: "02:00:00:00:00:0a", ips: ["fd00::2", "10.0.0.7"] });
  expect((await devices.list({ query: { mac: "02000000000a" } })).items).toEqual([made]);
  for (const mac of ["01:00:5e:00:00:fb", "3333.0000.0001", "ff-ff-ff-ff-ff-ff"]) {
    const reply = await gateway.request("POST", "/devices", { body: { name: "Group", mac } });
    expect([mac, reply.status]).toEqual([mac, 400]);
  }
});
