import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { type EgressTopology, openEgressTopology, type Probe, egresses } from "../topology-egresses.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { type Lab, openLab } from "../namespaces.ts";

/*
 * One gateway with its daemon inside, one device that must only ever leave by a tunnel. Each test goes on where the one
 * before left the gateway.
 */
const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  reconcile: { interval_sec: 86_400 }, // The tests say when to look.
};
const mac = "02:00:00:00:00:01";
const folder = temporaryFolder();
let lab: Lab;
let topology: EgressTopology;
let daemon: LabDaemon;
let port = 1000;

beforeAll(async () => {
  lab = openLab();
  topology = await openEgressTopology(lab);
  daemon = await startDaemon(topology.gateway, config, folder);
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  daemon[Symbol.dispose]();
});

/** Fresh flows of the device, in both families: where they were seen outside. */
async function leavesBy(): Promise<string[]> {
  const probes: Probe[] = [
    { interface: "lan0", mac, source: "10.0.0.2", destination: "203.0.113.5", port: (port += 1) },
    { interface: "lan0", mac, source: "fd00::2", destination: "2001:db8:f::1", port: (port += 1) },
  ];
  const seen = await topology.send(probes);
  return probes.map((probe) => (seen.get(probe.port) ?? ["none"]).join());
}

const ok: LabDaemon["ok"] = (...request) => daemon.ok(...request);

test("without a policy the device is seen on the uplink (T-wiped-2)", async () => {
  expect(await ok("GET", "/status")).toMatchObject({ ready: true, dataplane_enabled: true });
  expect(await leavesBy()).toEqual(["wan0", "wan0"]);
});

test("a packet from the LAN that claims to be the gateway's own is refused", async () => {
  const refused = async () => {
    const counter = await topology.gateway.run("nft", "list", "counter", "inet", "portcullis_guard", "unsolicited");
    return Number(/packets (\d+)/.exec(counter)![1]);
  };
  const before = await refused();
  const own = { interface: "lan0", mac, source: "10.0.0.1", destination: "10.0.0.1" };
  await topology.send(Array.from({ length: 50 }, () => ({ ...own, port: (port += 1) })));
  expect((await refused()) - before).toBeGreaterThanOrEqual(50); // Other foreign packets may arrive meanwhile, but not so many.
});

test("an applied policy is in the kernel when the answer comes, and the device leaves by the tunnel", async () => {
  await ok("POST", "/devices", { name: "phone", mac });
  const hops = [{ type: "vpn", target: "t1" }];
  await ok("POST", "/routing/policies", { name: "phone by t1", source_type: "device", source_value: "phone", hops });
  expect(await leavesBy()).toEqual(["wan0", "wan0"]); // Staged is not applied.
  expect(await ok("POST", "/routing/policies/apply")).toMatchObject({ published: 1, enforced: true });
  expect(await leavesBy()).toEqual(["t1", "t1"]);
});

/** Which generation of rules stands: every load is another one. */
async function generation(): Promise<string> {
  const rules = await topology.gateway.run("nft", "list", "chain", "inet", "portcullis", "decide");
  return /@canary_(\d+)/.exec(rules)![1]!;
}

test("what would change nothing writes nothing: a look, an apply with nothing staged, a device with another name", async () => {
  const before = await generation();
  const report = (await ok("POST", "/enforce/reconcile")) as { engines: { changes: number }[] };
  expect(report.engines.filter(({ changes }) => changes > 0)).toEqual([]);
  expect(await ok("POST", "/routing/policies/apply")).toMatchObject({ published: 0, enforced: true });
  const [phone] = (await ok("GET", "/devices")) as { id: string }[];
  await ok("PUT", `/devices/${phone!.id}`, { notes: "in the hall" });
  await ok("POST", "/enforce/reconcile");
  expect(await generation()).toBe(before);
  await ok("PUT", `/devices/${phone!.id}`, { mac: "02:00:00:00:00:99" });
  await ok("POST", "/enforce/reconcile");
  await ok("PUT", `/devices/${phone!.id}`, { mac });
  await ok("POST", "/enforce/reconcile");
  expect(await generation()).not.toBe(before); // And would have been seen.
});

test("the tunnel goes down: nothing leaves, daemon or no daemon", async () => {
  await topology.gateway.run("ip", "link", "set", "t1", "down");
  expect(await leavesBy()).toEqual(["none", "none"]);
  await ok("POST", "/enforce/reconcile");
  expect(await leavesBy()).toEqual(["none", "none"]);
  await daemon.kill();
  expect(await leavesBy()).toEqual(["none", "none"]);
  daemon = await startDaemon(topology.gateway, config, folder);
  expect(await leavesBy()).toEqual(["none", "none"]);
});

test("the tunnel comes back, and so does the device", async () => {
  // Until the kernel reports it up: before, the daemon would rightly find it down.
  await topology.leaveUp(new Set(egresses));
  await ok("POST", "/enforce/reconcile");
  expect(await leavesBy()).toEqual(["t1", "t1"]);
});

/** Within two seconds everything is as before; until then packets leave by the tunnel or not at all. */
const whole = { strayed: [], last: ["t1", "t1"] };

async function healing(): Promise<{ strayed: string[]; last: string[] }> {
  const seen: string[] = [];
  const isWhole = async () => {
    seen.push(...(await leavesBy()));
    return seen.slice(-2).every((egress) => egress === "t1");
  };
  await until("the device leaves by its tunnel again", isWhole, 2);
  return { strayed: seen.filter((egress) => egress !== "t1" && egress !== "none"), last: seen.slice(-2) };
}

test("another program flushes all rules: nothing leaks, the gateway repairs itself and reports what was missing", async () => {
  await topology.gateway.run("nft", "flush", "ruleset");
  expect(await healing()).toEqual(whole);
  await ok("POST", "/enforce/reconcile"); // Packets may flow again before the look that healed them has come to its end.
  const drift = await ok("GET", "/drift/details");
  expect(drift).toContainEqual(
    expect.objectContaining({ type: "guard", resource: "portcullis_guard forward", field: "rule", actual: null }),
  );
  const summary = (await ok("GET", "/drift")) as { type: string; resource: string }[];
  expect(summary.filter(({ type }) => type === "guard")).toMatchObject([
    { resource: "portcullis_guard", field: "table", actual: null },
  ]);
});

test("another program removes a device from a map: it is restored, and the drift names the element", async () => {
  const standing = await topology.gateway.run("nft", "list", "map", "inet", "portcullis", "mac_rank");
  expect(standing).toContain(mac); // Or there would be nothing to take out.
  await topology.gateway.run("nft", "delete", "element", "inet", "portcullis", "mac_rank", `{ ${mac} }`);
  expect((await healing()).last).toEqual(whole.last);
  await ok("POST", "/enforce/reconcile");
  expect(await ok("GET", "/drift")).toContainEqual(
    expect.objectContaining({ resource: "portcullis mac_rank", field: `element ${mac}`, actual: null }),
  );
});

test("another program deletes our routing rules and tables: nothing leaks, and they are restored", async () => {
  const { gateway } = topology;
  for (const family of ["-4", "-6"]) {
    await gateway.run(
      "bash",
      "-c",
      `for p in $(ip ${family} rule | grep -oE '^7[0-9]{3}'); do ip ${family} rule del priority $p; done`,
    );
    await gateway.run(
      "bash",
      "-c",
      `for t in $(seq 7001 7010); do ip ${family} route flush table $t 2>/dev/null; done; true`,
    );
  }
  expect(await healing()).toEqual(whole);
});

test("IPv6 that another program disables on the uplink and in the tunnel prevents no other enforcement (T-protected-2)", async () => {
  const { gateway } = topology;
  for (const name of ["wan0", "t1"]) await gateway.run("sysctl", "-qw", `net.ipv6.conf.${name}.disable_ipv6=1`);
  expect(await ok("PUT", "/privacy/dns-mode", { mode: "device" })).toMatchObject({ enforced: true });
  expect(await leavesBy()).toEqual(["t1", "none"]);
  for (const name of ["wan0", "t1"]) await gateway.run("sysctl", "-qw", `net.ipv6.conf.${name}.disable_ipv6=0`);
  await topology.leaveUp(new Set(egresses));
  await ok("POST", "/enforce/reconcile");
  expect(await leavesBy()).toEqual(["t1", "t1"]);
});

test("the policy is removed, and the device is seen on the uplink at once", async () => {
  const policies = (await ok("GET", "/routing/policies?limit=1000")) as { id: string }[];
  for (const { id } of policies) await ok("DELETE", `/routing/policies/${id}`);
  await ok("POST", "/routing/policies/apply");
  expect(await leavesBy()).toEqual(["wan0", "wan0"]);
});
