import { expect, test } from "vitest";
import { startGateway } from "../../testing/gateway.ts";

test("a device is created, read, changed and deleted", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const made = await client.devices.create({ body: { name: "TV" } });
  expect(await client.devices.get({ params: { id: made.id } })).toEqual(made);
  const changed = await client.devices.update({ params: { id: made.id }, body: { notes: "in the kitchen" } });
  expect(changed).toEqual({ ...made, notes: "in the kitchen" });
  expect(await client.devices.remove({ params: { id: made.id } })).toEqual({ id: made.id, deleted: true });
  expect((await client.devices.list()).items).toEqual([]);
  expect((await client.audit.list()).items.map(({ action }) => action)).toEqual(["delete_device", "update_device", "create_device"]);
});
