import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import {
  type EgressTopology,
  gatewayMac,
  openEgressTopology,
  type Probe,
  type Egress,
  egressAddress,
} from "../topology-egresses.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { startJsonScript } from "../json-script.ts";
import { type Flow, openFlow, startFlowServer } from "../flow.ts";

/*
 * One gateway with its daemon; one device with real sockets, through a tunnel or direct, to a server outside that
 * answers with the source address. Each test continues where the previous one left the gateway.
 */
const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  reconcile: { interval_sec: 86_400 },
};
const mac = "02:00:00:00:00:01";
const port = 7000;
const bank = { v4: "203.0.113.5", v6: "2001:db8:f::1" };
const other = { v4: "198.51.100.7", v6: "2001:db8:e::1" };
const folder = temporaryFolder();
let lab: Lab;
let topology: EgressTopology;
let daemon: LabDaemon;
/** Flows that were there before anything happened. */
let flows: Flow[];
let tcp: Flow;
let probePort = 1000;

/** Packets seen outside through an egress since the start. */
const seenOn = async (egress: Egress): Promise<number> => (await topology.counted())[egress];

/** The device sends whatever there is, 1,500 packets a second. */
async function flooding(): Promise<{ stop(): Promise<{ sent: number; seconds: number }> }> {
  const flood = await startJsonScript(topology.clients, "flood.py", gatewayMac, "to-lan0", mac, "2", "1500");
  return { stop: () => flood.request("stop") as Promise<{ sent: number; seconds: number }> };
}

beforeAll(async () => {
  lab = openLab();
  topology = await openEgressTopology(lab);
  await settle();
  daemon = await startDaemon(topology.gateway, config, folder);
  const call = (kind: "udp" | "tcp", address: string) => openFlow(topology.clients, kind, address, port);
  flows = [call("udp", bank.v4), call("udp", bank.v6)];
  tcp = call("tcp", bank.v4);
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  daemon[Symbol.dispose]();
});

/** Real addresses at both ends, and a server that answers. */
async function settle(): Promise<void> {
  const { clients, outside, gateway } = topology;
  const ip = (host: typeof clients, line: string) => host.run("ip", ...line.split(" "));
  // With the cable in place: to pull it would make the gateway look for its own addresses anew, and be silent meanwhile.
  await ip(clients, `link set to-lan0 address ${mac}`);
  for (const [address, gate] of [
    ["10.0.0.2/24", "10.0.0.1"],
    ["fd00::2/64", "fd00::1"],
  ] as const) {
    await ip(clients, `address add ${address} dev to-lan0 nodad`);
    await ip(clients, `route add default via ${gate}`);
  }
  for (const [index, egress] of ["wan0", "t1"].entries()) {
    await ip(outside, `address add ${egressAddress(index, 2).v4}/29 dev from-${egress}`);
    await ip(outside, `address add ${egressAddress(index, 2).v6}/64 dev from-${egress} nodad`);
  }
  for (const address of Object.values(bank)) await ip(outside, `address add ${address} dev lo nodad`);
  await startFlowServer(outside, port, Object.values(bank));
  for (const own of [53, 443, port]) await startFlowServer(gateway, own, ["10.0.0.1", "fd00::1"]);
}

async function ok(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await daemon.request(method, path, body);
  expect({ ok: answer.status < 300, ...answer }).toMatchObject({ ok: true });
  return answer.body;
}

/** The egress of each source address, in either family. */
const egressOf = (results: string): string =>
  ["wan0", "t1"].find((_, index) => Object.values(plain(egressAddress(index, 1))).includes(results)) ?? results;
const plain = ({ v4, v6 }: { v4: string; v6: string }) => ({ v4, v6: v6.replace(":0::", "::") });

/** Fresh flows, in both families: where they were seen outside. */
async function leavesBy(to = bank): Promise<string[]> {
  const probes: Probe[] = [
    { interface: "lan0", mac, source: "10.0.0.2", destination: to.v4, port: (probePort += 1) },
    { interface: "lan0", mac, source: "fd00::2", destination: to.v6, port: (probePort += 1) },
  ];
  const seen = await topology.send(probes);
  return probes.map((probe) => (seen.get(probe.port) ?? ["none"]).join());
}

/** What the flows that run say after one packet, which may be the price of moving. */
async function running(): Promise<string[]> {
  for (const flow of flows) await flow.request();
  const results: string[] = [];
  for (const flow of flows) results.push(egressOf(await flow.request()));
  return results;
}

async function start(body: object): Promise<string> {
  const made = await ok("POST", "/exceptions", { device_id: "phone", ...body });
  expect(made).toMatchObject({ active: true, enforced: true });
  return (made as { id: string }).id;
}
const end = async (id: string) => expect(await ok("DELETE", `/exceptions/${id}`)).toMatchObject({ enforced: true });

async function byTunnel(): Promise<void> {
  const hops = [{ type: "vpn", target: "t1" }];
  await ok("POST", "/routing/policies", { name: "phone by t1", source_type: "device", source_value: "phone", hops });
  expect(await ok("POST", "/routing/policies/apply")).toMatchObject({ enforced: true });
}

test("the device leaves by the tunnel: every flow, new or running", async () => {
  await ok("POST", "/devices", { name: "phone", mac });
  await byTunnel();
  expect(await leavesBy()).toEqual(["t1", "t1"]);
  expect(await running()).toEqual(["t1", "t1"]);
  expect(egressOf(await tcp.request())).toBe("t1");
});

test("temporary-direct: new flows and running ones leave by the uplink at once, and go back at once when it is deleted", async () => {
  const began = performance.now();
  const id = await start({ type: "temporary-direct" });
  const inForceMs = performance.now() - began;
  process.stdout.write(`exceptions: in force ${Math.round(inForceMs)} ms after the request\n`);
  recordFigure({ name: "time until an exception is in force", value: inForceMs / 1000, unit: "s" });
  expect(await leavesBy()).toEqual(["wan0", "wan0"]);
  expect(await running()).toEqual(["wan0", "wan0"]);
  expect(await tcp.request()).toBe("reset");
  expect(egressOf(await tcp.request())).toBe("wan0");

  await end(id);
  expect(await leavesBy()).toEqual(["t1", "t1"]);
  expect(await running()).toEqual(["t1", "t1"]);
  expect(await tcp.request()).toBe("reset");
  expect(egressOf(await tcp.request())).toBe("t1");
});

test("an exception ends in the kernel while the daemon is dead: from a second after its end nothing is seen on the uplink", async () => {
  const id = await start({ type: "emergency-bypass", duration_min: 1 });
  await daemon.kill();
  const endsAt = Date.now() + 30_000; // Until then a slow machine has started a daemon and looked.
  shorten(id, endsAt);
  daemon = await startDaemon(topology.gateway, config, folder); // What is left is counted from the ledger's end.
  await daemon.kill();
  expect(await topology.gateway.run("nft", "list", "set", "inet", "portcullis", "direct_mac")).toMatch(
    /expires [12]?\ds/,
  );
  expect(await running()).toEqual(["wan0", "wan0"]);
  expect(egressOf(await tcp.request())).toMatch(/wan0|reset/);

  const flood = await flooding();
  const [first, onTunnel] = [await seenOn("wan0"), await seenOn("t1")];
  let during = 0;
  await until("the flood leaves by the uplink", async () => (during = (await seenOn("wan0")) - first) > 100);
  await sleep(Math.max(0, endsAt + 1000 - Date.now()));
  const before = await seenOn("wan0");
  await sleep(2000);
  expect(await running()).toEqual(["t1", "t1"]);
  const { sent, seconds } = await flood.stop();
  const after = (await seenOn("wan0")) - before;
  const byTheTunnel = (await seenOn("t1")) - onTunnel;
  process.stdout.write(
    `exceptions: ${sent} packets in ${seconds} s, ${during} by the uplink at first, ${after} later than one second after the end, ${byTheTunnel} by the tunnel\n`,
  );
  recordFigure({ name: "packets sent around the end of an exception without a daemon", value: sent, unit: "packets" });
  recordFigure({
    name: "packets on the uplink after the end of an exception without a daemon",
    value: after,
    unit: "packets",
    most: 0,
  });
  expect(after).toBe(0);
  expect(byTheTunnel).toBeGreaterThan(500);

  daemon = await startDaemon(topology.gateway, config, folder);
  expect(await ok("GET", `/exceptions/${id}`)).toMatchObject({ active: false });
  expect(await leavesBy()).toEqual(["t1", "t1"]);
});

/** As if it had been made for a shorter time. Only while the daemon is dead: it keeps the file to itself. */
function shorten(id: string, endsAtMs: number): void {
  const database = new DatabaseSync(join(folder.path, "state", "portcullis.db"));
  database.prepare("UPDATE exception SET expires_at = ? WHERE id = ?").run(new Date(endsAtMs).toISOString(), id);
  database.close();
}

test("service-allowlist: what it names leaves by the uplink, everything else stays in the tunnel", async () => {
  const id = await start({ type: "service-allowlist", destinations: ["203.0.113.0/24", "2001:db8:f::/48"] });
  expect(await leavesBy(bank)).toEqual(["wan0", "wan0"]);
  expect(await leavesBy(other)).toEqual(["t1", "t1"]);
  expect(await running()).toEqual(["wan0", "wan0"]);
  await end(id);
  expect(await leavesBy(bank)).toEqual(["t1", "t1"]);
});

/** What the gateway itself answers: names by UDP and TCP, its page, and something it keeps to others. */
const probeResults = async () => {
  const own = [
    ["udp", "10.0.0.1", 53],
    ["udp", "fd00::1", 53],
    ["tcp", "10.0.0.1", 443],
    ["udp", "10.0.0.1", port],
  ] as const;
  return Promise.all(own.map(([kind, address, at]) => openFlow(topology.clients, kind, address, at).request()));
};

test("quarantine cuts off a device that leaves directly, running flows included; it still gets names and the gateway's page (T-blocked-2)", async () => {
  const [policy] = (await ok("GET", "/routing/policies")) as { id: string }[];
  await ok("DELETE", `/routing/policies/${policy!.id}`);
  await ok("POST", "/routing/policies/apply");
  expect(await running()).toEqual(["wan0", "wan0"]);
  await tcp.request();
  expect(egressOf(await tcp.request())).toBe("wan0");
  expect(await probeResults()).toEqual(["10.0.0.2", "fd00::2", "10.0.0.2", "10.0.0.2"]);

  const id = await start({ type: "quarantine" });
  const before = await seenOn("wan0");
  expect(await leavesBy()).toEqual(["none", "none"]);
  expect(await running()).toEqual(["reset", "reset"]);
  expect([await tcp.request(), await tcp.request()]).toEqual(["reset", "reset"]);
  const flood = await flooding();
  await sleep(1000);
  const { sent } = await flood.stop();
  expect([(await seenOn("wan0")) - before, sent > 100]).toEqual([0, true]);
  // A flood uses up the rate limit of ICMP errors to a device; the rest is dropped.
  const refused = expect.stringMatching(/^(?:reset|silence)$/) as string;
  expect(await probeResults()).toEqual(["10.0.0.2", "fd00::2", "10.0.0.2", refused]);

  // A bypass that is made meanwhile changes nothing.
  const bypass = await start({ type: "emergency-bypass" });
  expect(await leavesBy()).toEqual(["none", "none"]);
  await end(bypass);
  await end(id);
  expect(await leavesBy()).toEqual(["wan0", "wan0"]);
  expect(await running()).toEqual(["wan0", "wan0"]);
  await tcp.request();
  expect(egressOf(await tcp.request())).toBe("wan0");
});

test("a device that is marked as quarantined is cut off for as long as it is", async () => {
  const [{ id } = { id: "" }] = (await ok("GET", "/devices")) as { id: string }[];
  await ok("PUT", `/devices/${id}`, { state: "quarantined" });
  await ok("POST", "/enforce/reconcile");
  expect(await leavesBy()).toEqual(["none", "none"]);
  await daemon.kill();
  expect(await leavesBy()).toEqual(["none", "none"]);
  daemon = await startDaemon(topology.gateway, config, folder);
  await ok("PUT", `/devices/${id}`, { state: "known" });
  await ok("POST", "/enforce/reconcile");
  expect(await leavesBy()).toEqual(["wan0", "wan0"]);
});

test("without an exception no packet pays for them, and a look finds nothing to do", async () => {
  for (const chain of ["prerouting", "decide"]) {
    const rules = await topology.gateway.run("nft", "list", "chain", "inet", "portcullis", chain);
    expect(rules).not.toMatch(/quarantined|direct_|allowed/);
  }
  const id = await start({ type: "quarantine" });
  await sleep(1500); // The time it has left is another one at each look.
  const report = (await ok("POST", "/enforce/reconcile")) as { engines: { changes: number }[] };
  expect(report.engines.filter(({ changes }) => changes > 0)).toEqual([]);
  await topology.gateway.run("nft", "delete", "element", "inet", "portcullis", "quarantined_mac", `{ ${mac} }`);
  await ok("POST", "/enforce/reconcile");
  expect(await leavesBy()).toEqual(["none", "none"]);
  expect(await ok("GET", "/drift")).toMatchObject([
    { resource: "portcullis quarantined_mac", field: `element ${mac}`, actual: null },
  ]);
  await end(id);
});
