import { describe, expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

const unknownId = "00000000-0000-7000-8000-000000000000";

/** Both classes live the same life; what differs is here. */
const classes = [
  {
    subsystem: "trustClasses",
    path: "/trust-classes",
    noun: "trust_class",
    blank: { description: "", level: 50, default_privacy_class: null, default_profile: null },
    change: { level: 90 },
    mistakes: [{ level: 101 }, { level: -1 }, { level: 1.5 }, { level: "50" }],
    misspelt: ["levle", "level"],
  },
  {
    subsystem: "privacyClasses",
    path: "/privacy-classes",
    noun: "privacy_class",
    // What is not said is said in favour of the device.
    blank: {
      description: "",
      dns_mode: "system",
      force_dns: true,
      block_doh: true,
      block_ipv6: false,
      block_webrtc: true,
      require_tunnel: false,
      default_fail_policy: "fail-closed",
      log_level: "counts",
    },
    change: { require_tunnel: true, log_level: "none" },
    mistakes: [{ dns_mode: "mine" }, { force_dns: "yes" }, { default_fail_policy: "fail" }, { log_level: null }],
    misspelt: ["block_dho", "block_doh"],
  },
] as const;

describe.each(classes)("classes: $path", ({ subsystem, path, noun, blank, change, mistakes, misspelt }) => {
  test("one is created, read, changed and deleted", async () => {
    await using gateway = await startGateway();
    const calls = gateway.client[subsystem];
    const created = await gateway.request("POST", path, { body: { name: "Guest" } });
    const made = created.json();
    expect(created.status).toBe(201);
    expect(created.headers.get("location")).toBe(`/api/v1${path}/${made.id}`);
    expect(made).toEqual({ id: made.id, name: "Guest", ...blank });

    const params = { id: made.id as string };
    expect(await calls.get({ params })).toEqual(made);
    expect(await calls.update({ params, body: change })).toEqual({ ...made, ...change });
    expect(await calls.update({ params, body: { name: "Visitor" } })).toEqual({ ...made, ...change, name: "Visitor" });
    expect((await calls.list()).items).toEqual([{ ...made, ...change, name: "Visitor" }]);
    expect(await calls.remove({ params })).toEqual({ id: made.id, deleted: true });
    expect((await calls.list()).items).toEqual([]);
    expect((await gateway.client.audit.list()).items.map(({ action }) => action)).toEqual([
      `delete_${noun}`,
      `update_${noun}`,
      `update_${noun}`,
      `create_${noun}`,
    ]);
  });

  test("two cannot share a name", async () => {
    await using gateway = await startGateway();
    const calls = gateway.client[subsystem];
    const guest = await calls.create({ body: { name: "Guest" } });
    const staff = await calls.create({ body: { name: "Staff" } });
    const refused = await gateway.request("POST", path, { body: { name: "Guest" } });
    expect(refused.status).toBe(409);
    expect(refused.json().error).toMatchObject({ code: "conflict", details: { field: "name", existing_id: guest.id } });
    await expect(calls.update({ params: { id: staff.id }, body: { name: "Guest" } })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(await calls.update({ params: { id: guest.id }, body: { name: "Guest" } })).toEqual(guest);
    const names = (await calls.list()).items.map(({ name }: { name: string }) => name);
    expect(names.toSorted()).toEqual(["Guest", "Staff"]);
  });

  test("one that a device names cannot be deleted until the device lets go", async () => {
    await using gateway = await startGateway();
    const { client } = gateway;
    const guest = await client[subsystem].create({ body: { name: "Guest" } });
    const tv = await client.devices.create({ body: { name: "TV", [noun]: "Guest" } });
    await client.devices.create({ body: { name: "Lamp", [noun]: guest.id } });
    const refused = await gateway.request("DELETE", `${path}/${guest.id}`);
    expect(refused.status).toBe(409);
    expect(refused.json().error).toMatchObject({ code: "in_use", details: { referenced_by: { devices: 2 } } });
    expect(await client[subsystem].get({ params: { id: guest.id } })).toEqual(guest);

    for (const { id } of (await client.devices.list()).items)
      await client.devices.update({ params: { id }, body: { [noun]: null } });
    expect((await client.devices.get({ params: { id: tv.id } }))[noun]).toBeNull();
    await client[subsystem].remove({ params: { id: guest.id } });
    expect((await client[subsystem].list()).items).toEqual([]);
  });

  test("invalid values are refused, with a suggestion for a similar word", async () => {
    await using gateway = await startGateway();
    for (const mistake of [...mistakes, { name: "" }, { name: null }]) {
      const refused = await gateway.request("POST", path, { body: { name: "Guest", ...mistake } });
      expect(refused.status).toBe(400);
      expect(refused.json().error.details.fields[0].field).toBe(`body.${Object.keys(mistake)[0]}`);
    }
    const [written, meant] = misspelt;
    const refused = await gateway.request("POST", path, { body: { name: "Guest", [written]: true } });
    expect(refused.json().error.details.fields).toEqual([
      { field: `body.${written}`, problem: "is not a known field", did_you_mean: meant },
    ]);
    expect((await gateway.client[subsystem].list()).items).toEqual([]);
  });

  test("one that is not there is not found, by any method", async () => {
    await using gateway = await startGateway();
    for (const [method, body] of [["GET"], ["PUT", { name: "Guest" }], ["DELETE"]] as const) {
      const missing = await gateway.request(method, `${path}/${unknownId}`, body === undefined ? {} : { body });
      expect(missing.status).toBe(404);
      expect(missing.json().error).toMatchObject({ code: "not_found", details: { id: unknownId } });
    }
  });
});

test("classes: a trust class names its privacy class by id or name, and holds on to it", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const strict = await client.privacyClasses.create({ body: { name: "Strict" } });
  const guest = await client.trustClasses.create({ body: { name: "Guest", default_privacy_class: "Strict" } });
  expect(guest.default_privacy_class).toBe(strict.id);
  const refused = await gateway.request("DELETE", `/privacy-classes/${strict.id}`);
  expect(refused.json().error).toMatchObject({ code: "in_use", details: { referenced_by: { trust_classes: 1 } } });
  await client.trustClasses.update({ params: { id: guest.id }, body: { default_privacy_class: null } });
  await client.privacyClasses.remove({ params: { id: strict.id } });
});

test.each(["default_privacy_class"])("classes: an unknown %s is refused with the field name", async (field) => {
  await using gateway = await startGateway();
  const refused = await gateway.request("POST", "/trust-classes", { body: { name: "Guest", [field]: "Absent" } });
  expect(refused.status).toBe(400);
  expect(refused.json().error.details).toMatchObject({ fields: [{ field: `body.${field}` }] });
  expect((await gateway.client.trustClasses.list()).items).toEqual([]);
});

describe("classes: the collection path itself", () => {
  test.each([
    ["in the query", (id: string) => ({ path: `/privacy-classes?id=${id}`, more: {} })],
    ["in the body", (id: string) => ({ path: "/privacy-classes", more: { id } })],
  ])("changes and deletes a privacy class with its id %s", async (_, at) => {
    await using gateway = await startGateway();
    const { privacyClasses } = gateway.client;
    const strict = await privacyClasses.create({ body: { name: "Strict" } });
    const other = await privacyClasses.create({ body: { name: "Other" } });
    const { path, more } = at(strict.id);
    const changed = await gateway.request("PUT", path, { body: { ...more, block_ipv6: true } });
    expect(changed.status).toBe(200);
    expect(changed.json()).toEqual({ ...strict, block_ipv6: true });
    expect(await privacyClasses.get({ params: { id: strict.id } })).toEqual({ ...strict, block_ipv6: true });

    const body = Object.keys(more).length > 0 ? { body: more } : {};
    const deleted = await gateway.request("DELETE", path, body);
    expect(deleted.json()).toEqual({ id: strict.id, deleted: true });
    expect((await privacyClasses.list()).items).toEqual([other]);
    expect((await gateway.client.audit.list({ query: { resource_id: strict.id } })).items).toMatchObject([
      { action: "delete_privacy_class" },
      { action: "update_privacy_class" },
      { action: "create_privacy_class" },
    ]);
  });

  test("without an id says which field is missing, and an unknown one is not found", async () => {
    await using gateway = await startGateway();
    const strict = await gateway.client.privacyClasses.create({ body: { name: "Strict" } });
    for (const method of ["PUT", "DELETE"]) {
      const body = method === "PUT" ? { body: { block_ipv6: true } } : {};
      const without = await gateway.request(method, "/privacy-classes", body);
      expect(without.status).toBe(400);
      expect(without.json().error.details.fields).toMatchObject([{ field: "query.id" }]);
      const unknown = await gateway.request(method, `/privacy-classes?id=${unknownId}`, body);
      expect(unknown.status).toBe(404);
    }
    expect((await gateway.client.privacyClasses.list()).items).toEqual([strict]);
  });
});
