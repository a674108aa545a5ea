import type { Guard } from "./nftables.model.ts";
import { hex, routedMark, routedMask } from "./marks.model.ts";
import { interfaces } from "./table.model.ts";

export const guardTable = "inet portcullis_guard";

/**
 * The gate itself. It stands before the network does and no apply takes it away; only the pairs of egress and
 * interface change. `accept` in another table's chain is not the last word, `drop` here is.
 */
export function renderGuard({ lan, uplinks, uplinkPorts, pairs, later }: Guard): string {
  const behind = interfaces(lan);
  const out = interfaces(uplinks);
  const servers = later.toSorted((a, b) => (serverText(a) < serverText(b) ? -1 : 1));
  // A hop that runs inside another one would be worth nothing if somebody saw who its server is.
  const hidden =
    servers.length === 0
      ? ""
      : ["ip daddr . meta l4proto . th dport @later4", "ip6 daddr . meta l4proto . th dport @later6"]
          .map((isServer) => `\t\toifname ${out} ${isServer} counter name leak_wire drop\n`)
          .join("");
  const open = uplinkPorts.length === 0 ? "" : `\t\tiifname ${out} tcp dport { ${uplinkPorts.join(", ")} } accept\n`;
  return `table ${guardTable} {
	set pairs {
		type mark . ifname
	}
	set later4 {
		type ipv4_addr . inet_proto . inet_service
	}
	set later6 {
		type ipv6_addr . inet_proto . inet_service
	}
	counter leak_forward { }
	counter leak_output { }
	counter leak_wire { }
	counter strangers { }
	chain forward { type filter hook forward priority filter + 10; policy drop; }
	chain input { type filter hook input priority filter + 10; policy accept; }
	chain output { type filter hook output priority filter + 10; policy accept; }
	chain wire { type filter hook postrouting priority srcnat + 200; policy accept; }
}
flush chain ${guardTable} forward
flush chain ${guardTable} input
flush chain ${guardTable} output
flush chain ${guardTable} wire
flush set ${guardTable} pairs
flush set ${guardTable} later4
flush set ${guardTable} later6
table ${guardTable} {
	set pairs {
		type mark . ifname
${elements(pairs.map(({ egress, interface: name }) => `${hex(routedMark(egress))} . "${name}"`))}	}
	set later4 {
		type ipv4_addr . inet_proto . inet_service
${elements(servers.filter(({ address }) => !address.includes(":")).map(serverText))}	}
	set later6 {
		type ipv6_addr . inet_proto . inet_service
${elements(servers.filter(({ address }) => address.includes(":")).map(serverText))}	}
	# A valid mark says it all: steering gives it to nothing but what comes from the LAN in its own direction. Every packet
	# comes by here, so nothing is asked twice, and answers, which have no mark, are sorted out first.
	chain forward {
		ct direction reply oifname ${behind} ct mark and 0x000000ff or 0x80000000 . iifname @pairs accept
		meta mark and ${hex(routedMask)} . oifname @pairs accept
		counter name leak_forward drop
	}
	# The kernel is told not to look for forged senders (it would ask the routes about every packet), so that is done here.
	# A stray packet from outside must not even be answered: the answer would leave in the clear, quoting the packet.
	chain input {
		iifname != "lo" fib saddr type local fib daddr type local counter name strangers drop
		iifname ${interfaces(["lo", ...lan])} accept
		ct state established,related accept
		iifname ${out} udp dport { 68, 546 } accept
${open}		icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-advert } accept
		counter name strangers drop
	}
	# Nor may an answer that cannot be delivered be complained of by the uplink: complaints quote it too.
	chain output {
		icmp type { destination-unreachable, time-exceeded, parameter-problem } oifname ${out} counter name leak_output drop
		icmpv6 type { destination-unreachable, packet-too-big, time-exceeded, parameter-problem } oifname ${out} counter name leak_output drop
	}
	# The last look at what leaves. Where the gateway's own packets go is only sure here: others may have given them a way
	# after they were sent. They leave with the address of the interface they leave by, or not at all. Who looks for its
	# own address has none yet. What stays inside, and what was steered into a tunnel, was looked at when it was forwarded.
	chain wire {
		oifname ${behind} accept
		meta mark and 0x40000000 != 0 oifname != ${out} accept
		oifname ${out} iifname ${behind} meta mark and ${hex(routedMask)} . oifname != @pairs counter name leak_wire drop
${hidden}		ip6 saddr :: accept
		meta mark and 0x40000000 == 0 oifname != "lo" fib saddr . oif type != local counter name leak_output drop
	}
}
`;
}

const elements = (all: readonly string[]): string => (all.length === 0 ? "" : `\t\telements = { ${all.join(", ")} }\n`);

const serverText = ({ address, protocol, port }: Guard["later"][number]): string =>
  `${address} . ${protocol} . ${port}`;
