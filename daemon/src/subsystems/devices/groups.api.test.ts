import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const unknownId = "00000000-0000-7000-8000-000000000000";

const makeDevices = ({ client }: TestGateway, ...names: string[]) =>
  Promise.all(names.map(async (name) => (await client.devices.create({ body: { name } })).id)).then((ids) =>
    ids.toSorted(),
  );

test("device groups: a group is created, read, changed and deleted", async () => {
  await using gateway = await startGateway();
  const { deviceGroups } = gateway.client;
  const created = await gateway.request("POST", "/device-groups", { body: { name: "Kitchen" } });
  const made = created.json();
  expect(created.headers.get("location")).toBe(`/api/v1/device-groups/${made.id}`);
  expect(made).toEqual({ id: made.id, name: "Kitchen", description: "", device_ids: [] });
  expect(await deviceGroups.get({ params: { id: made.id } })).toEqual(made);
  const changed = await deviceGroups.update({ params: { id: made.id }, body: { description: "hot and wet" } });
  expect(changed).toEqual({ ...made, description: "hot and wet" });
  expect((await deviceGroups.list()).items).toEqual([changed]);
  expect(await deviceGroups.remove({ params: { id: made.id } })).toEqual({ id: made.id, deleted: true });
  expect((await deviceGroups.list()).items).toEqual([]);
});

test("device groups: membership is the same seen from the group and from the device", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const [tv, lamp, phone] = (await makeDevices(gateway, "TV", "Lamp", "Phone")) as [string, string, string];
  const groupsOf = async (id: string) => (await client.devices.get({ params: { id } })).group_ids;

  const kitchen = await client.deviceGroups.create({ body: { name: "Kitchen", device_ids: [lamp, tv] } });
  expect(kitchen.device_ids).toEqual([tv, lamp]);
  expect([await groupsOf(tv), await groupsOf(lamp), await groupsOf(phone)]).toEqual([[kitchen.id], [kitchen.id], []]);

  await client.devices.update({ params: { id: phone }, body: { group_ids: [kitchen.id] } });
  await client.devices.update({ params: { id: tv }, body: { group_ids: [] } });
  expect((await client.deviceGroups.get({ params: { id: kitchen.id } })).device_ids).toEqual([lamp, phone]);

  const hall = await client.deviceGroups.create({ body: { name: "Hall", device_ids: [phone] } });
  expect(await groupsOf(phone)).toEqual([kitchen.id, hall.id]);
  const emptied = await client.deviceGroups.update({ params: { id: kitchen.id }, body: { device_ids: [tv] } });
  expect(emptied.device_ids).toEqual([tv]);
  expect([await groupsOf(tv), await groupsOf(lamp), await groupsOf(phone)]).toEqual([[kitchen.id], [], [hall.id]]);
  const members = (await client.deviceGroups.list()).items.map(({ name, device_ids }) => [name, device_ids]);
  expect(Object.fromEntries(members)).toEqual({ Kitchen: [tv], Hall: [phone] });

  await client.devices.remove({ params: { id: tv } });
  expect((await client.deviceGroups.get({ params: { id: kitchen.id } })).device_ids).toEqual([]);
});

test("device groups: an update without members keeps them", async () => {
  await using gateway = await startGateway();
  const { deviceGroups } = gateway.client;
  const ids = await makeDevices(gateway, "TV", "Lamp");
  const made = await deviceGroups.create({ body: { name: "Kitchen", device_ids: ids } });
  const renamed = await deviceGroups.update({ params: { id: made.id }, body: { name: "Hall" } });
  expect(renamed).toEqual({ ...made, name: "Hall" });
});

test("deleting a group dissolves it: its devices stay and forget it", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const ids = await makeDevices(gateway, "TV", "Lamp");
  const kitchen = await client.deviceGroups.create({ body: { name: "Kitchen", device_ids: ids } });
  const hall = await client.deviceGroups.create({ body: { name: "Hall", device_ids: ids } });
  await client.deviceGroups.remove({ params: { id: kitchen.id } });
  const { items } = await client.devices.list();
  expect(items.map(({ group_ids }) => group_ids)).toEqual([[hall.id], [hall.id]]);
  const [entry] = (await client.audit.list()).items;
  expect(entry).toMatchObject({
    action: "delete_device_group",
    resource_type: "device_group",
    resource_id: kitchen.id,
    details: { name: "Kitchen", change: "removed", also_changed: 2 },
  });
});

test("device groups: an unknown member is refused with the field name, and nothing is created", async () => {
  await using gateway = await startGateway();
  const [tv] = await makeDevices(gateway, "TV");
  const refused = await gateway.request("POST", "/device-groups", {
    body: { name: "Kitchen", device_ids: [tv, unknownId] },
  });
  expect(refused.status).toBe(400);
  expect(refused.json().error).toMatchObject({
    code: "invalid_request",
    details: { fields: [{ field: "body.device_ids" }] },
  });
  expect((await gateway.client.deviceGroups.list()).items).toEqual([]);
  expect((await gateway.client.devices.get({ params: { id: tv! } })).group_ids).toEqual([]);
});

test("device groups: two groups cannot share a name", async () => {
  await using gateway = await startGateway();
  const { deviceGroups } = gateway.client;
  const kitchen = await deviceGroups.create({ body: { name: "Kitchen" } });
  const hall = await deviceGroups.create({ body: { name: "Hall" } });
  const refused = await gateway.request("POST", "/device-groups", { body: { name: "Kitchen" } });
  expect(refused.status).toBe(409);
  expect(refused.json().error).toMatchObject({ code: "conflict", details: { field: "name", existing_id: kitchen.id } });
  await expect(deviceGroups.update({ params: { id: hall.id }, body: { name: "Kitchen" } })).rejects.toMatchObject({
    code: "conflict",
  });
  await deviceGroups.update({ params: { id: kitchen.id }, body: { name: "Kitchen", description: "its own name" } });
  expect((await deviceGroups.list()).items.map(({ name }) => name).toSorted()).toEqual(["Hall", "Kitchen"]);
});

test("device groups: a change that changes nothing is not audited, one of members alone is, under the group's name", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const [tv] = (await makeDevices(gateway, "TV")) as [string];
  const kitchen = await client.deviceGroups.create({ body: { name: "Kitchen" } });
  const entries = async () => (await client.audit.list({ query: { action: "update_device_group" } })).items;
  await client.deviceGroups.update({ params: { id: kitchen.id }, body: {} });
  await client.deviceGroups.update({ params: { id: kitchen.id }, body: { name: "Kitchen", device_ids: [] } });
  expect(await entries()).toEqual([]);
  await client.deviceGroups.update({ params: { id: kitchen.id }, body: { device_ids: [tv] } });
  expect(await entries()).toMatchObject([
    { resource_id: kitchen.id, details: { also_changed: 1, also: [{ kind: "device", id: tv, change: "changed" }] } },
  ]);
});

test("device groups: a group that is not there is not found, by any method", async () => {
  await using gateway = await startGateway();
  for (const [method, body] of [["GET"], ["PUT", { name: "Kitchen" }], ["DELETE"]] as const) {
    const missing = await gateway.request(method, `/device-groups/${unknownId}`, body === undefined ? {} : { body });
    expect(missing.status).toBe(404);
    expect(missing.json().error).toMatchObject({ code: "not_found", details: { id: unknownId } });
  }
});

test("device groups: an unknown field is refused with the name that was probably meant", async () => {
  await using gateway = await startGateway();
  const refused = await gateway.request("POST", "/device-groups", { body: { name: "Kitchen", devices_ids: [] } });
  expect(refused.json().error.details.fields).toEqual([
    { field: "body.devices_ids", problem: "is not a known field", did_you_mean: "device_ids" },
  ]);
});
