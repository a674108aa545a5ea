import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const clocked = async () => {
  const clock = { now: Date.parse("2030-01-01T00:00:00Z") };
  return { clock, gateway: await startGateway({ now: () => new Date(clock.now) }) };
};
const later = (clock: { now: number }, minutes: number) => (clock.now += minutes * 60_000);

/** A group with a tablet, a TV whose class requires a tunnel, and a camera in quarantine. */
async function family({ client }: TestGateway) {
  const group = await client.deviceGroups.create({ body: { name: "Family" } });
  const strict = await client.privacyClasses.create({ body: { name: "Strict", require_tunnel: true } });
  const make = (name: string, last: number, more: object = {}) =>
    client.devices.create({ body: { name, mac: `02:00:00:00:00:0${last}`, group_ids: [group.id], ...more } });
  const tablet = await make("Tablet", 1);
  const tv = await make("TV", 2, { privacy_class: strict.id });
  const camera = await make("Camera", 3);
  await client.devices.update({ params: { id: camera.id }, body: { state: "quarantined" } });
  return { group, tablet, tv, camera };
}

test("a pause of filtering names its group, says what is left, and ends by itself with an event and an audit entry", async () => {
  const { clock, gateway: started } = await clocked();
  await using gateway = started;
  const { group } = await family(gateway);
  const about = { type: "filtering", source_type: "device_group", source_value: "Family" } as const;
  const body = { ...about, duration_min: 30, reason: "a shop does not work" };
  const made = await gateway.client.pauses.create({ body });
  const { enforced, ...pause } = made;
  expect(enforced).toBe(false); // The dataplane is off.
  expect(pause).toMatchObject({
    type: "filtering",
    source_value: group.id,
    source_name: "Family",
    domain: null,
    reason: "a shop does not work",
    expires_at: "2030-01-01T00:30:00.000Z",
    active: true,
    remaining_sec: 1800,
    unpaused: [],
  });
  expect(await gateway.client.pauses.active()).toMatchObject([{ id: made.id, active: true }]);
  later(clock, 31);
  expect(await gateway.client.pauses.active()).toEqual([]);
  // A record wakes the watcher, which otherwise looks every ten seconds.
  await gateway.client.pauses.create({ body: { type: "filtering", source_type: "everyone", duration_min: 1 } });
  const ended = await gateway.client.pauses.get({ params: { id: made.id } });
  expect(ended).toMatchObject({ active: false, remaining_sec: 0 });
  // The monotonic clock, which is not the one of this test, may have ended it a moment earlier.
  expect(ended.ended_at).toMatch(/^2030-01-01T00:(?:29:5|30:00)/);
  const { items } = await gateway.client.audit.list({ query: { resource_type: "pause" } });
  expect(items.map(({ action }) => action).toSorted()).toEqual(["create_pause", "create_pause", "end_pause"]);
  expect(items.map(({ details }) => details)).toContainEqual(
    expect.objectContaining({ source_type: "device_group", source_value: group.id, reason: "a shop does not work" }),
  );
});

test("a pause that an operator ends is over at once, and cannot be ended twice", async () => {
  await using gateway = await startGateway();
  const { id } = await gateway.client.pauses.create({
    body: { type: "block-domain", source_type: "everyone", duration_min: 5, domain: "*.Example.ORG." },
  });
  expect(await gateway.client.pauses.get({ params: { id } })).toMatchObject({ domain: "example.org", active: true });
  expect(await gateway.client.pauses.remove({ params: { id } })).toMatchObject({ deleted: true });
  expect(await gateway.client.pauses.active()).toEqual([]);
  await expect(gateway.client.pauses.remove({ params: { id } })).rejects.toMatchObject({ code: "not_found" });
});

test("a pause of protection says which devices are not paused, and why", async () => {
  await using gateway = await startGateway();
  const { tv, camera } = await family(gateway);
  const made = await gateway.client.pauses.create({
    body: { type: "protection", source_type: "device_group", source_value: "Family", duration_min: 5 },
  });
  expect(made.unpaused).toEqual([
    { device_id: tv.id, name: "TV", obstacle: "require_tunnel" },
    { device_id: camera.id, name: "Camera", obstacle: "quarantined" },
  ]);
  const { devices } = await gateway.client.policyViews.postures();
  expect(devices.find(({ device_name }) => device_name === "Tablet")).toMatchObject({ exception_id: null });
  const evaluation = await gateway.client.policyViews.evaluate({ body: { device_id: "Tablet" } });
  expect(evaluation).toMatchObject({ outcome: "direct", exception_id: null });
  expect(evaluation.reason).toMatch(/^Protection is paused until /);
  expect(await gateway.client.policyViews.evaluate({ body: { device_id: "TV" } })).not.toMatchObject({
    outcome: "direct",
  });
});

test("a device that joins a paused group is paused, and one that leaves it is not", async () => {
  await using gateway = await startGateway();
  const { group, tablet } = await family(gateway);
  await gateway.client.pauses.create({
    body: { type: "protection", source_type: "device_group", source_value: "Family", duration_min: 5 },
  });
  const guest = await gateway.client.devices.create({ body: { name: "Guest", mac: "02:00:00:00:00:09" } });
  const reasonOf = async (device_id: string) =>
    (await gateway.client.policyViews.evaluate({ body: { device_id } })).reason;
  expect(await reasonOf("Guest")).not.toMatch(/paused/);
  await gateway.client.devices.update({ params: { id: guest.id }, body: { group_ids: [group.id] } });
  await gateway.client.devices.update({ params: { id: tablet.id }, body: { group_ids: [] } });
  expect(await reasonOf("Guest")).toMatch(/paused/);
  expect(await reasonOf("Tablet")).not.toMatch(/paused/);
});

test.each([
  [{ source_type: "device" }, "body.source_value"],
  [{ source_type: "device", source_value: "unknown" }, "body.source_value"],
  [{ source_type: "everyone", source_value: "Family" }, "body.source_value"],
  [{ type: "protection", source_type: "device", source_value: "TV" }, "body.source_value"],
  [{ type: "protection", source_type: "device", source_value: "Camera" }, "body.source_value"],
  [{ domain: "example.org" }, "body.domain"],
  [{ type: "allow-domain" }, "body.domain"],
  [{ type: "allow-domain", domain: "not a domain" }, "body.domain"],
  [{ duration_min: 0 }, "body.duration_min"],
  [{ duration_min: 1441 }, "body.duration_min"],
])("a pause with %j is refused, and the field is named", async (over, field) => {
  await using gateway = await startGateway();
  await family(gateway);
  const body = { type: "filtering", source_type: "everyone", duration_min: 5, ...over };
  const answer = await gateway.request("POST", "/pauses", { body });
  expect([answer.status, answer.json().error.details.fields[0].field]).toEqual([400, field]);
  expect(await gateway.client.pauses.active()).toEqual([]);
});

test("what is paused already is not paused a second time, and a domain is not allowed and blocked at once", async () => {
  await using gateway = await startGateway();
  const pause = (body: object) => gateway.request("POST", "/pauses", { body: { duration_min: 5, ...body } });
  const everyone = { source_type: "everyone" };
  expect((await pause({ type: "filtering", ...everyone })).status).toBe(201);
  expect((await pause({ type: "filtering", ...everyone })).status).toBe(409);
  expect((await pause({ type: "protection", ...everyone })).status).toBe(201);
  expect((await pause({ type: "block-domain", domain: "a.example", ...everyone })).status).toBe(201);
  expect((await pause({ type: "allow-domain", domain: "a.example", ...everyone })).status).toBe(409);
  expect((await pause({ type: "allow-domain", domain: "b.example", ...everyone })).status).toBe(201);
});

test("a pause of DNS filtering is refused while filtering is off, because it would have no effect", async () => {
  await using gateway = await startGateway();
  await gateway.client.dnsOptions.put({ body: { filtering_enabled: false } });
  const body = { type: "filtering", source_type: "everyone", duration_min: 5 };
  expect((await gateway.request("POST", "/pauses", { body })).status).toBe(409);
  expect((await gateway.request("POST", "/pauses", { body: { ...body, type: "protection" } })).status).toBe(201);
});

test("a pause ends with its group", async () => {
  await using gateway = await startGateway();
  const { id: group } = await gateway.client.deviceGroups.create({ body: { name: "Guests" } });
  const { id } = await gateway.client.pauses.create({
    body: { type: "filtering", source_type: "device_group", source_value: group, duration_min: 5 },
  });
  await gateway.client.deviceGroups.remove({ params: { id: group } });
  expect(await gateway.client.pauses.get({ params: { id } })).toMatchObject({ active: false, source_name: "" });
});

test("while everyone is paused, the health is not ok and names the pause; for one device it stays as it is", async () => {
  await using gateway = await startGateway();
  const component = async () =>
    (await gateway.client.status.observer()).components.find(({ name }) => name === "pauses");
  expect(await component()).toMatchObject({ status: "ok", message: "Nothing is paused" });
  await family(gateway);
  await gateway.client.pauses.create({
    body: { type: "filtering", source_type: "device", source_value: "Tablet", duration_min: 5 },
  });
  expect(await component()).toMatchObject({ status: "ok", message: "Pauses of devices and groups: 1" });
  await gateway.client.pauses.create({ body: { type: "filtering", source_type: "everyone", duration_min: 5 } });
  expect(await component()).toMatchObject({ status: "degraded" });
  expect((await component())?.message).toMatch(/filtering.*portcullis pause active/);
});

test("to pause the protection of everyone requires the role admin; of a device or a group, the role that may create a bypass", async () => {
  const keys = {
    admin: "admin-admin-admin-admin",
    operator: "operator-operator",
    viewer: "viewer-viewer-viewer",
  } as const;
  const api_keys = Object.entries(keys).map(([role, key]) => ({ key, role, name: role }));
  await using gateway = await startGateway({
    config: { auth: { enabled: true, local_net: "192.0.2.0/24", api_keys } },
  });
  const as = (role: keyof typeof keys) => ({ authorization: `Bearer ${keys[role]}` });
  const pause = async (role: keyof typeof keys, body: object) =>
    (await gateway.request("POST", "/pauses", { body: { duration_min: 5, ...body }, headers: as(role) })).status;
  const device = { name: "phone", mac: "02:00:00:00:00:01" };
  await gateway.request("POST", "/devices", { body: device, headers: as("operator") });
  const everyone = { type: "protection", source_type: "everyone" };
  const phone = { type: "protection", source_type: "device", source_value: "phone" };
  expect([await pause("viewer", phone), await pause("operator", phone)]).toEqual([403, 201]);
  expect([await pause("operator", everyone), await pause("admin", everyone)]).toEqual([403, 201]);
  expect(await pause("operator", { type: "filtering", source_type: "everyone" })).toBe(201);
});
