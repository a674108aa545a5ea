import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { samplesIn } from "../../../../testing/metrics.ts";
import { openTextStore } from "../../ledger/text-store.ts";
import type { StoredAnomaly } from "../../planes/anomalies/anomalies.machine.ts";
import { newProfile } from "../../planes/anomalies/profile.ts";
import { anomalyStore } from "../../planes/anomalies/stored.ts";

const nowMs = Date.parse("2026-10-01T12:00:30Z");
const hourMs = 3_600_000;

interface Ids {
  readonly tv: string;
  readonly laptop: string;
}

/** A gateway with two devices, whose baselines and anomalies are in its file. */
async function gatewayWith(folder: ReturnType<typeof temporaryFolder>): Promise<TestGateway & { readonly ids: Ids }> {
  const state = join(folder.path, "state");
  mkdirSync(state, { mode: 0o700 });
  const first = await startGateway({ folder, now: () => new Date(nowMs) });
  const device = async (name: string) => (await first.client.devices.create({ body: { name } })).id;
  const ids = { tv: await device("Kitchen TV"), laptop: await device("Laptop") };
  const gateway = await first.restart(() => write(join(state, "anomalies.db"), ids));
  return Object.assign(gateway, { ids });
}

function write(path: string, { tv, laptop }: Ids): void {
  const store = anomalyStore(openTextStore({ path, contents: "It", setAside: () => {}, warn: () => {} }));
  const baselines = [
    { device: tv, days: 20 },
    { device: laptop, days: 7 },
  ].map(({ device, days }) => {
    const profile = newProfile(device, nowMs - 30 * 24 * hourMs);
    profile.numbers.activeDays = days;
    return profile;
  });
  store.writeProfiles(baselines, []);
  const anomaly = (number: number, more: Partial<StoredAnomaly>): StoredAnomaly => ({
    id: `00000000-0000-4000-8000-00000000000${number}`,
    number,
    device: tv,
    kind: "query_rate",
    cause: "",
    score: 0.6,
    reason: {
      code: "anomaly_query_rate",
      params: {
        observed: 9e3,
        expected: 800,
      },
    },
    evidence: {
      measures: [],
      destinations: [],
      domain: null,
      country: null,
    },
    firstMs: nowMs - 10 * hourMs,
    lastMs: nowMs - 9 * hourMs,
    endedMs: nowMs - 3 * hourMs,
    ...more,
  });
  store.writeAnomalies(
    [
      anomaly(1, {}),
      anomaly(2, { device: laptop, score: 0.9, endedMs: null, lastMs: nowMs - hourMs }),
      anomaly(3, {
        kind: "dns_tunnelling",
        cause: "t.example",
        score: 0.8,
        endedMs: null,
        lastMs: nowMs,
        evidence: {
          measures: [
            {
              measure: "names",
              observed: 400,
              expected: 40,
              unit: "names",
            },
          ],
          destinations: [],
          domain: "t.example",
          country: null,
        },
      }),
    ],
    [],
  );
  store.close();
}

let gateway: Awaited<ReturnType<typeof gatewayWith>>;
const folder = temporaryFolder();
beforeAll(async () => {
  gateway = await gatewayWith(folder);
});
afterAll(() => gateway[Symbol.asyncDispose]());

const listed = async (query: string) => {
  const answer = await gateway.request("GET", `/anomalies?${query}`);
  return answer.json().map(({ id }: { id: string }) => Number(id.at(-1)));
};

test("anomalies: the list has the newest first, and each filter finds its own", async () => {
  expect(await listed("")).toEqual([3, 2, 1]);
  expect(await listed("device=Kitchen%20TV")).toEqual([3, 1]);
  expect(await listed(`device=${gateway.ids.laptop}`)).toEqual([2]);
  expect(await listed("kind=query_rate")).toEqual([2, 1]);
  expect(await listed("state=ended")).toEqual([1]);
  expect(await listed("min_score=0.8")).toEqual([3, 2]);
  expect(await listed(`since=${new Date(nowMs - 2 * hourMs).toISOString()}`)).toEqual([3, 2]);
  expect(await listed("kind=query_rate&state=open&device=Laptop")).toEqual([2]);
  const [page] = [await gateway.request("GET", "/anomalies?limit=2")];
  expect([page.json().length, page.headers.get("x-total-count")]).toEqual([2, "3"]);
  const next = /^<(.+)>; rel="next"$/.exec(page.headers.get("link") ?? "")![1]!;
  expect((await gateway.request("GET", `/${next}`)).json().map(({ id }: { id: string }) => id.at(-1))).toEqual(["1"]);
});

test("anomalies: a wrong filter and an unknown name are refused, and an unknown id is not found", async () => {
  const status = async (query: string) => (await gateway.request("GET", `/anomalies?${query}`)).status;
  expect(await Promise.all(["kind=odd", "min_score=2", "state=closed", "since=now", "devices=x"].map(status))).toEqual(
    Array.from({ length: 5 }, () => 400),
  );
  expect(await status("device=Nothing")).toBe(400);
  expect(await status("device=00000000-0000-4000-8000-00000000000a")).toBe(404);
});

test("anomalies: an anomaly has its device, its evidence, and its sentence with a code", async () => {
  const { items } = await gateway.client.anomalies.list({ query: { state: "ended" } });
  expect(items[0]).toMatchObject({
    device_id: gateway.ids.tv,
    device_name: "Kitchen TV",
    kind: "query_rate",
    state: "ended",
    score: 0.6,
    reason: "It sent 9000 DNS queries within an hour; the largest hour of its baseline has 800",
    coded_reason: { code: "anomaly_query_rate" },
    first_seen: "2026-10-01T02:00:30.000Z",
    ended_at: "2026-10-01T09:00:30.000Z",
  });
});

test("anomalies: the statistics have kinds, learning devices with their progress, memory, and detectors that cannot work with the reason", async () => {
  const stats = await gateway.client.anomalies.stats();
  expect(stats).toMatchObject({ enabled: true, learning_days: 14, open: 2, ended: 1, learning: 1 });
  expect(stats.devices).toMatchObject([
    { device_name: "Kitchen TV", state: "ready", observed_days: 20, progress: 1, open: 1, log_level: "full" },
    { device_name: "Laptop", state: "learning", observed_days: 7, progress: 0.5, open: 1 },
  ]);
  expect(stats.memory_bytes).toBe(2 * stats.bytes_per_device);
  expect(stats.kinds.find(({ kind }) => kind === "query_rate")).toMatchObject({
    open: 1,
    ended: 1,
    available: false,
    reason: "The dataplane is off",
  });
});

test("anomalies: a setting that is changed keeps the others, is audited, and is refused outside its limits", async () => {
  using other = temporaryFolder();
  await using it = await gatewayWith(other);
  const { anomalies, audit } = it.client;
  expect(await anomalies.updateSettings({ body: { learning_days: 5 } })).toEqual({
    enabled: true,
    sensitivity: "medium",
    learning_days: 5,
  });
  expect((await anomalies.stats()).devices.map(({ state }) => state)).toEqual(["ready", "ready"]);
  await anomalies.updateSettings({ body: { sensitivity: "low" } });
  expect(await anomalies.settings()).toEqual({ enabled: true, sensitivity: "low", learning_days: 5 });
  for (const wrong of [{ learning_days: 2 }, { learning_days: 61 }, { sensitivity: "huge" }, { on: true }])
    expect((await it.request("PUT", "/anomalies/settings", { body: wrong })).status).toBe(400);
  expect(
    (await audit.list({ query: { resource_type: "anomaly_detection" } })).items.map(({ action }) => action),
  ).toEqual(["update_anomaly_detection", "update_anomaly_detection"]);
});

test("anomalies: switched off, baselines are deleted and detectors report why; a removed device takes its anomalies along, in the metrics too", async () => {
  using other = temporaryFolder();
  await using it = await gatewayWith(other);
  const { anomalies, devices } = it.client;
  const counted = async () =>
    samplesIn((await it.request("GET", "/metrics")).text).flatMap(({ name, labels, value }) =>
      name === "portcullis_open_anomalies" ? [[labels["kind"], value]] : [],
    );
  // The other detectors have nothing to measure without the dataplane.
  expect(await counted()).toEqual([
    ["dns_tunnelling", 1],
    ["query_rate", 1],
  ]);
  await devices.remove({ params: { id: it.ids.tv } });
  await expect
    .poll(async () => (await anomalies.list()).items.map(({ device_name }) => device_name))
    .toEqual(["Laptop"]);
  expect((await anomalies.stats()).devices.map(({ device_name }) => device_name)).toEqual(["Laptop"]);
  expect(await counted()).toEqual([["query_rate", 1]]);
  await anomalies.updateSettings({ body: { enabled: false } });
  await expect.poll(async () => (await anomalies.stats()).devices).toEqual([]);
  expect(
    (await anomalies.stats()).kinds.every(({ reason }) => reason === "The detection of anomalies is switched off"),
  ).toBe(true);
  expect((await anomalies.list()).items.length).toBe(1);
});
