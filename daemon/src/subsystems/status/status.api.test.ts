import { component } from "@portcullis/contract/subsystems/status";
import { because } from "@portcullis/contract/reason";
import { readdirSync, statSync } from "node:fs";
import { availableParallelism, hostname, machine, release, totalmem } from "node:os";
import { join } from "node:path";
import { version } from "@portcullis/contract/version";
import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

test.each([
  ["ok", [{ name: "owner", key: "k".repeat(32), role: "admin" }]],
  ["degraded", []], // Without an admin the gateway can still be claimed.
])("status: health is one word, %s, and needs no credential", async (status, api_keys) => {
  const auth = { enabled: true, local_net: "10.0.0.0/8", api_keys };
  await using gateway = await startGateway({ config: { auth } });
  const health = await gateway.request("GET", "/health");
  expect([health.status, health.json()]).toEqual([200, { status }]);
  for (const path of ["/status", "/observer", "/platform"])
    expect((await gateway.request("GET", path)).status).toBe(401);
});

test("status: version, start time, and the revision in force", async () => {
  const clock = { now: Date.UTC(2030, 0, 1) };
  await using gateway = await startGateway({
    now: () => new Date(clock.now),
  });
  const { client } = gateway;
  clock.now += 90_500;
  const node = await client.settings.get({ params: { key: "node_id" } });
  const first = await client.status.status();
  expect(first).toEqual({
    name: "portcullisd",
    version,
    build: `commit unknown of unknown date, node ${process.versions.node} linux-${process.arch}`,
    health: "ok",
    ready: true,
    started_at: "2030-01-01T00:00:00.000Z",
    uptime_sec: 90,
    node_id: node.value,
    mode: "primary",
    dataplane_enabled: false,
    revision: 1,
    applied_revision: 1,
    not_enforced: null,
    coded_not_enforced: null,
    tls_pin: null,
  });
  await client.devices.create({ body: { name: "TV" } });
  expect(await client.status.status()).toEqual({ ...first, revision: 2, applied_revision: 2 });
});

test("status: a restart keeps who we are and what is in force, and counts its time anew", async () => {
  const clock = { now: Date.UTC(2030, 0, 1) };
  await using before = await startGateway({ now: () => new Date(clock.now) });
  await before.client.devices.create({ body: { name: "TV" } });
  const then = await before.client.status.status();
  clock.now += 3_600_000;
  await using gateway = await before.restart();
  expect(await gateway.client.status.status()).toEqual({
    ...then,
    started_at: "2030-01-01T01:00:00.000Z",
    uptime_sec: 0,
  });
});

test("status: two gateways are two nodes", async () => {
  await using one = await startGateway();
  await using other = await startGateway();
  expect((await one.client.status.status()).node_id).not.toBe((await other.client.status.status()).node_id);
});

test("observer: lists every component, and the overall status is the worst one", async () => {
  await using gateway = await startGateway({ now: () => new Date("2030-01-01T00:00:00Z") });
  const { client } = gateway;
  await client.devices.create({ body: { name: "TV" } });
  expect(await client.status.observer()).toEqual({
    status: "ok",
    checked_at: "2030-01-01T00:00:00.000Z",
    components: [
      component("ledger", "ok", because("ledger_revision", { revision: 2 })),
      component("secrets", "ok", because("secrets_encrypted")),
      component("access", "off", because("access_off")),
      component("enforcement", "off", because("dataplane_disabled")),
      component("dataplane", "off", because("dataplane_disabled")),
      component("pauses", "ok", because("pauses_none")),
      component("alerts", "off", because("alert_channels_none")),
      component("port-scans", "off", because("dataplane_disabled")),
      {
        ...component("resources", "ok", because("resources_sufficient", { resources: [] })),
        message: expect.stringMatching(/% of the disk of \S+ is used, .*% of the memory is used, /),
        coded_message: { code: "resources_sufficient", params: { resources: expect.any(Array) } },
      },
      component("certificates", "off", because("certificates_none")),
      component("mqtt", "off", because("mqtt_off")),
    ],
  });
  await client.secrets.clearPassphrase();
  const { status, components } = await client.status.observer();
  expect(status).toBe("degraded");
  expect([await client.status.health(), (await client.status.status()).health]).toEqual([{ status }, status]);
  expect(components.find(({ name }) => name === "secrets")).toMatchObject({ status: "degraded" });
});

test("platform: hardware of the machine, and the state folder on its disk", async () => {
  await using gateway = await startGateway();
  const { client, stateFolder } = gateway;
  const platform = await client.status.platform();
  expect(platform).toMatchObject({
    hostname: hostname(),
    kernel: release(),
    architecture: machine(),
    runtime: expect.stringContaining(process.versions.node),
    cpu: { cores: availableParallelism() },
    memory: { total_bytes: totalmem() },
    disk: { path: stateFolder },
  });
  const { memory, disk, uptime_sec } = platform;
  expect(memory.available_bytes).toBeGreaterThan(0);
  expect(memory.available_bytes).toBeLessThan(memory.total_bytes);
  expect(memory.daemon_bytes).toBeGreaterThan(10 << 20);
  expect(disk.free_bytes).toBeLessThanOrEqual(disk.total_bytes);
  expect(uptime_sec).toBeGreaterThan(0);
  const files = readdirSync(stateFolder).map((file) => statSync(join(stateFolder, file)).size);
  expect(disk.state_bytes).toBe(files.reduce((sum, bytes) => sum + bytes, 0));
});

test("status: an upgrade cannot start while a change waits for its confirmation", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const waits = "A change is waiting for confirmation";
  const blockers = async () => (await client.status.platform()).upgrade;
  expect((await blockers()).blockers).not.toContain(waits);
  await client.devices.create({ body: { name: "TV" } });
  await client.snapshots.rollback({ query: { confirm_within: 60 }, body: { snapshot: "1" } });
  expect(await blockers()).toMatchObject({ ready: false, blockers: expect.arrayContaining([waits]) });
  await client.changes.confirm();
  expect((await blockers()).blockers).not.toContain(waits);
});
