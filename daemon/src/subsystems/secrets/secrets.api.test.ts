import { describe, expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";
import { lastingState, readState, unseal } from "../../../../testing/state.ts";

const problem = (code: string) => expect.objectContaining({ code });

test("secrets: a secret is created, read, changed and deleted, and its value never comes back", async () => {
  await using gateway = await startGateway();
  const { secrets } = gateway.client;
  const made = await secrets.create({ body: { name: "proxy", value: "v-1", description: "to the office" } });
  expect(made).toEqual({
    id: made.id,
    name: "proxy",
    description: "to the office",
    purpose: "stored",
    version: 1,
    created_at: made.created_at,
    updated_at: made.updated_at,
  });
  expect(await secrets.get({ params: { id: made.id } })).toEqual(made);
  expect(await secrets.list()).toMatchObject({ items: [made], total: 1 });

  const renamed = await secrets.update({ params: { id: made.id }, body: { name: "office", description: "" } });
  expect(renamed).toEqual({ ...made, name: "office", description: "" });
  const changed = await secrets.update({ params: { id: made.id }, body: { value: "v-2" } });
  expect(changed).toEqual({ ...renamed, version: 2, updated_at: changed.updated_at });

  expect(await secrets.remove({ params: { id: made.id } })).toEqual({ id: made.id, deleted: true });
  await expect(secrets.get({ params: { id: made.id } })).rejects.toEqual(problem("not_found"));
  await expect(secrets.update({ params: { id: made.id }, body: { value: "v-3" } })).rejects.toEqual(
    problem("not_found"),
  );
  await expect(secrets.remove({ params: { id: made.id } })).rejects.toEqual(problem("not_found"));
  expect((await gateway.client.audit.list()).items.map(({ action }) => action)).toEqual([
    "delete_secret",
    "update_secret",
    "update_secret",
    "create_secret",
  ]);
});

test("secrets: of two concurrent requests with the same name one is refused", async () => {
  await using gateway = await startGateway();
  const { secrets } = gateway.client;
  const { id } = await secrets.create({ body: { name: "a", value: "x" } });
  await secrets.create({ body: { name: "b", value: "x" } });
  await expect(secrets.create({ body: { name: "a", value: "x" } })).rejects.toEqual(problem("conflict"));
  await expect(secrets.update({ params: { id }, body: { name: "b" } })).rejects.toEqual(problem("conflict"));
  await expect(secrets.update({ params: { id }, body: { name: "b", value: "y" } })).rejects.toEqual(
    problem("conflict"),
  );
  const twins = [1, 2, 3].map(() => secrets.create({ body: { name: "twin", value: "x" } }));
  const outcomes = (await Promise.allSettled(twins)).map(({ status }) => status);
  expect(outcomes.toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
  expect((await secrets.list()).total).toBe(3);
  expect((await secrets.get({ params: { id } })).version).toBe(1);
});

describe("secrets: what changes while a value is being sealed", () => {
  test("stays: a new value does not take back a new description", async () => {
    await using gateway = await startGateway();
    const { secrets } = gateway.client;
    const { id } = await secrets.create({ body: { name: "proxy", value: "x" } });
    await Promise.all([
      secrets.update({ params: { id }, body: { value: "y" } }),
      secrets.update({ params: { id }, body: { description: "changed meanwhile" } }),
    ]);
    expect(await secrets.get({ params: { id } })).toMatchObject({ description: "changed meanwhile", version: 2 });
  });

  test("stays gone: a deleted secret is not brought back by its new value", async () => {
    await using gateway = await startGateway();
    const { secrets } = gateway.client;
    const { id } = await secrets.create({ body: { name: "proxy", value: "x" } });
    const updated = secrets.update({ params: { id }, body: { value: "y" } }).catch((error: unknown) => error);
    await secrets.remove({ params: { id } });
    // In either order: the new value was stored and then deleted, or nothing was left to change.
    expect([problem("not_found"), expect.objectContaining({ version: 2 })]).toContainEqual(await updated);
    expect((await secrets.list()).items).toEqual([]);
  });
});

test("secrets: a secret setting is a secret of its alert channel, and goes with it", async () => {
  await using gateway = await startGateway();
  const { secrets, settings } = gateway.client;
  const token = { params: { key: "telegram_bot_token" } };
  await settings.put({ ...token, body: { value: "123:abc" } });
  expect(await settings.get(token)).toMatchObject({ value: null, is_set: true, writable: true });
  expect((await secrets.list()).items).toMatchObject([{ name: "telegram", purpose: "alert_channel" }]);
  await settings.remove(token);
  expect(await settings.get(token)).toMatchObject({ value: null, is_set: false });
  expect((await secrets.list()).items).toEqual([]);
});

describe("secrets: versions and history", () => {
  test("after a rollback the old value counts, and the next one gets an unused version", async () => {
    using state = lastingState();
    let id = "";
    {
      await using gateway = await state.start();
      const { secrets, snapshots, status } = gateway.client;
      const made = await secrets.create({ body: { name: "proxy", value: "first" } });
      id = made.id;
      const { revision } = await status.status();
      await secrets.update({ params: { id }, body: { value: "second" } });
      await snapshots.rollback({ body: { snapshot: String(revision) } });
      expect(await secrets.get({ params: { id } })).toEqual(made);
      expect(await secrets.update({ params: { id }, body: { value: "third" } })).toMatchObject({ version: 3 });
      await secrets.remove({ params: { id } });
      await snapshots.rollback({ body: { snapshot: String(revision) } });
      expect(await secrets.get({ params: { id } })).toEqual(made);
    }
    const { values, passphrase } = readState(state.stateFolder);
    const opened = values.map(async ({ version, value }) => [version, await unseal(passphrase!, value)]);
    expect(await Promise.all(opened)).toEqual([
      [1, "first"],
      [2, "second"],
      [3, "third"],
    ]);
  });

  test("a value goes when the last snapshot that names it goes, and not before", async () => {
    using state = lastingState({ config: { limits: { requests_per_minute: 1_000_000, snapshots_kept: 3 } } });
    const versions = () => readState(state.stateFolder).values.map((it) => it.version);
    let pinned = "";
    {
      await using gateway = await state.start();
      const { secrets, snapshots, status, devices } = gateway.client;
      const { id } = await secrets.create({ body: { name: "proxy", value: "first" } });
      pinned = String((await status.status()).revision);
      await snapshots.update({ params: { id: pinned }, body: { pinned: true } });
      await secrets.update({ params: { id }, body: { value: "second" } });
      await secrets.update({ params: { id }, body: { value: "third" } });
      await secrets.remove({ params: { id } });
      for (const name of ["a", "b", "c", "d"]) await devices.create({ body: { name } });
    }
    expect(versions()).toEqual([1, 2, 3]);
    {
      await using gateway = await state.start(); // Old snapshots are forgotten at each start.
      const { snapshots, devices } = gateway.client;
      expect((await snapshots.list()).items.at(-1)).toMatchObject({ id: pinned });
      await expect.poll(versions).toEqual([1]);
      await snapshots.update({ params: { id: pinned }, body: { pinned: false } });
      await devices.create({ body: { name: "e" } });
    }
    {
      await using _gateway = await state.start();
      await expect.poll(versions).toEqual([]);
    }
  });
});
