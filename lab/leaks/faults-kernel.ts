import { setTimeout as wait } from "node:timers/promises";
import { type Fault, holds, shows } from "./fault.ts";
import { ensureDaemon } from "./faults-daemon.ts";
import type { LeakTopology } from "./topology.ts";

/** In one go: slower hands would be healed behind. */
const both = (command: (family: string) => string) => `${command("-4")}; ${command("-6")}`;
const ourTables = (family: string) =>
  `ip ${family} route show table all | grep -oE 'table 7[0-9]{3}' | sort -u | sed 's/^/route flush /' | ip ${family} -batch -`;
const ourRules = (family: string) =>
  `ip ${family} rule | grep -oE '^7[0-9]{3}' | sed 's/^/rule del priority /' | ip ${family} -batch -`;

/** Programs of others change what is ours in the kernel, or lead packets past it. */
export const kernelFaults: readonly Fault[] = [
  {
    number: 16,
    name: "our routing tables flushed by another program",
    cites: ["T-degraded-4"],
    ...takenAway(both(ourTables), "ip route show table all | grep -cE 'table 7[0-9]{3}' || true"),
  },
  {
    number: 17,
    name: "our ip rules deleted by another program",
    cites: ["T-degraded-4"],
    ...takenAway(both(ourRules), "ip rule | grep -cE '^7[0-9]{3}' || true"),
  },
  {
    number: 18,
    name: "nft flush ruleset by another program",
    cites: ["T-degraded-4"],
    ...takenAway("nft flush ruleset", "nft list tables | wc -l"),
  },
  {
    number: 24,
    name: "bridged (L2) path",
    cites: ["T-always-1", "T-boot-1"],
    needsDaemon: true,
    strike: async (topology) => {
      const joined = { name: "joined", interface: "joined", members: ["lan0", "wan0"] };
      const { status } = await topology.dns.topology.api.request("POST", "/bridges", joined);
      await topology.gateway.run("bash", "-c", bridged.join("; "));
      const arrived = async () =>
        Number(await topology.gateway.run("cat", "/sys/class/net/others/statistics/rx_packets"));
      for (const isFiltering of [0, 1]) {
        for (const key of ["bridge-nf-call-iptables", "bridge-nf-call-ip6tables"])
          await topology.gateway.run("sysctl", "-qw", `net.bridge.${key}=${isFiltering}`);
        await wait(700);
        await shows("the phone's packets came by a bridge of others", async () => (await arrived()) > 100);
      }
      return holds(
        status >= 400,
        "the API refused to join LAN and uplink, and the phone's packets came by a bridge of others, with br_netfilter off and on",
      );
    },
    heal: async ({ gateway }) => {
      for (const key of ["bridge-nf-call-iptables", "bridge-nf-call-ip6tables"])
        await gateway.run("sysctl", "-qw", `net.bridge.${key}=0`);
      await gateway.run("bash", "-c", unbridged.join("; "));
    },
  },
];

/** The LAN hangs on a bridge that the gateway knows nothing of. */
const bridged = [
  "ip link add others type bridge",
  "ip link set others address $(cat /sys/class/net/lan0/address) up",
  "ip address flush dev lan0 scope global",
  "ip link set lan0 master others",
  "ip address add 10.0.0.1/24 dev others",
  "ip address add fd00::1/64 dev others nodad",
];
const unbridged = [
  "ip link delete others",
  "ip address replace 10.0.0.1/24 dev lan0",
  "ip address replace fd00::1/64 dev lan0 nodad",
];

/** Several times while the daemon repairs it, and once without a daemon. */
function takenAway(command: string, count: string): Pick<Fault, "needsDaemon" | "strike" | "heal"> {
  return {
    needsDaemon: true,
    strike: async (topology, random) => {
      const lefts: number[] = [];
      const take = async () => lefts.push(Number(await topology.gateway.run("bash", "-c", `${command}; ${count}`)));
      for (let left = 3; left > 0; left -= 1) {
        await take();
        await wait(random() * 400);
      }
      await kill(topology);
      await take();
      return holds(lefts.at(-1) === 0, `nothing of ours was left (${lefts.join(", ")})`);
    },
    heal: ensureDaemon,
  };
}

const kill = (topology: LeakTopology) => topology.dns.topology.kill();
