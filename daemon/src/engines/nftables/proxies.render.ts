import { ownUsers, userOf } from "../confinement/confinement.model.ts";
import { hex, routedMark, routedMask } from "./marks.model.ts";
import { blockEgress } from "./nftables.model.ts";
import { listenerCounters, type Proxies, type RedirectorRules, redirectorCounters } from "./proxies.model.ts";
import { interfaces } from "./table.model.ts";

export const proxiesTable = "inet portcullis_proxies";

/** How a connection's mark says that a program of ours began it. Below every epoch. */
const ownConnection = 0x00ed_0000;
const ownMask = 0xffff_ff00;

/**
 * The table of the proxies, whole. Connections of devices are bent to a redirector after they were steered; what
 * redirectors and listeners send themselves is given its way here, packet by packet, and dropped if it leaves by another.
 *
 * A program of ours that nobody wants any more, or that was started too early, has a user we do not know, and is mute.
 * Kernel-made packets of a connection whose socket is gone have no user any more. So a listener's connections also carry
 * their way in the connection's mark, which has no epoch and is nothing steering would know.
 */
export function renderProxies(proxies: Proxies): string {
  const { lan, redirectors, listeners } = proxies;
  if (redirectors.length === 0 && listeners.length === 0) return nobody;
  const holders = holdersOf(proxies);
  const ports = redirectors.map(({ port }) => port);
  const doors = listeners.map(({ port }) => port);
  const inside = interfaces(["lo", ...lan]);
  const ours = `${ownUsers.first}-${ownUsers.last}`;
  // Without any, what is left of them is dropped on the wire already, and all other packets are spared the questions.
  const ifAny = (lines: readonly string[]): readonly string[] => (ports.length + doors.length > 0 ? lines : []);
  const counters = [...redirectors.map(redirectorCounters), ...listeners.map(listenerCounters)];
  return `table ${proxiesTable} {
${holders.map(({ name, type }) => `\t${name} {\n\t\ttype ${type}\n\t}\n`).join("")}${counters
  .flatMap(({ received, sent }) => [received, sent])
  .map((name) => `\tcounter ${name} { }\n`)
  .join("")}\tcounter astray { }
	chain bend { type nat hook prerouting priority dstnat; policy accept; }
	chain input { type filter hook input priority filter; policy accept; }
	chain leave { type route hook output priority mangle; policy accept; }
	chain wire { type filter hook postrouting priority filter; policy accept; }
	chain sender { type filter hook postrouting priority srcnat + 100; policy accept; }
	chain given { }
	chain confined { }
	chain servers { }
	chain honest { }
}
${["bend", "input", "leave", "wire", "sender", "given", "confined", "servers", "honest"].map((name) => `flush chain ${proxiesTable} ${name}\n`).join("")}${holders
  .map(({ name }) => {
    const [kind, plain] = name.split(" ");
    return `flush ${kind} ${proxiesTable} ${plain}\n`;
  })
  .join("")}table ${proxiesTable} {
${holders
  .filter(({ elements }) => elements.length > 0)
  .map(({ name, type, elements }) => `\t${name} {\n\t\ttype ${type}\n\t\telements = { ${elements.join(", ")} }\n\t}\n`)
  .join("")}	# Only what was steered there. Its other packets find the way of that egress: nowhere.
	chain bend {
		meta nfproto ipv4 meta l4proto tcp redirect to :meta mark and ${hex(routedMask)} map @redirected
	}
	chain input {
${rules([
  ...(ports.length > 0 ? [`tcp dport ${oneOf(ports)} ct status and dnat == 0 drop`] : []),
  ...(doors.length > 0 ? [`tcp dport ${oneOf(doors)} iifname != ${inside} drop`] : []),
  ...redirectors.map((it) => `tcp dport ${it.port} counter name ${redirectorCounters(it).received}`),
  ...listeners.map((it) => `tcp dport ${it.port} counter name ${listenerCounters(it).received}`),
])}	}
	# A listener answers its clients in the reply direction; whatever it begins itself goes out by its way. These chains
	# see every packet that leaves, forwarded ones and those of tunnels too, so each asks little of those it is not about.
	chain leave {
${rules(
  ifAny([
    "meta l4proto tcp meta mark set ip daddr . tcp dport map @server4",
    "meta l4proto tcp meta mark set ip6 daddr . tcp dport map @server6",
    "ct direction reply accept",
    `ct mark and ${hex(ownMask)} == ${hex(ownConnection)} meta mark set ct mark and 0x000000ff or 0x80000000`,
    `meta skuid ${ours} goto given`,
  ]),
)}	}
	chain given {
		meta mark set meta skuid map @user
		meta skuid @users ct mark set meta mark and 0x000000ff or ${hex(ownConnection)}
	}
	# Only here is it known by which interface a packet leaves: in the hook that gives it a mark, the old one is still told.
	chain wire {
${rules([
  ...redirectors.map((it) => `tcp sport ${it.port} counter name ${redirectorCounters(it).sent}`),
  ...listeners.map((it) => `tcp sport ${it.port} counter name ${listenerCounters(it).sent}`),
])}		meta skuid ${ours} goto confined
		ct mark and ${hex(ownMask)} == ${hex(ownConnection)} ct direction original meta mark . oifname != @ways counter name astray drop
${rules(ifAny(["meta l4proto tcp goto servers"]))}	}
	chain confined {
		meta skuid != @users counter name astray drop
		ct direction reply oifname ${inside} accept
		meta skuid . oifname != @user_way counter name astray drop
	}
	chain servers {
		ip daddr . tcp dport @servers4 ip daddr . tcp dport . oifname != @server4_way counter name astray drop
		ip6 daddr . tcp dport @servers6 ip6 daddr . tcp dport . oifname != @server6_way counter name astray drop
	}
	# The end of a connection that is no longer tracked is not masqueraded: it would show the uplink's address to whoever
	# is behind the way.
	chain sender {
${rules(
  ifAny([
    `oifname ${inside} accept`,
    `meta skuid ${ours} goto honest`,
    `ct mark and ${hex(ownMask)} == ${hex(ownConnection)} goto honest`,
    "ip daddr . tcp dport @servers4 goto honest",
    "ip6 daddr . tcp dport @servers6 goto honest",
  ]),
)}	}
	chain honest {
		fib saddr . oif type != local counter name astray drop
	}
}
`;
}

/**
 * Without proxies nothing is asked of packets but whether a program of ours is left that nobody wants, or a connection it
 * began: the last words of a socket whose program is gone have no user any more. An empty chain costs every packet, too.
 */
const nobody = `table ${proxiesTable} {
}
delete table ${proxiesTable}
table ${proxiesTable} {
	counter astray { }
	chain wire { type filter hook postrouting priority filter; policy accept; }
}
table ${proxiesTable} {
	chain wire {
		meta skuid ${ownUsers.first}-${ownUsers.last} counter name astray drop
		ct mark and ${hex(ownMask)} == ${hex(ownConnection)} ct direction original counter name astray drop
	}
}
`;

interface Held {
  readonly name: string;
  readonly type: string;
  readonly elements: readonly string[];
}

function holdersOf({ redirectors, listeners }: Proxies): Held[] {
  const users = [...listeners, ...redirectors.map((it) => ({ ...it, userId: userOf(it.port) }))];
  const [servers4, servers6] = [serversIn(redirectors, isV4), serversIn(redirectors, (it) => !isV4(it))];
  return [
    {
      name: "map redirected",
      type: "mark : inet_service",
      elements: redirectors.flatMap(({ egresses, port }) =>
        egresses.map((egress) => `${hex(routedMark(egress))} : ${port}`),
      ),
    },
    { name: "map server4", type: "ipv4_addr . inet_service : mark", elements: servers4.marks },
    { name: "map server6", type: "ipv6_addr . inet_service : mark", elements: servers6.marks },
    { name: "set servers4", type: "ipv4_addr . inet_service", elements: servers4.doors },
    { name: "set servers6", type: "ipv6_addr . inet_service", elements: servers6.doors },
    { name: "set server4_way", type: "ipv4_addr . inet_service . ifname", elements: servers4.ways },
    { name: "set server6_way", type: "ipv6_addr . inet_service . ifname", elements: servers6.ways },
    { name: "map user", type: "uid : mark", elements: users.map(({ userId, mark }) => `${userId} : ${hex(mark)}`) },
    { name: "set users", type: "uid", elements: users.map(({ userId }) => String(userId)) },
    { name: "set user_way", type: "uid . ifname", elements: users.map((it) => `${it.userId} . "${it.interface}"`) },
    {
      name: "set ways",
      type: "mark . ifname",
      elements: once(users.map((it) => `${hex(it.mark)} . "${it.interface}"`)),
    },
  ];
}

const isV4 = ({ server }: RedirectorRules): boolean => !server.address.includes(":");

/** A server that two reach by different ways has none of its own: their users tell their packets apart. */
function serversIn(redirectors: readonly RedirectorRules[], belongs: (it: RedirectorRules) => boolean) {
  const door = ({ server }: RedirectorRules) => `${server.address} . ${server.port}`;
  const here = redirectors.filter(belongs);
  const marks = new Map<string, number>();
  for (const it of here) {
    const before = marks.get(door(it));
    marks.set(door(it), before === undefined || before === it.mark ? it.mark : routedMark(blockEgress));
  }
  return {
    marks: [...marks].map(([key, mark]) => `${key} : ${hex(mark)}`),
    doors: [...marks.keys()],
    ways: once(here.map((it) => `${door(it)} . "${it.interface}"`)),
  };
}

const once = (texts: readonly string[]): string[] => [...new Set(texts)];
const oneOf = (ports: readonly number[]): string => `{ ${once(ports.map(String)).join(", ")} }`;
const rules = (lines: readonly string[]): string => lines.map((line) => `\t\t${line}\n`).join("");
