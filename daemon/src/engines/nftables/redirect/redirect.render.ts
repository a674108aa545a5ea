import { ownUsers, userOf } from "../../sandbox/sandbox.model.ts";
import { hex, routedMark, routedMask } from "../marks.model.ts";
import { blockEgress } from "../nftables.model.ts";
import { type NamesPart, namesPart } from "./dns-redirect.render.ts";
import { isBent, listenerCounters, type Proxies, type RedirectorRules, redirectorCounters } from "./redirect.model.ts";
import { interfaces } from "../table.model.ts";

export const proxiesTable = "inet portcullis_redirect";

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
  const names = namesPart(proxies.names, lan);
  if (redirectors.length === 0 && listeners.length === 0) return proxies.names ? resolversOnly(proxies, names) : nobody;
  const holders = [...holdersOf(proxies), ...names.holders];
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
  .join("")}\tcounter wrong_egress { }
	chain prerouting_redirect { type nat hook prerouting priority dstnat; policy accept; }
	chain output_redirect { type nat hook output priority -100; policy accept; }
	chain input { type filter hook input priority filter; policy accept; }
	chain output_mark { type route hook output priority mangle; policy accept; }
	chain postrouting_check { type filter hook postrouting priority filter; policy accept; }
	chain postrouting_source { type filter hook postrouting priority srcnat + 100; policy accept; }
	chain assign_egress { }
	chain check_egress { }
	chain servers { }
	chain check_source { }
}
${["prerouting_redirect", "output_redirect", "input", "output_mark", "postrouting_check", "postrouting_source", "assign_egress", "check_egress", "servers", "check_source"].map((name) => `flush chain ${proxiesTable} ${name}\n`).join("")}${holders
  .map(({ name }) => {
    const [kind, plain] = name.split(" ");
    return `flush ${kind} ${proxiesTable} ${plain}\n`;
  })
  .join("")}table ${proxiesTable} {
${holders
  .filter(({ elements }) => elements.length > 0)
  .map(({ name, type, elements }) => `\t${name} {\n\t\ttype ${type}\n\t\telements = { ${elements.join(", ")} }\n\t}\n`)
  .join("")}	# Only what was steered there. Its other packets find the way of that egress: nowhere.
	chain prerouting_redirect {
${rules(names.bend)}		meta nfproto ipv4 meta l4proto tcp redirect to :meta mark and ${hex(routedMask)} map @redirect_port
	}
	# What a resolver asks by a way whose last hop is a proxy is a connection like any other.
	chain output_redirect {
		meta skuid ${ours} meta nfproto ipv4 meta l4proto tcp redirect to :meta mark and ${hex(routedMask)} map @redirect_port
${rules(bentIn(proxies).length > 0 ? ['meta nfproto ipv4 meta l4proto tcp oifname "lo" ip daddr != 127.0.0.0/8 redirect to :meta skuid map @user_redirect_port'] : [])}${rules(names.ownBend)}	}
	chain input {
${rules([
  ...names.input,
  ...(ports.length > 0 ? [`tcp dport ${oneOf(ports)} ct status and dnat == 0 drop`] : []),
  ...(doors.length > 0 ? [`tcp dport ${oneOf(doors)} iifname != ${inside} drop`] : []),
  ...redirectors.map((it) => `tcp dport ${it.port} counter name ${redirectorCounters(it).received}`),
  ...listeners.map((it) => `tcp dport ${it.port} counter name ${listenerCounters(it).received}`),
])}	}
	# A listener answers its clients in the reply direction; whatever it begins itself goes out by its way. These chains
	# see every packet that leaves, forwarded ones and those of tunnels too, so each asks little of those it is not about.
	chain output_mark {
${rules(
  ifAny([
    "meta l4proto tcp meta mark set ip daddr . tcp dport map @server4_mark",
    "meta l4proto tcp meta mark set ip6 daddr . tcp dport map @server6_mark",
    "ct direction reply accept",
    `ct mark and ${hex(ownMask)} == ${hex(ownConnection)} meta mark set ct mark and 0x000000ff or 0x80000000`,
    `meta skuid ${ours} goto assign_egress`,
  ]),
)}	}
	# Nobody begins anything in the LAN. What seems so is an answer to a device whose connection was forgotten meanwhile: it
	# goes home or nowhere.
	chain assign_egress {
${rules([...(proxies.lan.length > 0 ? [`oifname ${interfaces(proxies.lan)} return`] : []), ...names.given])}		meta mark set meta skuid map @user_mark
		meta skuid @users ct mark set meta mark and 0x000000ff or ${hex(ownConnection)}
	}
	# Only here is it known by which interface a packet leaves: in the hook that gives it a mark, the old one is still told.
	chain postrouting_check {
${rules([
  ...redirectors.map((it) => `tcp sport ${it.port} counter name ${redirectorCounters(it).sent}`),
  ...listeners.map((it) => `tcp sport ${it.port} counter name ${listenerCounters(it).sent}`),
])}		meta skuid ${ours} goto check_egress
		ct mark and ${hex(ownMask)} == ${hex(ownConnection)} ct direction original meta mark . oifname != @egress_interface counter name wrong_egress drop
${rules(ifAny(["meta l4proto tcp goto servers"]))}	}
	chain check_egress {
		meta skuid != @users counter name wrong_egress drop
${rules(names.confined)}		ct direction reply oifname ${inside} accept
		meta skuid . oifname != @user_interface counter name wrong_egress drop
	}
	chain servers {
		ip daddr . tcp dport @servers4 ip daddr . tcp dport . oifname != @server4_interface counter name wrong_egress drop
		ip6 daddr . tcp dport @servers6 ip6 daddr . tcp dport . oifname != @server6_interface counter name wrong_egress drop
	}
	# The end of a connection that is no longer tracked is not masqueraded: it would show the uplink's address to whoever
	# is behind the way.
	chain postrouting_source {
${rules(
  ifAny([
    `oifname ${inside} accept`,
    `meta skuid ${ours} goto check_source`,
    `ct mark and ${hex(ownMask)} == ${hex(ownConnection)} goto check_source`,
    "ip daddr . tcp dport @servers4 goto check_source",
    "ip6 daddr . tcp dport @servers6 goto check_source",
  ]),
)}	}
	chain check_source {
		fib saddr . oif type != local counter name wrong_egress drop
	}
}
`;
}

/** Resolvers without a proxy beside them: much less has to be asked of other packets. */
function resolversOnly(proxies: Proxies, names: NamesPart): string {
  const held = [...holdersOf(proxies).filter(({ name }) => ofUsers.has(name)), ...names.holders];
  const ours = `${ownUsers.first}-${ownUsers.last}`;
  return `table ${proxiesTable} {
}
delete table ${proxiesTable}
table ${proxiesTable} {
${held.map(({ name, type, elements }) => `\t${name} {\n\t\ttype ${type}\n${elements.length === 0 ? "" : `\t\telements = { ${elements.join(", ")} }\n`}\t}\n`).join("")}	counter wrong_egress { }
	chain assign_egress {
${rules(names.given)}		meta mark set meta skuid map @user_mark
	}
	chain check_egress {
		meta skuid != @users counter name wrong_egress drop
${rules(names.confined)}		ct direction reply oifname ${interfaces(["lo", ...proxies.lan])} accept
		meta skuid . oifname != @user_interface counter name wrong_egress drop
	}
	chain prerouting_redirect {
		type nat hook prerouting priority dstnat; policy accept;
${rules(names.bend)}	}
	chain output_redirect {
		type nat hook output priority -100; policy accept;
${rules(names.ownBend)}	}
	chain input {
		type filter hook input priority filter; policy accept;
${rules(names.input)}	}
	chain output_mark {
		type route hook output priority mangle; policy accept;
		meta skuid ${ours} goto assign_egress
	}
	chain postrouting_check {
		type filter hook postrouting priority filter; policy accept;
		meta skuid ${ours} goto check_egress
	}
}
`;
}

const ofUsers = new Set(["map user_mark", "set users", "set user_interface"]);

/**
 * Without proxies nothing is asked of packets but whether a program of ours is left that nobody wants, or a connection it
 * began: the last words of a socket whose program is gone have no user any more. An empty chain costs every packet, too.
 */
const nobody = `table ${proxiesTable} {
}
delete table ${proxiesTable}
table ${proxiesTable} {
	counter wrong_egress { }
	chain postrouting_check { type filter hook postrouting priority filter; policy accept; }
}
table ${proxiesTable} {
	chain postrouting_check {
		meta skuid ${ownUsers.first}-${ownUsers.last} counter name wrong_egress drop
		ct mark and ${hex(ownMask)} == ${hex(ownConnection)} ct direction original counter name wrong_egress drop
	}
}
`;

interface Held {
  readonly name: string;
  readonly type: string;
  readonly elements: readonly string[];
}

/** Programs whose connections are bent whatever their mark: none of their packets has a way by which it could leave. */
const bentIn = ({ redirectors, names }: Proxies): string[] =>
  (names?.programs ?? []).filter(isBent).flatMap(({ userId, way }) => {
    const to = redirectors.find(({ egresses }) => egresses.some((egress) => routedMark(egress) === way?.mark));
    return to ? [`${userId} : ${to.port}`] : [];
  });

function holdersOf(proxies: Proxies): Held[] {
  const { redirectors, listeners, names } = proxies;
  const bent = bentIn(proxies);
  const users = [
    ...[...listeners, ...redirectors.map((it) => ({ ...it, userId: userOf(it.port) }))].map((it) => ({
      userId: it.userId,
      way: { mark: it.mark, interfaces: [it.interface] },
    })),
    ...(names?.programs ?? []),
  ];
  const ways = users.flatMap(({ userId, way }) => (way ? [{ userId, ...way }] : []));
  const [servers4, servers6] = [serversIn(redirectors, isV4), serversIn(redirectors, (it) => !isV4(it))];
  return [
    {
      name: "map redirect_port",
      type: "mark : inet_service",
      elements: redirectors.flatMap(({ egresses, port }) =>
        egresses.map((egress) => `${hex(routedMark(egress))} : ${port}`),
      ),
    },
    ...(bent.length > 0 ? [{ name: "map user_redirect_port", type: "uid : inet_service", elements: bent }] : []),
    { name: "map server4_mark", type: "ipv4_addr . inet_service : mark", elements: servers4.marks },
    { name: "map server6_mark", type: "ipv6_addr . inet_service : mark", elements: servers6.marks },
    { name: "set servers4", type: "ipv4_addr . inet_service", elements: servers4.doors },
    { name: "set servers6", type: "ipv6_addr . inet_service", elements: servers6.doors },
    { name: "set server4_interface", type: "ipv4_addr . inet_service . ifname", elements: servers4.ways },
    { name: "set server6_interface", type: "ipv6_addr . inet_service . ifname", elements: servers6.ways },
    { name: "map user_mark", type: "uid : mark", elements: ways.map(({ userId, mark }) => `${userId} : ${hex(mark)}`) },
    { name: "set users", type: "uid", elements: users.map(({ userId }) => String(userId)) },
    {
      name: "set user_interface",
      type: "uid . ifname",
      elements: once(ways.flatMap(({ userId, interfaces: all }) => all.map((name) => `${userId} . "${name}"`))),
    },
    {
      name: "set egress_interface",
      type: "mark . ifname",
      elements: once(ways.flatMap(({ mark, interfaces: all }) => all.map((name) => `${hex(mark)} . "${name}"`))),
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
