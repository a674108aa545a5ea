import { setTimeout as wait } from "node:timers/promises";
import { type Fault, holds, Leak, shows } from "./fault.ts";
import { revive } from "./faults-daemon.ts";
import { elsewhere } from "./probes.ts";
import type { Street } from "./topology.ts";

const [moved, moved6, otherMac] = [elsewhere.v4[1], elsewhere.v6[1], "02:00:00:00:00:5a"];

/** The policy of the whole LAN, while there is one. */
let everybody = "";

/** The phone is not who it was, or something is opened for it. */
export const deviceFaults: readonly Fault[] = [
  {
    number: 25,
    name: "device changes IP",
    cites: ["T-degraded-7", "T-always-3"],
    strike: async (street) => {
      await settleAt(street, [moved, moved6]);
      await street.sender.become({ v4: moved, v6: moved6 });
      const addresses = await street.phone.device.run("ip", "-br", "address", "show", "dev", "eth0");
      return holds(addresses.includes(moved) && addresses.includes(moved6), "it had other addresses, in both families");
    },
    heal: async (street) => {
      const [v4, v6] = street.person.own as [string, string];
      await settleAt(street, [v4, v6]);
      await street.sender.become({ v4, v6 });
    },
  },
  {
    number: 26,
    name: "device changes MAC",
    cites: ["T-degraded-7", "T-protected-4"],
    asks: true,
    strike: async (street) => {
      // Another MAC is another device. Who wants such ones protected has a policy for all of the LAN.
      const { id } = await street.ok("POST", "/routing/policies", {
        name: "everybody",
        source_type: "interface",
        source_value: "lan0",
        priority: 1000,
        hops: [{ type: "vpn", target: street.hops.other.name }],
        fail_policy: "fail-closed",
      });
      everybody = id;
      await street.ok("POST", "/routing/policies/apply");
      await becomes(street, otherMac);
      await shows("the phone was answered by the other tunnel", await street.answering());
      const link = await street.phone.device.run("ip", "-br", "link", "show", "dev", "eth0");
      return holds(
        link.includes(otherMac),
        "its link had another MAC; everybody on the LAN had a policy that fails closed",
      );
    },
    heal: async (street) => {
      await becomes(street, street.phone.device.mac);
      await street.ok("DELETE", `/routing/policies/${everybody}`);
      await street.ok("POST", "/routing/policies/apply");
    },
  },
  {
    number: 34,
    name: "captive-portal hole opens, expires, and the daemon dies while it is open",
    cites: ["T-protected-6"],
    asks: true,
    strike: async (street) => {
      const { house } = street.resolving;
      await street.sender.alsoTo(Object.values(street.person.portal).map((address) => [address, 80] as const));
      await wait(500);
      await portalIsShut(street, "before it was opened");
      const { id } = await openPortal(street);
      await portalIsSeen(street);
      await street.ok("DELETE", `/exceptions/${id}`);
      await portalIsShut(street, "after its exception was deleted");
      await openPortal(street);
      await house.kill();
      await portalIsSeen(street);
      await shorten(street, 5); // Long enough to be seen meanwhile, also on a slow machine.
      await portalIsSeen(street);
      await wait(5500);
      await portalIsShut(street, "after its end, when no daemon lived");
      return "the portal was seen while it was open, also without a daemon, and not before or afterwards";
    },
    heal: async (street) => {
      await revive(street);
      // The one that the kernel ended early: the daemon that was dead knows nothing of it.
      for (const { id } of await street.ok<{ id: string }[]>("GET", "/exceptions/active"))
        await street.ok("DELETE", `/exceptions/${id}`);
      await street.sender.alsoTo([]);
    },
  },
];

async function settleAt({ phone: { device } }: Street, [v4, v6]: readonly [string, string]): Promise<void> {
  await device.run("ip", "address", "flush", "dev", "eth0", "scope", "global");
  for (const address of [`${v4}/24`, `${v6}/64`])
    await device.run("ip", "address", "add", address, "dev", "eth0", "nodad");
  for (const router of ["10.0.0.1", "fd00::1"]) await device.run("ip", "route", "replace", "default", "via", router);
}

async function becomes({ phone: { device }, sender }: Street, mac: string): Promise<void> {
  await device.run("ip", "link", "set", "eth0", "address", mac);
  await sender.become({ mac });
  // Its neighbours hear of it, as they would of any device that joins a network.
  for (const router of ["10.0.0.1", "fd00::1"])
    await device.run("ping", "-c", "1", "-W", "1", router).catch(() => undefined);
}

const openPortal = ({ ok, phone, person }: Street) =>
  ok("POST", "/exceptions", {
    type: "captive-portal",
    device_id: phone.deviceId,
    destinations: Object.values(person.portal),
    duration_min: 1,
  });

/** In both families, the less of both. */
async function portalSeen(street: Street): Promise<{ readonly least: number; readonly all: number }> {
  const { portal4 = 0, portal6 = 0 } = (await street.seen()).people["phone"] ?? {};
  return { least: Math.min(portal4, portal6), all: portal4 + portal6 };
}

async function portalIsSeen(street: Street): Promise<void> {
  const before = await portalSeen(street);
  await shows("the portal was seen", async () => (await portalSeen(street)).least > before.least + 5);
}

async function portalIsShut(street: Street, when: string): Promise<void> {
  const before = await portalSeen(street);
  await wait(500);
  const more = (await portalSeen(street)).all - before.all;
  if (more > 0) throw new Leak(`The portal was seen ${more} times ${when}`);
}

/** As if it had been made so long before that so many seconds are left. Nobody but the kernel ends it. */
async function shorten({ gateway, phone, person }: Street, seconds: number): Promise<void> {
  const commands = (["4", "6"] as const).flatMap((family) => {
    const [set, element] = [`inet portcullis allowed_mac${family}`, `${phone.device.mac} . ${person.portal[family]}`];
    return [`delete element ${set} { ${element} }`, `add element ${set} { ${element} timeout ${seconds}s }`];
  });
  await gateway.run("nft", commands.join("; "));
}
