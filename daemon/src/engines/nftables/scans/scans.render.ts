import { aims } from "../steering/attempts.render.ts";
import { interfaces } from "../table.model.ts";
import type { Scans } from "./scans.model.ts";

export const scansTable = "inet portcullis_scans";

/** How long a target is recorded after its first packet. A target is recorded once in this time, however often it is used. */
export const recordedSec = 900;
const maxTargets = 65_536;
const maxSenders = 8192;

/** One sender cannot fill the sets of targets: beyond this it is a scanner, or as busy as one. */
const rateOfSender = "5/second burst 2000 packets";

/** Per sender, how many targets were new. Small, so that it can be read often. */
export const sendersSet = "senders";
/** Sender, address, protocol and port of the first packets of connections. */
export const targetSets = ["targets4", "targets6"] as const;
/** New targets that found no place in a set. */
export const unrecordedCounter = "unrecorded";

/**
 * Records to which addresses and ports each device opens connections. The rules have no verdict, and the table is its own:
 * whatever happens to it, the same packets pass. Its hook is before that of steering, so that packets that steering drops or
 * refuses are recorded too, and before any translation of addresses.
 *
 * Only first packets leave the base chain: steering marks a connection with its first packet, and without answers every datagram
 * of a flow would count as new. A TCP packet without ACK and RST opens a connection, or tests a port as no connection does;
 * connection tracking calls the latter invalid. When a set is full, adding to it fails and ends the rule, and the packet is
 * counted as not recorded.
 */
export const renderScans = ({ lan }: Scans): string => `table ${scansTable} {
${set(sendersSet, "ether_addr", maxSenders)}
${set("limited", "ether_addr", maxSenders)}
${set(targetSets[0], "ether_addr . ipv4_addr . inet_proto . inet_service", maxTargets)}
${set(targetSets[1], "ether_addr . ipv6_addr . inet_proto . inet_service", maxTargets)}
	counter ${unrecordedCounter} { }
	chain prerouting { type filter hook prerouting priority mangle - 1; policy accept; }
	chain opening { }
	chain target { }
	chain record { }
}
${["prerouting", "opening", "target", "record"].map((chain) => `flush chain ${scansTable} ${chain}\n`).join("")}table ${scansTable} {
	chain prerouting {
		ct mark 0x0 ct state new iifname ${interfaces(lan)} jump opening
		ct state invalid iifname ${interfaces(lan)} jump opening
	}
	chain opening {
${aims.map((aim) => `\t\t${aim} return\n`).join("")}		tcp flags & (rst | ack) == 0x0 goto target
		meta l4proto udp goto target
	}
	chain target {
		${target("ip")} @${targetSets[0]} return
		${target("ip6")} @${targetSets[1]} return
		update @${sendersSet} { ether saddr counter } goto record
		counter name ${unrecordedCounter}
	}
	chain record {
		update @limited { ether saddr limit rate over ${rateOfSender} } return
		add @${targetSets[0]} { ${target("ip")} } return
		add @${targetSets[1]} { ${target("ip6")} } return
		counter name ${unrecordedCounter}
	}
}
`;

const target = (family: "ip" | "ip6"): string => `ether saddr . ${family} daddr . meta l4proto . th dport`;

const set = (name: string, type: string, size: number): string => `	set ${name} {
		type ${type}
		size ${size}
		flags dynamic, timeout
		timeout ${recordedSec / 60}m
	}`;
