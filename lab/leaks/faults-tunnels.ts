import { setTimeout as wait } from "node:timers/promises";
import { type Fault, holds, shows } from "./fault.ts";
import type { LeakTopology } from "./topology.ts";

/** The tunnels of the phone fail or change. */
export const tunnelFaults: readonly Fault[] = [
  {
    number: 9,
    name: "tunnel link down",
    cites: ["T-degraded-1", "T-always-1"],
    strike: async (topology) => {
      const states: string[] = [];
      for (const name of linksOf(topology))
        states.push(await topology.gateway.run("bash", "-c", `ip link set ${name} down; ip -br link show ${name}`));
      return holds(
        states.every((it) => !it.includes("UP,LOWER_UP")),
        "both links of the chain were down",
      );
    },
  },
  {
    number: 10,
    name: "tunnel interface deleted",
    cites: ["T-degraded-1", "T-always-1"],
    strike: async (topology) => {
      const left: string[] = [];
      for (const name of linksOf(topology))
        left.push(await topology.gateway.run("bash", "-c", `ip link delete ${name}; ip -br link show ${name} || true`));
      return holds(left.join("") === "", "both interfaces of the chain were gone");
    },
  },
  {
    number: 11,
    name: "endpoint silent",
    cites: ["T-degraded-1"],
    strike: async (topology, random) => {
      const { first, second } = topology.hops;
      first.freeze();
      await wait(300 + random() * 500);
      // What has arrived already is read on for a while.
      let before = await receivedBy(topology, first.interface!);
      const evidence = await shows("nothing came from the first hop any more", async () => {
        await wait(300);
        const last = before;
        before = await receivedBy(topology, first.interface!);
        return before === last;
      });
      second.freeze();
      return evidence;
    },
    heal: async ({ hops }) => {
      hops.first.thaw();
      hops.second.thaw();
    },
  },
  {
    number: 12,
    name: "endpoint address changes",
    cites: ["T-degraded-1", "T-always-4"],
    strike: async (topology) => {
      const { first } = topology.hops;
      const before = first.addresses()[0]!;
      await first.move();
      await topology.tunnelsMoved();
      return holds(first.addresses()[0] !== before, "the first hop's server had another address");
    },
  },
  {
    number: 21,
    name: "policy change from one VPN to another with live flows",
    cites: ["T-applying-1", "T-applying-3"],
    needsDaemon: true,
    strike: async (topology) => {
      const before = await sentBy(topology, topology.hops.other.interface!);
      await leaveBy(topology, "other");
      await shows("the phone was answered by the other tunnel", await topology.answering());
      const many = async () => (await sentBy(topology, topology.hops.other.interface!)) - before;
      return shows("hundreds of packets left by the other tunnel", async () => (await many()) > 200);
    },
    heal: (topology) => leaveBy(topology, "chain"),
  },
  {
    number: 22,
    name: "established flow across tunnel loss",
    cites: ["T-degraded-3"],
    needsDaemon: true,
    strike: async (topology) => {
      const { second } = topology.hops;
      // One that was ended a moment ago is made again.
      const evidence = shows("connections stood when the tunnel went, its server first", async () =>
        /:7007\s/.test(await topology.phone.device.run("ss", "-Htn", "state", "established")),
      );
      await evidence.catch(() => undefined); // `heal` expects that the server is gone, whatever was shown.
      await second.kill();
      await wait(500);
      await topology.ok("POST", `/tunnels/${second.id}/down`);
      return evidence;
    },
    heal: async ({ hops: { second }, ok }) => {
      await second.restart();
      await ok("POST", `/tunnels/${second.id}/up`);
    },
  },
  {
    number: 31,
    name: "device talks straight to the servers of both hops",
    cites: ["T-always-4", "T-always-5"],
    strike: async (topology) => {
      const { first, second, other } = topology.hops;
      const destinations = [first, second, other].flatMap((hop) =>
        [hop.site.v4, hop.site.v6].map((address) => [address, hop.port] as const),
      );
      await topology.sender.alsoTo(destinations);
      // Also when there is nothing to hide them in.
      await wait(1000);
      first.freeze();
      await wait(1000);
      first.thaw();
      return `it sent UDP, TCP and ICMP to ${destinations.length} addresses of servers`;
    },
    heal: async ({ sender }) => void (await sender.alsoTo([])),
  },
];

/** The last one first: it runs inside the other. */
const linksOf = ({ hops }: LeakTopology) => [hops.second.interface!, hops.first.interface!];

const counterOf = async ({ gateway }: LeakTopology, name: string, counter: string) =>
  Number(await gateway.run("cat", `/sys/class/net/${name}/statistics/${counter}`));
const receivedBy = (topology: LeakTopology, name: string) => counterOf(topology, name, "rx_packets");
const sentBy = (topology: LeakTopology, name: string) => counterOf(topology, name, "tx_packets");

/** Changes the phone's policy and applies it. */
export async function leaveBy({ hops, phone, ok }: LeakTopology, egress: "chain" | "other"): Promise<void> {
  const names = egress === "chain" ? [hops.first.name, hops.second.name] : [hops.other.name];
  await ok("PUT", `/routing/policies/${phone.policyId}`, { hops: names.map((target) => ({ type: "vpn", target })) });
  await ok("POST", "/routing/policies/apply");
}
