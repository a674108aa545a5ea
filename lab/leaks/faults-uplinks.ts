import { setTimeout as wait } from "node:timers/promises";
import { uplinkAddress } from "../internet.ts";
import { startJsonScript } from "../json-script.ts";
import { type Fault, holds, shows } from "./fault.ts";
import type { LeakTopology } from "./topology.ts";

const [here, there, otherThere] = [uplinkAddress(0, 1), uplinkAddress(0, 2), uplinkAddress(1, 2)];

/** The uplinks change. */
export const uplinkFaults: readonly Fault[] = [
  {
    number: 13,
    name: "WAN down and up",
    cites: ["T-degraded-5"],
    strike: async (topology, random) => {
      const state = await topology.gateway.run("bash", "-c", "ip link set wan0 down; ip -br link show wan0");
      await wait(500 + random() * 1000);
      await bringUp(topology);
      return holds(!state.includes("LOWER_UP"), "the link was down");
    },
    // As the program that configures the uplink does: a link that comes up has lost its IPv6 address and its routes.
    heal: bringUp,
  },
  {
    number: 14,
    name: "new default route by a second uplink with a better metric",
    cites: ["T-degraded-5", "T-always-9"],
    strike: async (topology) => {
      for (const via of [otherThere.v4, otherThere.v6])
        await topology.gateway.run("ip", "route", "add", "default", "via", via, "dev", "wan1", "metric", "5");
      return holds(
        (await routeOf(topology)).every((it) => it.includes("dev wan1")),
        "the gateway's own default route was wan1",
      );
    },
    heal: async (topology) => {
      for (const via of [otherThere.v4, otherThere.v6])
        await topology.gateway.run("ip", "route", "del", "default", "via", via, "dev", "wan1", "metric", "5");
    },
  },
  {
    number: 15,
    name: "IPv6 router advertisement on the WAN",
    cites: ["T-degraded-5", "T-always-9"],
    strike: async (topology) => {
      for (const [index, uplink] of ["wan0", "wan1"].entries()) {
        await topology.gateway.run("sysctl", "-qw", `net.ipv6.conf.${uplink}.accept_ra=2`);
        await startJsonScript(topology.dns.topology.net.providers[index]!, "leaks/advertise.py", "from-gw");
      }
      return shows("the kernel had taken default routes of both advertisements", async () => {
        const routes = await topology.gateway.run("ip", "-6", "route", "show", "default", "proto", "ra");
        return routes.includes("wan0") && routes.includes("wan1");
      });
    },
    heal: async ({ gateway }) => {
      for (const uplink of ["wan0", "wan1"]) {
        await gateway.run("sysctl", "-qw", `net.ipv6.conf.${uplink}.accept_ra=0`);
        await gateway.run("ip", "-6", "route", "flush", "proto", "ra", "dev", uplink);
        await gateway.run("ip", "-6", "address", "flush", "dev", uplink, "dynamic");
      }
    },
  },
  {
    number: 30,
    name: "routes of DHCP option 121, and a network on the WAN that overlaps a public range",
    cites: ["T-always-9"],
    strike: async (topology) => {
      await topology.gateway.run("bash", "-c", option121.join("; "));
      return holds(
        (await routeOf(topology)).every((it) => it.includes("dev wan0") && !it.includes("default")),
        "the gateway's own route to the phone's destinations was such a route",
      );
    },
    heal: async ({ gateway }) => {
      const undone = option121.map((line) => line.replace(" add ", " del ").replace(" nodad", ""));
      await gateway.run("bash", "-c", undone.join("; "));
    },
  },
];

/** What the hooks of a DHCP client do with routes they are offered, and with an address in a network that is not theirs. */
const option121 = [
  `ip route add 0.0.0.0/1 via ${there.v4} dev wan0`,
  `ip route add 128.0.0.0/1 via ${there.v4} dev wan0`,
  `ip route add 203.0.113.96/28 via ${there.v4} dev wan0`,
  `ip -6 route add 2000::/3 via ${there.v6} dev wan0`,
  `ip -6 route add 2001:db8:f:1::96/124 via ${there.v6} dev wan0`,
  "ip address add 203.0.113.94/24 dev wan0",
  "ip -6 address add 2001:db8:f:1::94/64 dev wan0 nodad",
];

/** The gateway's own routes to the phone's destinations. */
async function routeOf({ gateway, identity }: LeakTopology): Promise<string[]> {
  const routes: string[] = [];
  for (const to of [identity.to["4"][0]!, identity.to["6"][0]!])
    routes.push(await gateway.run("ip", "-d", "route", "get", "fibmatch", to));
  return routes;
}

async function bringUp({ gateway }: LeakTopology): Promise<void> {
  const lines = [
    "link set wan0 up",
    `address replace ${here.v6}/64 dev wan0 nodad`,
    ...[there.v4, there.v6].map((via) => `route replace default via ${via} dev wan0 metric 100`),
  ];
  for (const line of lines) await gateway.run("ip", ...line.split(" "));
}
