import type { LeakCause } from "@portcullis/contract/subsystems/privacy";
import { server } from "./topology-devices.ts";

/** A leak planted on purpose. */
export interface PlantedLeak {
  readonly name: string;
  readonly devices: readonly string[];
  readonly cause: LeakCause;
  readonly verdict: "leaking" | "at-risk";
  /** By one command of a shell on the gateway. */
  readonly inject?: (who: PlantTarget) => string;
  /** The daemon puts it right as soon as it hears of it, and by each check. */
  readonly isHealed?: true;
  readonly remove?: (who: PlantTarget) => string;
  readonly elsewhere?: { readonly host: "outside" | "laptop"; readonly plant: string; readonly uproot?: string };
  /** Other causes may be named beside it. */
  readonly seenOutside?: true;
}

/** A device, as those who plant must know it. */
export interface PlantTarget {
  readonly v4: string;
  readonly v6: string;
  readonly mac: string;
  readonly table: number;
  readonly mark: string;
}

const forgetDevice = (mac: string): string =>
  ["mac_rank", "known_mac"].map((set) => `nft delete element inet portcullis ${set} '{ ${mac} }'`).join("; ");

export const allDevices = ["phone", "laptop", "tablet"];

export const plantedLeaks: readonly PlantedLeak[] = [
  {
    name: "a rule of another program before ours",
    devices: ["phone"],
    cause: "foreign-rule",
    verdict: "at-risk",
    inject: ({ v4 }) => `ip rule add priority 100 from ${v4} lookup main`,
    remove: () => "ip rule del priority 100",
  },
  {
    name: "marks rewritten by another program to that of the uplink: the guard knows the sender",
    devices: ["laptop"],
    cause: "foreign-translation",
    verdict: "at-risk",
    inject: ({ v4 }) =>
      `nft 'table inet other { chain c { type filter hook prerouting priority -100; ip saddr ${v4} meta mark set 0x80000001; }; }'`,
    remove: () => "nft delete table inet other",
  },
  {
    name: "marks rewritten by another program to that of an exception",
    devices: ["laptop"],
    cause: "foreign-translation",
    verdict: "leaking",
    seenOutside: true,
    inject: ({ v4 }) =>
      `nft 'table inet other { chain c { type filter hook prerouting priority -100; ip saddr ${v4} meta mark set 0xc0ee0001; }; }'`,
    remove: () => "nft delete table inet other",
  },
  {
    name: "IPv6 beside a tunnel that forwards IPv4 only",
    devices: ["tablet"],
    cause: "ipv6-beside-tunnel",
    verdict: "at-risk",
    inject: ({ v6 }) => `ip -6 rule add priority 100 from ${v6} lookup main`,
    remove: () => "ip -6 rule del priority 100",
  },
  {
    name: "IPv6 with a mark that the gate lets out",
    devices: ["tablet"],
    cause: "ipv6-beside-tunnel",
    verdict: "leaking",
    seenOutside: true,
    inject: ({ v6 }) =>
      `nft 'table inet other { chain c { type filter hook prerouting priority -100; ip6 saddr ${v6} meta mark set 0xc0ee0001; }; }'`,
    remove: () => "nft delete table inet other",
  },
  {
    name: "a wrong route in the table of an egress",
    devices: ["phone"],
    cause: "wrong-route",
    verdict: "at-risk",
    isHealed: true,
    inject: ({ table }) => `ip route replace default via 192.0.2.2 dev wan0 table ${table} metric 1`,
  },
  {
    name: "a wrong route in the place of ours",
    devices: ["phone"],
    cause: "wrong-route",
    verdict: "at-risk",
    isHealed: true,
    inject: ({ table }) => `ip route replace default via 192.0.2.2 dev wan0 table ${table} metric 10`,
  },
  {
    name: "a gate that is gone",
    devices: allDevices,
    cause: "guard-missing",
    verdict: "at-risk",
    isHealed: true,
    inject: () => "nft delete table inet portcullis_guard",
  },
  {
    name: "a guard that is opened for one egress",
    devices: ["phone"],
    cause: "guard-missing",
    verdict: "at-risk",
    isHealed: true,
    inject: ({ mark }) => `nft add element inet portcullis_guard pairs '{ ${mark} . "wan0" }'`,
  },
  {
    name: "a device whose policy the steering table has lost: the guard knows the sender",
    devices: ["laptop"],
    cause: "steering-changed",
    verdict: "at-risk",
    isHealed: true,
    inject: ({ mac }) => forgetDevice(mac),
  },
  {
    name: "a device whose policy the whole kernel has lost",
    devices: ["laptop"],
    cause: "steering-changed",
    verdict: "leaking",
    seenOutside: true,
    isHealed: true,
    inject: ({ mac }) => `${forgetDevice(mac)}; nft delete element inet portcullis_guard protected_mac '{ ${mac} }'`,
  },
  {
    name: "a protected sender that the guard has lost",
    devices: ["laptop"],
    cause: "guard-missing",
    verdict: "at-risk",
    isHealed: true,
    inject: ({ mac }) => `nft delete element inet portcullis_guard protected_mac '{ ${mac} }'`,
  },
  {
    name: "a device that another program lets out in the kernel",
    devices: ["phone"],
    cause: "steering-changed",
    verdict: "at-risk",
    isHealed: true,
    inject: ({ mac }) => `nft add element inet portcullis direct_mac '{ ${mac} }'`,
  },
  {
    name: "a connection that runs by the uplink",
    devices: ["phone"],
    cause: "stale-connection",
    verdict: "leaking",
    // Under the epoch that stands when it is planted: healing what was planted before may have begun another one.
    inject: ({ v4 }) =>
      `epoch=$(nft -t list table inet portcullis | grep -oE 'canary_[0-9]+' | head -1 | cut -d_ -f2); conntrack -D -s ${v4} >/dev/null 2>&1; conntrack -I -p udp -s ${v4} -d ${server.v4} --sport 5555 --dport 6666 -r ${server.v4} -q 192.0.2.1 --reply-port-src 6666 --reply-port-dst 5555 -t 300 -m $((epoch * 256 + 1))`,
    remove: ({ v4 }) => `conntrack -D -s ${v4}`,
  },
  {
    name: "a tunnel whose far end is the uplink's own address",
    devices: ["phone"],
    cause: "tunnel-egress-is-uplink",
    verdict: "leaking",
    elsewhere: {
      host: "outside",
      plant:
        'nft "table ip exit { chain c { type nat hook input priority 100; iifname from-t1 tcp dport 8000 snat to 192.0.2.1; }; }"',
      uproot: "nft delete table ip exit",
    },
  },
  {
    name: "a foreign resolver that a device queries",
    devices: ["laptop"],
    cause: "foreign-resolver",
    verdict: "at-risk",
    elsewhere: { host: "laptop", plant: `kdig +timeout=1 +retry=0 @${server.v4} foreign.lab || true` },
    remove: ({ v4 }) => `conntrack -D -s ${v4}`,
  },
  {
    name: "queries that are redirected to the resolver of another egress",
    devices: ["phone"],
    cause: "dns-in-the-clear",
    verdict: "at-risk",
    isHealed: true,
    inject: ({ mark }) =>
      `nft 'delete element inet portcullis_redirect resolver_port { ${mark} }; add element inet portcullis_redirect resolver_port { ${mark} : 18008 }'`,
  },
  {
    name: "kernel settings that another program changed",
    devices: ["tablet"],
    cause: "kernel-settings",
    verdict: "at-risk",
    inject: () => "sysctl -qw net.ipv4.conf.t3.rp_filter=1",
    remove: () => "sysctl -qw net.ipv4.conf.t3.rp_filter=0",
  },
  {
    name: "another router for IPv6 on the LAN",
    devices: allDevices,
    cause: "ipv6-beside-tunnel",
    verdict: "at-risk",
    inject: () => "ip -6 neigh replace fe80::66 lladdr 02:66:66:66:66:66 dev lan0 router nud permanent",
    remove: () => "ip -6 neigh del fe80::66 dev lan0",
  },
];
