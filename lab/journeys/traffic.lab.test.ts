import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Client, openDnsTopology, type DnsTopology } from "../topology-dns.ts";
import type { HopServer } from "../topology-hops.ts";

/* What the gateway counts, compared with what the senders sent: through a tunnel, directly, and not at all. */
let lab: Lab;
let it: DnsTopology;
let hop: HopServer;
let clients: Record<"tunnelled" | "direct" | "private" | "blocked", Client>;

/** Of each datagram: its data, and the headers of IP and UDP. */
const dataBytes = 972;
const packetBytes = dataBytes + 28;

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  hop = await it.topology.wireguard("w");
  const { id: classId } = (await ok("POST", "/privacy-classes", { name: "Private", log_level: "none" })) as Made;
  clients = {
    tunnelled: await it.client("d1", [hop]),
    direct: await it.client("d2", "direct"),
    private: await it.client("d3", [hop]),
    blocked: await it.client("d4", [hop], { hops: [] }),
  };
  await ok("PUT", `/devices/${clients.private.deviceId}`, { privacy_class: classId });
  await it.topology.apply();
  await until("names are answered", async () => (await lookUp(clients.tunnelled, 0)) !== undefined, 60);
  await until("traffic is measured", async () => (await summary()).measuring, 30);
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

interface Made {
  readonly id: string;
}
const ok = (method: string, path: string, body?: object) => it.topology.api.ok(method, path, body);

interface Amounts {
  readonly sent_bytes: number;
  readonly received_bytes: number;
  readonly sent_packets: number;
  readonly connections: number | null;
}
interface Summary {
  readonly measuring: boolean;
  readonly measured_at: string;
  readonly devices: readonly { readonly device_name: string }[];
}
const summary = () => ok("GET", "/traffic/summary") as Promise<Summary>;
const since = new Date(Date.now() - 3_600_000).toISOString();
const sumOf = async (subject: string): Promise<Amounts> =>
  ((await ok("GET", `/traffic/history?${subject}&resolution=minute&since=${since}`)) as { sum: Amounts }).sum;
const destinationsOf = async (device: string) =>
  (await ok("GET", `/traffic/destinations?device=${device}&since=${since}`)) as (Amounts & {
    readonly destination: string;
  })[];

/** The address of the n-th of many names. */
const lookUp = async ({ query }: Client, n: number): Promise<string | undefined> =>
  /A (45\.64\.\S+)/.exec((await query(`n${n}.many.lab`))?.answers.join("\n") ?? "")?.[1];

/** Datagrams in one flow; the sender's own count is the measure. */
async function send({ device }: Client, address: string, count: number, port: number): Promise<void> {
  const script = `import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("0.0.0.0", ${port}))
sent = 0
for n in range(${count}):
    try:
        s.sendto(b"x" * ${dataBytes}, ("${address}", 9999)); sent += 1
    except OSError: pass
    time.sleep(0.001)
print(sent)`;
  await device.run("python3", "-c", script);
}

/** Two readings after now have all of what was sent before. */
async function read(): Promise<void> {
  for (let n = 0; n < 2; n++) {
    const { measured_at } = await summary();
    await until("the counters were read", async () => (await summary()).measured_at !== measured_at, 120);
  }
}

const isWithin = (value: number, expected: number, share = 0.01) => Math.abs(value - expected) <= share * expected;

test("traffic: device, policy, tunnel and destination have what the sender sent, within one percent", async () => {
  const { tunnelled, direct } = clients;
  const addresses = [await lookUp(tunnelled, 1), await lookUp(tunnelled, 2)];
  const tunnelBefore = await sumOf("tunnel=w");
  const before = { tunnelled: await sumOf("device=d1"), direct: await sumOf("device=d2") };
  await send(tunnelled, addresses[0]!, 1500, 4001);
  await send(tunnelled, addresses[1]!, 500, 4002);
  await send(direct, "45.64.0.9", 800, 4003);
  await read();
  const after = { tunnelled: await sumOf("device=d1"), direct: await sumOf("device=d2") };
  const tunnelledBytes = after.tunnelled.sent_bytes - before.tunnelled.sent_bytes;
  expect([tunnelledBytes, isWithin(tunnelledBytes, 2000 * packetBytes)]).toEqual([expect.anything(), true]);
  expect(after.tunnelled.connections! - before.tunnelled.connections!).toBe(2);
  const directBytes = after.direct.sent_bytes - before.direct.sent_bytes;
  expect([directBytes, isWithin(directBytes, 800 * packetBytes)]).toEqual([expect.anything(), true]);
  for (const [policy, device] of [
    ["d1", after.tunnelled],
    ["d2", after.direct],
  ] as const)
    expect(await sumOf(`policy=${policy}`)).toEqual(device);
  const tunnelBytes = (await sumOf("tunnel=w")).sent_bytes - tunnelBefore.sent_bytes;
  // The tunnel also has its probes, and the queries of its resolver.
  expect(tunnelBytes).toBeGreaterThan(0.99 * 2000 * packetBytes);
  expect(tunnelBytes).toBeLessThan(1.05 * 2000 * packetBytes);
  const destinations = await destinationsOf("d1");
  const named = (name: string) => destinations.find(({ destination }) => destination === name)?.sent_bytes ?? 0;
  expect([named("n1.many.lab"), named("n2.many.lab")]).toEqual([1500 * packetBytes, 500 * packetBytes]);
  // No name was resolved by this device.
  expect((await destinationsOf("d2")).map(({ destination }) => destination)).toEqual(["45.64.0.9"]);
});

test("traffic: what is blocked is not counted, neither from the start nor within a running connection", async () => {
  const { blocked, tunnelled } = clients;
  await send(blocked, "45.64.0.9", 300, 4010);
  const before = await sumOf("device=d1");
  await send(tunnelled, "45.64.0.11", 400, 4011);
  await read();
  const running = await sumOf("device=d1");
  expect(isWithin(running.sent_bytes - before.sent_bytes, 400 * packetBytes)).toBe(true);
  const { id } = (await ok("POST", "/exceptions", {
    device_id: tunnelled.deviceId,
    type: "quarantine",
    duration_min: 2,
  })) as Made;
  await send(tunnelled, "45.64.0.11", 400, 4011); // The same connection.
  await read();
  expect(await sumOf("device=d1")).toEqual(running);
  expect(await sumOf("device=d4")).toMatchObject({ sent_bytes: 0, connections: 0 });
  await ok("DELETE", `/exceptions/${id}`);
});

test("traffic: a device with the log level none is not recorded, and what was recorded is deleted with the change to it", async () => {
  const { private: hidden, direct } = clients;
  await send(hidden, "45.64.0.12", 300, 4020);
  await read();
  expect(await sumOf("device=d3")).toMatchObject({ sent_bytes: 0, connections: 0 });
  expect((await summary()).devices.map(({ device_name }) => device_name)).not.toContain("d3");
  expect((await sumOf("device=d2")).sent_bytes).toBeGreaterThan(0);
  await ok("PUT", `/devices/${direct.deviceId}`, { privacy_class: "Private" });
  await it.topology.apply();
  await until("its history is gone", async () => (await sumOf("device=d2")).sent_bytes === 0, 30);
  expect(await destinationsOf("d2")).toEqual([]);
});

test("traffic: a daemon that is killed and starts again counts nothing twice, and goes on", async () => {
  const { tunnelled } = clients;
  const before = await sumOf("device=d1");
  await send(tunnelled, "45.64.0.13", 500, 4030);
  await read();
  await it.topology.stop();
  await send(tunnelled, "45.64.0.13", 250, 4030); // The connection goes on without the daemon.
  await it.topology.restart();
  await until("traffic is measured", async () => (await summary()).measuring, 60);
  await read();
  const after = await sumOf("device=d1");
  expect(isWithin(after.sent_bytes - before.sent_bytes, 750 * packetBytes)).toBe(true);
  expect(after.connections! - before.connections!).toBe(1);
});
