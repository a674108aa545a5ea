import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { until } from "../../testing/deadline.ts";
import type { Probe } from "../topology-egresses.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { openDeviceTopology, server, type DeviceTopology } from "../topology-devices.ts";

/*
 * The guard knows by itself who must not leave by an uplink. Here steering is made to forget senders, which sends them
 * direct like any unknown device, and the guard stops them; without the guard's own sets they are seen outside.
 */

const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  reconcile: { interval_sec: 86_400 },
};
const [phone, free] = ["02:00:00:00:00:01", "02:00:00:00:00:03"];
const folder = temporaryFolder();
let lab: Lab;
let topology: DeviceTopology;
let daemon: LabDaemon;
let port = 1000;

beforeAll(async () => {
  lab = openLab();
  topology = await openDeviceTopology(lab);
  daemon = await startDaemon(topology.gateway, config, folder);
  await daemon.ok("POST", "/devices", { name: "phone", mac: phone });
  await daemon.ok("POST", "/devices", { name: "camera", ips: ["10.0.0.9", "fd00::9"] });
  for (const name of ["phone", "camera"])
    await daemon.ok("POST", "/routing/policies", {
      name,
      source_type: "device",
      source_value: name,
      hops: [{ type: "vpn", target: "t1" }],
      fail_policy: "fail-closed",
    });
  await apply();
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});
beforeEach(() => topology.gateway.run("conntrack", "-F"));

/** Where new flows of a sender are seen, in both families. */
async function leaves(mac: string, host = 2): Promise<string[]> {
  const probes: Probe[] = [
    { interface: "lan0", mac, source: `10.0.0.${host}`, destination: server.v4, port: (port += 1) },
    { interface: "lan0", mac, source: `fd00::${host}`, destination: server.v6, port: (port += 1) },
  ];
  const seen = await topology.send(probes);
  return probes.map((it) => (seen.get(it.port) ?? ["none"]).join());
}
const nft = (...words: string[]) => topology.gateway.run("nft", ...words);
const guardDrops = async () =>
  Number(/packets (\d+)/.exec(await nft("list", "counter", "inet", "portcullis_guard", "leak_source"))![1]);
async function apply(): Promise<void> {
  expect(await daemon.ok("POST", "/routing/policies/apply")).toMatchObject({ enforced: true });
}
/** Steering takes the sender for an unknown device. */
async function forgotten(): Promise<void> {
  await nft("flush", "map", "inet", "portcullis", "mac_rank");
  await nft("flush", "chain", "inet", "portcullis", "unknown_sender");
  const maps = (await nft("list", "maps", "inet")).match(/source[46]_\S+/g) ?? [];
  for (const map of new Set(maps)) await nft("flush", "map", "inet", "portcullis", map);
}

test("protected senders leave by their tunnel, an unknown device by the uplink", async () => {
  expect(await leaves(phone)).toEqual(["t1", "t1"]);
  expect(await leaves(free, 9)).toEqual(["t1", "t1"]);
  expect(await leaves(free, 7)).toEqual(["wan0", "wan0"]);
});

test("senders that steering has forgotten are stopped by the guard, by MAC and by address (T-always-13)", async () => {
  await daemon.whilePaused(async () => {
    await forgotten();
    const before = await guardDrops();
    expect(await leaves(phone)).toEqual(["none", "none"]);
    expect(await leaves(free, 9)).toEqual(["none", "none"]);
    expect(await guardDrops()).toBe(before + 4);
    // The control: the guard's own sets are what stopped them.
    await nft("flush", "set", "inet", "portcullis_guard", "protected_mac");
    expect(await leaves(phone)).toEqual(["wan0", "wan0"]);
    for (const set of ["protected4_a", "protected4_b", "protected6_a", "protected6_b"])
      await nft("flush", "set", "inet", "portcullis_guard", set);
    expect(await leaves(free, 9)).toEqual(["wan0", "wan0"]);
  });
});

test("elements removed from the guard's sets are restored, and reported as drift", async () => {
  const held = () => nft("list", "set", "inet", "portcullis_guard", "protected_mac");
  await until("the guard holds the phone again", async () => (await held()).includes(phone));
  await until("the phone leaves by its tunnel again", async () => (await leaves(phone)).join() === "t1,t1");
  await until("the camera leaves by its tunnel again", async () => (await leaves(free, 9)).join() === "t1,t1");
  const drift = async () => {
    const items = (await daemon.ok("GET", "/drift/details")) as { resource: string; field: string }[];
    return items.map(({ resource, field }) => `${resource} ${field}`);
  };
  // Drift is reported at the end of a cycle, and packets pass before that.
  await until("the cycle has ended", async () => (await drift()).length > 0);
  expect(await drift()).toContain(`portcullis_guard protected_mac element ${phone}`);
});

test("an exception opens the guard for its device, and its end closes it", async () => {
  const { id } = (await daemon.ok("POST", "/exceptions", { device_id: "phone", type: "temporary-direct" })) as {
    id: string;
  };
  expect(await leaves(phone)).toEqual(["wan0", "wan0"]);
  expect(await daemon.ok("DELETE", `/exceptions/${id}`)).toMatchObject({ enforced: true });
  expect(await leaves(phone)).toEqual(["t1", "t1"]);
});

test("a device whose policy sends it direct is released, and protected again when it does not", async () => {
  await daemon.ok("PUT", "/routing/policies/phone", { fail_policy: "fail-open", hops: [] });
  await apply();
  expect(await leaves(phone)).toEqual(["wan0", "wan0"]);
  expect(await nft("list", "set", "inet", "portcullis_guard", "protected_mac")).not.toContain(phone);
  await daemon.ok("PUT", "/routing/policies/phone", {
    fail_policy: "fail-closed",
    hops: [{ type: "vpn", target: "t1" }],
  });
  await apply();
  expect(await leaves(phone)).toEqual(["t1", "t1"]);
  expect(await nft("list", "set", "inet", "portcullis_guard", "protected_mac")).toContain(phone);
});

test("a policy for the whole LAN protects unknown devices too, but for one that is sent direct before (T-always-13)", async () => {
  await daemon.ok("POST", "/devices", { name: "tv", mac: "02:00:00:00:00:05" });
  await daemon.ok("POST", "/routing/policies", {
    name: "tv",
    source_type: "device",
    source_value: "tv",
    priority: 1,
    hops: [],
    fail_policy: "fail-open",
  });
  await daemon.ok("POST", "/routing/policies", {
    name: "all devices",
    source_type: "interface",
    source_value: "lan0",
    priority: 900,
    hops: [{ type: "vpn", target: "t1" }],
    fail_policy: "fail-closed",
  });
  await apply();
  expect(await leaves("02:00:00:00:00:05", 5)).toEqual(["wan0", "wan0"]);
  expect(await leaves(free, 7)).toEqual(["t1", "t1"]);
  await daemon.whilePaused(async () => {
    await forgotten();
    expect(await leaves(free, 7)).toEqual(["none", "none"]);
    expect(await leaves("02:00:00:00:00:05", 5)).toEqual(["wan0", "wan0"]);
  });
});
