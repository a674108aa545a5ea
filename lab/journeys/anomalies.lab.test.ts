import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTextStore } from "../../daemon/src/ledger/text-store.ts";
import { observeFlows } from "../../daemon/src/planes/anomalies/device-observer.ts";
import { newProfile } from "../../daemon/src/planes/anomalies/profile.ts";
import { anomalyStore } from "../../daemon/src/planes/anomalies/stored.ts";
import { thresholds } from "../../daemon/src/planes/anomalies/thresholds.ts";
import { until } from "../../testing/deadline.ts";
import { randomFrom } from "../../testing/seed.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Client, type DnsTopology, openDnsTopology } from "../topology-dns.ts";

/* Devices with baselines of three weeks, which then send real packets and queries through the gateway. */
let lab: Lab;
let it: DnsTopology;
let clients: Record<"uploading" | "quiet" | "private" | "querying", Client>;

const dayMs = 86_400_000;
const days = 21;

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  const { id: classId } = (await ok("POST", "/privacy-classes", { name: "Private", log_level: "none" })) as Made;
  clients = {
    uploading: await it.client("d1", "direct"),
    quiet: await it.client("d2", "direct"),
    private: await it.client("d3", "direct"),
    querying: await it.client("d4", "direct"),
  };
  await ok("PUT", `/devices/${clients.private.deviceId}`, { privacy_class: classId });
  await it.topology.apply();
  await it.topology.stop();
  learn(Object.values(clients).map(({ deviceId }) => deviceId));
  await it.topology.restart();
  await until("names are answered", async () => (await clients.querying.query("n1.many.lab")) !== undefined, 60);
  await until("traffic is measured", async () => isAvailable(await stats(), "exfiltration"), 60);
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

interface Made {
  readonly id: string;
}
interface Stats {
  readonly kinds: readonly { readonly kind: string; readonly available: boolean; readonly reason: string }[];
  readonly devices: readonly { readonly device_name: string; readonly state: string }[];
}
interface Found {
  readonly device_name: string;
  readonly kind: string;
  readonly evidence: { readonly destinations: readonly string[]; readonly domain: string | null };
}
const ok = (method: string, path: string, body?: object) => it.topology.api.ok(method, path, body);
const stats = async () => (await ok("GET", "/anomalies/stats")) as Stats;
const found = async () => (await ok("GET", "/anomalies")) as readonly Found[];
const isAvailable = ({ kinds }: Stats, kind: string) => kinds.some((one) => one.kind === kind && one.available);

/** Three weeks of small uploads, until yesterday, by the function that observes connections. */
function learn(devices: readonly string[]): void {
  const path = join(it.topology.folders.state, "anomalies.db");
  const store = anomalyStore(openTextStore({ path, contents: "The anomalies", setAside: () => {}, warn: () => {} }));
  const profiles = devices.map((device) => newProfile(device, Date.now() - days * dayMs));
  for (const profile of profiles)
    for (let day = days; day > 0; day -= 1)
      observeFlows(
        profile,
        [{ to: { address: "45.64.0.9", name: undefined }, sentBytes: 5e6, receivedBytes: 5e7, connections: 3 }],
        {
          atMs: Date.now() - day * dayMs,
          learningDays: 14,
          limits: thresholds.medium,
          localHour: () => ({
            hour: 12,
            isWeekend: false,
          }),
          countryOf: () => undefined,
        },
      );
  store.writeProfiles(profiles, []);
  store.close();
}

/** Datagrams as fast as the link takes them. */
async function upload({ device }: Client, address: string, mebibytes: number): Promise<void> {
  const script = `import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(${Math.ceil((mebibytes * 1024 * 1024) / 1428)}):
    try: s.sendto(b"x" * 1400, ("${address}", 9999))
    except OSError: pass`;
  await device.run("python3", "-c", script);
}

test("anomalies: a large upload to a new destination is reported; a small one, and one of a device that may not be recorded, are not", async () => {
  expect((await stats()).devices.map(({ device_name, state }) => `${device_name} ${state}`)).toEqual([
    "d1 ready",
    "d2 ready",
    "d4 ready",
  ]);
  await upload(clients.quiet, "45.64.7.1", 20);
  await upload(clients.private, "45.64.7.2", 100);
  await upload(clients.uploading, "45.64.7.3", 100);
  await until("the upload is reported", async () => (await found()).length > 0, 120);
  const { measured_at } = (await ok("GET", "/traffic/summary")) as { measured_at: string };
  await until(
    "the counters were read again",
    async () => ((await ok("GET", "/traffic/summary")) as { measured_at: string }).measured_at !== measured_at,
    120,
  );
  expect((await found()).map(({ device_name, kind, evidence }) => [device_name, kind, evidence.destinations])).toEqual([
    ["d1", "exfiltration", ["45.64.7.0/24"]],
  ]);
});

test("anomalies: queries of random names through the gateway's resolver are reported with their domain", async () => {
  const random = randomFrom(5);
  const label = () =>
    Array.from({ length: 48 }, () => "abcdefghijklmnopqrstuvwxyz234567"[Math.floor(32 * random())]).join("");
  for (let n = 0; n < 60; n += 1) await clients.querying.query(`${label()}.${clients.querying.domain}`);
  await until("they are reported", async () => (await found()).some(({ kind }) => kind === "dns_tunnelling"), 60);
  expect(await found()).toMatchObject([
    { device_name: "d4", kind: "dns_tunnelling", evidence: { domain: "fresh.lab", destinations: [] } },
    { device_name: "d1", kind: "exfiltration" },
  ]);
});

test("anomalies: with the log level none of its class, baseline and anomalies of a device are deleted", async () => {
  await ok("PUT", `/devices/${clients.uploading.deviceId}`, { privacy_class: "Private" });
  await until("its anomaly is gone", async () => (await found()).every(({ device_name }) => device_name !== "d1"), 30);
  expect((await stats()).devices.map(({ device_name }) => device_name)).toEqual(["d2", "d4"]);
  await it.topology.stop();
  await it.topology.restart();
  expect((await found()).map(({ device_name }) => device_name)).toEqual(["d4"]);
});
