import { ownUsers, userOf } from "../../sandbox/sandbox.model.ts";
import { hex, routedMark, routedMask } from "../marks.model.ts";
import { blockEgress } from "../nftables.model.ts";
import { type DnsPart, dnsPart } from "./dns-redirect.render.ts";
import {
  isRedirected,
  listenerCounters,
  type Redirect,
  type RedirectorRules,
  redirectorCounters,
} from "./redirect.model.ts";
import { interfaces } from "../table.model.ts";

export const redirectTable = "inet portcullis_redirect";

/** The connection mark of connections that our programs open. Below every epoch. */
const ownConnection = 0x00ed_0000;
const ownMask = 0xffff_ff00;

/**
 * The redirect table. Connections of devices are redirected to a redirector after they were steered. What
 * redirectors and listeners send themselves gets the mark of its egress here, per packet, and is dropped on any other interface.
 *
 * A program of ours that is no longer wanted, or was started too early, has an unknown user and can send nothing.
 * The kernel's packets for a connection without a socket have no user. So a listener's connections also have
 * their egress in the connection mark, which has no epoch and means nothing to steering.
 */
export function renderRedirect(redirect: Redirect): string {
  const { lan, redirectors, listeners } = redirect;
  const dns = dnsPart(redirect.dns, lan);
  if (redirectors.length === 0 && listeners.length === 0) return redirect.dns ? dnsOnly(redirect, dns) : noRedirect;
  const sets = [...setsOf(redirect), ...dns.sets];
  const ports = redirectors.map(({ port }) => port);
  const listenerPorts = listeners.map(({ port }) => port);
  const inside = interfaces(["lo", ...lan]);
  const ours = `${ownUsers.first}-${ownUsers.last}`;
  // Without any, leftover packets are dropped in postrouting already, and all other packets are spared these rules.
  const ifAny = (lines: readonly string[]): readonly string[] => (ports.length + listenerPorts.length > 0 ? lines : []);
  const counters = [...redirectors.map(redirectorCounters), ...listeners.map(listenerCounters)];
  return `table ${redirectTable} {
${sets.map(({ name, type }) => `\t${name} {\n\t\ttype ${type}\n\t}\n`).join("")}${counters
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
${["prerouting_redirect", "output_redirect", "input", "output_mark", "postrouting_check", "postrouting_source", "assign_egress", "check_egress", "servers", "check_source"].map((name) => `flush chain ${redirectTable} ${name}\n`).join("")}${sets
  .map(({ name }) => {
    const [kind, plain] = name.split(" ");
    return `flush ${kind} ${redirectTable} ${plain}\n`;
  })
  .join("")}table ${redirectTable} {
${sets
  .filter(({ elements }) => elements.length > 0)
  .map(({ name, type, elements }) => `\t${name} {\n\t\ttype ${type}\n\t\telements = { ${elements.join(", ")} }\n\t}\n`)
  .join("")}	# Only connections that were steered to a proxy. Other packets of that egress have no route.
	chain prerouting_redirect {
${rules(dns.preroutingRedirect)}		meta nfproto ipv4 meta l4proto tcp redirect to :meta mark and ${hex(routedMask)} map @redirect_port
	}
	# Queries of a resolver whose last hop is a proxy are connections like any other.
	chain output_redirect {
		meta skuid ${ours} meta nfproto ipv4 meta l4proto tcp redirect to :meta mark and ${hex(routedMask)} map @redirect_port
${rules(redirectedUsers(redirect).length > 0 ? ['meta nfproto ipv4 meta l4proto tcp oifname "lo" ip daddr != 127.0.0.0/8 redirect to :meta skuid map @user_redirect_port'] : [])}${rules(dns.outputRedirect)}	}
	chain input {
${rules([
  ...dns.input,
  ...(ports.length > 0 ? [`tcp dport ${oneOf(ports)} ct status and dnat == 0 drop`] : []),
  ...(listenerPorts.length > 0 ? [`tcp dport ${oneOf(listenerPorts)} iifname != ${inside} drop`] : []),
  ...redirectors.map((it) => `tcp dport ${it.port} counter name ${redirectorCounters(it).received}`),
  ...listeners.map((it) => `tcp dport ${it.port} counter name ${listenerCounters(it).received}`),
])}	}
	# A listener answers its clients in the reply direction; connections it opens leave through its egress. These chains
	# see every packet that leaves, forwarded and tunnel packets too, so unrelated packets pass after few comparisons.
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
	# No program opens connections into the LAN. What looks like one is a reply without a conntrack entry: it
	# reaches the LAN or is dropped.
	chain assign_egress {
${rules([...(redirect.lan.length > 0 ? [`oifname ${interfaces(redirect.lan)} return`] : []), ...dns.assignEgress])}		meta mark set meta skuid map @user_mark
		meta skuid @users ct mark set meta mark and 0x000000ff or ${hex(ownConnection)}
	}
	# Only here is the final interface known: the hook that sets the mark still reports the old one.
	chain postrouting_check {
${rules([
  ...redirectors.map((it) => `tcp sport ${it.port} counter name ${redirectorCounters(it).sent}`),
  ...listeners.map((it) => `tcp sport ${it.port} counter name ${listenerCounters(it).sent}`),
])}		meta skuid ${ours} goto check_egress
		ct mark and ${hex(ownMask)} == ${hex(ownConnection)} ct direction original meta mark . oifname != @egress_interface counter name wrong_egress drop
${rules(ifAny(["meta l4proto tcp goto servers"]))}	}
	chain check_egress {
		meta skuid != @users counter name wrong_egress drop
${rules(dns.checkEgress)}		ct direction reply oifname ${inside} accept
		meta skuid . oifname != @user_interface counter name wrong_egress drop
	}
	chain servers {
		ip daddr . tcp dport @servers4 ip daddr . tcp dport . oifname != @server4_interface counter name wrong_egress drop
		ip6 daddr . tcp dport @servers6 ip6 daddr . tcp dport . oifname != @server6_interface counter name wrong_egress drop
	}
	# The end of a connection without a conntrack entry is not masqueraded: it would show the uplink's address to the
	# other end of the egress.
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

/** Resolvers without a proxy: other packets pass far fewer rules. */
function dnsOnly(redirect: Redirect, dns: DnsPart): string {
  const held = [...setsOf(redirect).filter(({ name }) => ofUsers.has(name)), ...dns.sets];
  const ours = `${ownUsers.first}-${ownUsers.last}`;
  return `table ${redirectTable} {
}
delete table ${redirectTable}
table ${redirectTable} {
${held.map(({ name, type, elements }) => `\t${name} {\n\t\ttype ${type}\n${elements.length === 0 ? "" : `\t\telements = { ${elements.join(", ")} }\n`}\t}\n`).join("")}	counter wrong_egress { }
	chain assign_egress {
${rules(dns.assignEgress)}		meta mark set meta skuid map @user_mark
	}
	chain check_egress {
		meta skuid != @users counter name wrong_egress drop
${rules(dns.checkEgress)}		ct direction reply oifname ${interfaces(["lo", ...redirect.lan])} accept
		meta skuid . oifname != @user_interface counter name wrong_egress drop
	}
	chain prerouting_redirect {
		type nat hook prerouting priority dstnat; policy accept;
${rules(dns.preroutingRedirect)}	}
	chain output_redirect {
		type nat hook output priority -100; policy accept;
${rules(dns.outputRedirect)}	}
	chain input {
		type filter hook input priority filter; policy accept;
${rules(dns.input)}	}
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
 * Without proxies and resolvers, only packets of leftover programs of ours are dropped, and of connections they
 * opened: packets of a socket whose process is gone have no user. An empty chain would cost every packet, too.
 */
const noRedirect = `table ${redirectTable} {
}
delete table ${redirectTable}
table ${redirectTable} {
	counter wrong_egress { }
	chain postrouting_check { type filter hook postrouting priority filter; policy accept; }
}
table ${redirectTable} {
	chain postrouting_check {
		meta skuid ${ownUsers.first}-${ownUsers.last} counter name wrong_egress drop
		ct mark and ${hex(ownMask)} == ${hex(ownConnection)} ct direction original counter name wrong_egress drop
	}
}
`;

interface TableSet {
  readonly name: string;
  readonly type: string;
  readonly elements: readonly string[];
}

/** Programs whose connections are redirected whatever their mark: their egress has no interface. */
const redirectedUsers = ({ redirectors, dns }: Redirect): string[] =>
  (dns?.programs ?? []).filter(isRedirected).flatMap(({ userId, egress }) => {
    const to = redirectors.find(({ egresses }) => egresses.some((number) => routedMark(number) === egress?.mark));
    return to ? [`${userId} : ${to.port}`] : [];
  });

function setsOf(redirect: Redirect): TableSet[] {
  const { redirectors, listeners, dns } = redirect;
  const redirected = redirectedUsers(redirect);
  const users = [
    ...[...listeners, ...redirectors.map((it) => ({ ...it, userId: userOf(it.port) }))].map((it) => ({
      userId: it.userId,
      egress: { mark: it.mark, interfaces: [it.interface] },
    })),
    ...(dns?.programs ?? []),
  ];
  const egressUsers = users.flatMap(({ userId, egress }) => (egress ? [{ userId, ...egress }] : []));
  const [servers4, servers6] = [serversIn(redirectors, isV4), serversIn(redirectors, (it) => !isV4(it))];
  return [
    {
      name: "map redirect_port",
      type: "mark : inet_service",
      elements: redirectors.flatMap(({ egresses, port }) =>
        egresses.map((egress) => `${hex(routedMark(egress))} : ${port}`),
      ),
    },
    ...(redirected.length > 0
      ? [{ name: "map user_redirect_port", type: "uid : inet_service", elements: redirected }]
      : []),
    { name: "map server4_mark", type: "ipv4_addr . inet_service : mark", elements: servers4.marks },
    { name: "map server6_mark", type: "ipv6_addr . inet_service : mark", elements: servers6.marks },
    { name: "set servers4", type: "ipv4_addr . inet_service", elements: servers4.endpoints },
    { name: "set servers6", type: "ipv6_addr . inet_service", elements: servers6.endpoints },
    { name: "set server4_interface", type: "ipv4_addr . inet_service . ifname", elements: servers4.interfaces },
    { name: "set server6_interface", type: "ipv6_addr . inet_service . ifname", elements: servers6.interfaces },
    {
      name: "map user_mark",
      type: "uid : mark",
      elements: egressUsers.map(({ userId, mark }) => `${userId} : ${hex(mark)}`),
    },
    { name: "set users", type: "uid", elements: users.map(({ userId }) => String(userId)) },
    {
      name: "set user_interface",
      type: "uid . ifname",
      elements: once(egressUsers.flatMap(({ userId, interfaces: all }) => all.map((name) => `${userId} . "${name}"`))),
    },
    {
      name: "set egress_interface",
      type: "mark . ifname",
      elements: once(egressUsers.flatMap(({ mark, interfaces: all }) => all.map((name) => `${hex(mark)} . "${name}"`))),
    },
  ];
}

const isV4 = ({ server }: RedirectorRules): boolean => !server.address.includes(":");

/** A server that two programs reach through different egresses has no mark of its own: the user of the packet decides. */
function serversIn(redirectors: readonly RedirectorRules[], belongs: (it: RedirectorRules) => boolean) {
  const endpoint = ({ server }: RedirectorRules) => `${server.address} . ${server.port}`;
  const here = redirectors.filter(belongs);
  const marks = new Map<string, number>();
  for (const it of here) {
    const before = marks.get(endpoint(it));
    marks.set(endpoint(it), before === undefined || before === it.mark ? it.mark : routedMark(blockEgress));
  }
  return {
    marks: [...marks].map(([key, mark]) => `${key} : ${hex(mark)}`),
    endpoints: [...marks.keys()],
    interfaces: once(here.map((it) => `${endpoint(it)} . "${it.interface}"`)),
  };
}

const once = (texts: readonly string[]): string[] => [...new Set(texts)];
const oneOf = (ports: readonly number[]): string => `{ ${once(ports.map(String)).join(", ")} }`;
const rules = (lines: readonly string[]): string => lines.map((line) => `\t\t${line}\n`).join("");
