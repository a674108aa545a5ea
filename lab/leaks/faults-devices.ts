import { setTimeout as wait } from "node:timers/promises";
import { type Fault, holds, Leak, shows } from "./fault.ts";
import { ensureDaemon } from "./faults-daemon.ts";
import { elsewhere } from "./probes.ts";
import type { LeakTopology } from "./topology.ts";

const [moved, moved6, otherMac] = [elsewhere.v4[1], elsewhere.v6[1], "02:00:00:00:00:5a"];

/** The policy of the whole LAN, while there is one. */
let lanPolicyId = "";

/** The phone is not who it was, or something is opened for it. */
export const deviceFaults: readonly Fault[] = [
  {
    number: 25,
    name: "device changes IP",
    cites: ["T-degraded-7", "T-always-3"],
    strike: async (topology) => {
      await setAddresses(topology, [moved, moved6]);
      await topology.sender.become({ v4: moved, v6: moved6 });
      const addresses = await topology.phone.device.run("ip", "-br", "address", "show", "dev", "eth0");
      return holds(addresses.includes(moved) && addresses.includes(moved6), "it had other addresses, in both families");
    },
    heal: async (topology) => {
      const [v4, v6] = topology.identity.own as [string, string];
      await setAddresses(topology, [v4, v6]);
      await topology.sender.become({ v4, v6 });
    },
  },
  {
    number: 26,
    name: "device changes MAC",
    cites: ["T-degraded-7", "T-protected-4"],
    needsDaemon: true,
    strike: async (topology) => {
      // Another MAC is another device. Who wants such ones protected has a policy for all of the LAN.
      const { id } = await topology.ok("POST", "/routing/policies", {
        name: "whole LAN",
        source_type: "interface",
        source_value: "lan0",
        priority: 1000,
        hops: [{ type: "vpn", target: topology.hops.other.name }],
        fail_policy: "fail-closed",
      });
      lanPolicyId = id;
      await topology.ok("POST", "/routing/policies/apply");
      await becomes(topology, otherMac);
      await shows("the phone was answered by the other tunnel", await topology.answering());
      const link = await topology.phone.device.run("ip", "-br", "link", "show", "dev", "eth0");
      return holds(link.includes(otherMac), "its link had another MAC; the whole LAN had a policy that fails closed");
    },
    heal: async (topology) => {
      await becomes(topology, topology.phone.device.mac);
      await topology.ok("DELETE", `/routing/policies/${lanPolicyId}`);
      await topology.ok("POST", "/routing/policies/apply");
    },
  },
  {
    number: 34,
    name: "captive-portal hole opens, expires, and the daemon dies while it is open",
    cites: ["T-protected-6"],
    needsDaemon: true,
    strike: async (topology) => {
      const { topology: hopTopology } = topology.dns;
      await topology.sender.alsoTo(Object.values(topology.identity.portal).map((address) => [address, 80] as const));
      await wait(500);
      await portalIsBlocked(topology, "before it was opened");
      const { id } = await openPortal(topology);
      await portalIsSeen(topology);
      await topology.ok("DELETE", `/exceptions/${id}`);
      await portalIsBlocked(topology, "after its exception was deleted");
      await openPortal(topology);
      await hopTopology.kill();
      await portalIsSeen(topology);
      await shorten(topology, 5); // Long enough to be seen meanwhile, also on a slow machine.
      await portalIsSeen(topology);
      await wait(5500);
      await portalIsBlocked(topology, "after its end, without a daemon");
      return "the portal was seen while it was open, also without a daemon, and not before or afterwards";
    },
    heal: async (topology) => {
      await ensureDaemon(topology);
      // The one that the kernel ended early: the daemon that was dead knows nothing of it.
      for (const { id } of await topology.ok<{ id: string }[]>("GET", "/exceptions/active"))
        await topology.ok("DELETE", `/exceptions/${id}`);
      await topology.sender.alsoTo([]);
    },
  },
];

async function setAddresses({ phone: { device } }: LeakTopology, [v4, v6]: readonly [string, string]): Promise<void> {
  await device.run("ip", "address", "flush", "dev", "eth0", "scope", "global");
  for (const address of [`${v4}/24`, `${v6}/64`])
    await device.run("ip", "address", "add", address, "dev", "eth0", "nodad");
  for (const router of ["10.0.0.1", "fd00::1"]) await device.run("ip", "route", "replace", "default", "via", router);
}

async function becomes({ phone: { device }, sender }: LeakTopology, mac: string): Promise<void> {
  await device.run("ip", "link", "set", "eth0", "address", mac);
  await sender.become({ mac });
  // Its neighbours hear of it, as they would of any device that joins a network.
  for (const router of ["10.0.0.1", "fd00::1"])
    await device.run("ping", "-c", "1", "-W", "1", router).catch(() => undefined);
}

const openPortal = ({ ok, phone, identity }: LeakTopology) =>
  ok("POST", "/exceptions", {
    type: "captive-portal",
    device_id: phone.deviceId,
    destinations: Object.values(identity.portal),
    duration_min: 1,
  });

/** In both families, the less of both. */
async function portalSeen(topology: LeakTopology): Promise<{ readonly least: number; readonly all: number }> {
  const { portal4 = 0, portal6 = 0 } = (await topology.seen()).devices["phone"] ?? {};
  return { least: Math.min(portal4, portal6), all: portal4 + portal6 };
}

async function portalIsSeen(topology: LeakTopology): Promise<void> {
  const before = await portalSeen(topology);
  await shows("the portal was seen", async () => (await portalSeen(topology)).least > before.least + 5);
}

async function portalIsBlocked(topology: LeakTopology, when: string): Promise<void> {
  const before = await portalSeen(topology);
  await wait(500);
  const more = (await portalSeen(topology)).all - before.all;
  if (more > 0) throw new Leak(`The portal was seen ${more} times ${when}`);
}

/** As if it had been created earlier, with this many seconds left. Only the kernel ends it. */
async function shorten({ gateway, phone, identity }: LeakTopology, seconds: number): Promise<void> {
  const commands = (["4", "6"] as const).flatMap((family) => {
    const [set, element] = [`inet portcullis allowed_mac${family}`, `${phone.device.mac} . ${identity.portal[family]}`];
    return [`delete element ${set} { ${element} }`, `add element ${set} { ${element} timeout ${seconds}s }`];
  });
  await gateway.run("nft", commands.join("; "));
}
