import { because, literal, type Reason } from "@portcullis/contract/reason";
import { contains, parseAddress, parseNetwork } from "../net/addresses.ts";
import type { Desired } from "../compiler/compile.ts";
import { isBlockedOnly, routingChanges } from "../engines/iproute/iproute.diff.ts";
import { isOurPriority, tableOf, unmarkedPriority } from "../engines/iproute/iproute.model.ts";
import { parseRoutes, parseRules } from "../engines/iproute/iproute.parse.ts";
import { guardTable, pairSets, renderGuard } from "../engines/nftables/guard/guard.render.ts";
import { hex, routedMark } from "../engines/nftables/marks.model.ts";
import { natRules, natTable } from "../engines/nftables/steering/nat.render.ts";
import { canonicalListing, differingElements, rulesIn, rulesListed } from "../engines/nftables/nftables.parse.ts";
import { elementsOff, protecting, releasing } from "../engines/nftables/sources/sources.model.ts";
import { sourcesIn } from "../engines/nftables/sources/sources.render.ts";
import { redirectTable } from "../engines/nftables/redirect/redirect.render.ts";
import { steering } from "../engines/nftables/steering/steering.render.ts";
import { steeringTable } from "../engines/nftables/steering/transaction.render.ts";
import { foreignResolvers, staleFlows } from "./flows.ts";
import { evidence, isProtected, type Finding, anyOrigin } from "./finding.ts";
import type { Kernel } from "./kernel.ts";
import type { ForeignRule, KernelRule } from "./kernel.parse.ts";
import type { Origin, Plan, Subject } from "./subjects.ts";

export interface Wanted extends Plan {
  readonly desired: Desired;
}

/** Compares the kernel with the compiled state. */
export const audit = (wanted: Wanted, kernel: Kernel, nowMs: number): Finding[] => [
  ...foreignRules(kernel),
  ...wrongRoutes(wanted, kernel),
  ...guardFindings(wanted, kernel, nowMs),
  ...steeringFindings(wanted, kernel, nowMs),
  ...translations(kernel),
  ...staleFlows(wanted, kernel),
  ...foreignResolvers(wanted, kernel),
  ...routersBeside(wanted, kernel),
  ...kernelSettings(wanted, kernel),
  ...resolverPorts(wanted, kernel, nowMs),
];

/** Rules with a lower priority number than ours: the kernel evaluates them first. */
const foreignRules = ({ rules }: Kernel): Finding[] =>
  rules.filter(isForeignBefore).map((rule) => ({
    cause: "foreign-rule",
    message: because("leak_rule_before", { rule: rule.text }),
    evidence: [
      evidence(
        literal(`ip -${rule.family} rule show`),
        because("seen_no_rule_before", { priority: String(unmarkedPriority) }),
        literal(rule.text),
      ),
    ],
    appliesTo: anyOrigin((origin) => mayMatch(rule, origin)),
  }));

function isForeignBefore({ priority, text, isForOwnPackets }: KernelRule): boolean {
  const isKernels = (priority === 0 && text === "0: from all lookup local") || text.includes("l3mdev");
  return priority < unmarkedPriority && !isKernels && !isForOwnPackets;
}

/** Whether a rule may match a device's packets, with any destination. */
export function mayMatch({ family, from, iif, mark, isInverted }: KernelRule, origin: Origin): boolean {
  if (family !== origin.family) return false;
  if (isInverted) return true;
  if (iif !== null && iif !== origin.lan) return false;
  if (mark && !origin.marks.some((it) => (it & mark.mask) >>> 0 === (mark.value & mark.mask) >>> 0)) return false;
  return from === null || isWithin(from, origin.address);
}

function isWithin(network: string, address: string): boolean {
  const [wide, one] = [parseNetwork(network), parseAddress(address)];
  return wide !== undefined && one !== undefined && wide.family === one.family && contains(wide, one);
}

/** Our own rules and tables: entries that are missing, added or replaced. */
function wrongRoutes({ desired }: Wanted, { ip }: Kernel): Finding[] {
  const actual = {
    rules: [...parseRules(ip.v4.rules, 4), ...parseRules(ip.v6.rules, 6)],
    routes: [...parseRoutes(ip.v4.routes, 4), ...parseRoutes(ip.v6.routes, 6)],
  };
  const wrong = routingChanges(desired.iproute, actual).filter((it) => !isBlockedOnly(it));
  return wrong.map(({ family, line, actual }) => {
    const [kind = "", verb = "", ...rest] = line.split(" ");
    const text = rest.join(" ");
    const isForeign = verb === "del";
    const about = { family, kind: because(kind === "rule" ? "kernel_rule" : "kernel_route") };
    const table = /(?:table|lookup) (\d+)/.exec(text)?.[1];
    return {
      cause: "wrong-route",
      message: isForeign
        ? because("leak_entry_added", { ...about, entry: text })
        : actual === undefined
          ? because("leak_entry_missing", { ...about, entry: text })
          : because("leak_entry_replaced", { ...about, entry: actual }),
      evidence: [
        evidence(
          literal(`ip -${family} ${kind} show${table === undefined || kind === "rule" ? "" : ` table ${table}`}`),
          isForeign ? nothingElse : literal(text),
          isForeign ? literal(text) : orNothing(actual ?? null),
        ),
      ],
      appliesTo: anyOrigin(
        (origin) =>
          origin.family === family &&
          (table === undefined ||
            isShared(Number(table)) ||
            origin.egresses.some((it) => tableOf(it) === Number(table))),
      ),
    };
  });
}

/** Tables that belong to no single egress. */
const isShared = (table: number): boolean => !isOurPriority(table) || table >= tableOf(0xf0);

function guardFindings({ desired }: Wanted, { ruleset, guard }: Kernel, nowMs: number): Finding[] {
  const [listed, expected] = [
    rulesListed(canonicalListing(ruleset, [guardTable])),
    rulesIn(renderGuard(desired.guard)),
  ];
  const dropsByDefault = /"hook": ?"forward"[^}]*"policy": ?"drop"/.test(guard);
  if (listed !== expected || !dropsByDefault)
    return [
      {
        cause: "guard-missing",
        message: because(listed === 0 ? "leak_guard_missing" : "leak_guard_changed"),
        evidence: [
          evidence(
            guardListing,
            because("seen_rules_dropping", { rules: expected }),
            because(dropsByDefault ? "seen_rules" : "seen_rules_accepting", { rules: listed }),
          ),
        ],
        appliesTo: isProtected,
        isOfGateway: true,
      },
    ];
  return [...pairFindings(desired.guard, guard, nowMs), ...sourceFindings(desired.protection, guard)];
}

const guardListing = literal(`nft list table ${guardTable}`);

/** The pairs of egress and interface that the guard accepts. */
function pairFindings({ pairs, uplinks }: Desired["guard"], guard: string, nowMs: number): Finding[] {
  const sets = pairSets(pairs, uplinks);
  return differingElements("portcullis_guard", sets, guard, nowMs).map(({ field, expected: is, actual }) => {
    const mark = Number(/0x[0-9a-f]+/.exec(field)?.[0] ?? 0);
    return {
      cause: "guard-missing",
      message:
        is === null
          ? because("leak_guard_opened", { element: field })
          : actual === null
            ? because("leak_guard_lacks", { element: field })
            : because("leak_guard_element", { element: field }),
      evidence: [
        evidence(
          guardListing,
          is === null ? nothingElse : literal(`${field} ${is}`.trim()),
          orNothing(actual && `${field} ${actual}`.trim()),
        ),
      ],
      appliesTo: anyOrigin((origin) => origin.egresses.some((it) => routedMark(it) === mark)),
    };
  });
}

/** Protected senders in the sets of the guard. */
function sourceFindings(wanted: Desired["protection"], guard: string): Finding[] {
  const held = sourcesIn(guard);
  const wrong = [...protecting(wanted, held), ...releasing(wanted, held)];
  return elementsOff(wrong, held).map(({ set, key, isMissing }) => ({
    cause: "guard-missing",
    message: because(isMissing ? "leak_guard_lacks_sender" : "leak_guard_other_sender", { sender: key, set }),
    evidence: [evidence(guardListing, isMissing ? literal(key) : nothingElse, isMissing ? nothing : literal(key))],
    appliesTo: set.endsWith("_mac") ? (subject: Subject) => isAbout(key, subject) : isProtected,
  }));
}

function steeringFindings({ desired }: Wanted, { ruleset, steering: table }: Kernel, nowMs: number): Finding[] {
  const { chains, sets } = steering(desired.steering, 0);
  const expected = natRules + chains.reduce((sum, { rules }) => sum + rules.length, 0);
  const listed = rulesListed(canonicalListing(ruleset, [steeringTable, natTable]));
  if (listed !== expected)
    return [
      {
        cause: "steering-changed",
        message: because("leak_steering_changed"),
        evidence: [
          evidence(
            literal(`nft list table ${steeringTable}`),
            because("seen_rules", { rules: expected }),
            because("seen_rules", { rules: listed }),
          ),
        ],
        appliesTo: isProtected,
        isOfGateway: true,
      },
    ];
  // Maps of ranges are named after their generation, and counters have values, which only their engine knows: the
  // reconciler compares those.
  const named = sets.filter(
    (it) => !it.isFilledElsewhere && !it.isPerGeneration && it.role === undefined && it.name !== "counted",
  );
  return differingElements("portcullis", named, table, nowMs).map(({ resource, field, expected: was, actual }) => {
    const key = field.replace(/^element /, "");
    return {
      cause: "steering-changed",
      message: because("leak_steering_element", { element: key, resource }),
      evidence: [
        evidence(
          literal(`nft list table ${steeringTable}`),
          orNothing(was === null ? null : `${key} : ${was}`),
          orNothing(actual === null ? null : `${key} : ${actual}`),
        ),
      ],
      appliesTo: isSenderKey(key) ? (subject: Subject) => isAbout(key, subject) : isProtected,
    };
  });
}

/** Keys of senders begin with a MAC or an address; ranks and plans apply to all devices. */
const isSenderKey = (key: string): boolean => {
  const [sender = ""] = key.split(" . ");
  return /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(sender) || parseNetwork(sender) !== undefined;
};

const isAbout = (key: string, { mac, origins }: Subject): boolean => {
  const [sender = ""] = key.split(" . ");
  return sender === mac || origins.some(({ address }) => sender === address);
};

/** Tables of other programs that change marks or addresses of packets. */
const translations = ({ foreign }: Kernel): Finding[] =>
  foreign.map((rule) => ({
    cause: "foreign-translation",
    message: because("leak_translation", { table: rule.table, chain: rule.chain, action: rule.action }),
    evidence: [evidence(literal("nft -t list ruleset"), because("seen_no_foreign_rule"), literal(rule.text))],
    appliesTo: anyOrigin((origin, subject) => mayApply(rule, origin, subject)),
  }));

function mayApply({ matches: { source, mac, iif }, family }: ForeignRule, origin: Origin, subject: Subject): boolean {
  if (family !== null && family !== origin.family) return false;
  if (iif !== null && iif !== origin.lan) return false;
  if (mac !== null && subject.mac !== null && mac !== subject.mac) return false;
  return source === null || source.some((network) => isWithin(network, origin.address));
}

/** Another router on the LAN: packets that devices send to it do not pass the gateway. */
const routersBeside = ({ intent: { network } }: Wanted, { neighbours }: Kernel): Finding[] =>
  neighbours
    .filter((it) => it.isRouter && it.address.includes(":") && network.lan.includes(it.interface))
    .map(({ address, mac, interface: lan }) => ({
      cause: "ipv6-beside-tunnel",
      severity: "risk",
      message: because("leak_router", { interface: lan }),
      evidence: [
        evidence(
          literal(`ip -6 neigh show dev ${lan}`),
          because("seen_no_router"),
          literal(`${address} lladdr ${mac} router`),
        ),
      ],
      appliesTo: anyOrigin((origin, subject) => origin.lan === lan && subject.mac !== mac),
      isOfGateway: true,
    }));

const kernelSettings = ({ desired }: Wanted, { settings }: Kernel): Finding[] =>
  Object.entries(desired.sysctl)
    .filter(([key, value]) => settings[key] !== value)
    .map(([key, value]) => ({
      cause: "kernel-settings",
      message: because("leak_kernel_setting", { key }),
      evidence: [evidence(literal(`sysctl ${key}`), literal(value), literal(settings[key] ?? ""))],
      appliesTo: anyOrigin((origin) => {
        const name = /^net\.ipv[46]\.conf\.(.+)\.[^.]+$/.exec(key)?.[1]?.replaceAll("/", ".");
        return (
          name === undefined ||
          name === "all" ||
          name === "default" ||
          origin.lan === name ||
          origin.interfaces.includes(name)
        );
      }),
      isOfGateway: true,
    }));

/** The resolver to which DNS queries of each egress are redirected. */
function resolverPorts({ desired }: Wanted, { proxies }: Kernel, nowMs: number): Finding[] {
  const { dns } = desired.redirect;
  if (!dns) return [];
  const wanted = new Map(dns.resolverPorts.map(({ egress, port }) => [hex(routedMark(egress)), port]));
  const resolverPort = {
    name: "resolver_port",
    kind: "map" as const,
    type: "mark : inet_service",
    // nft prints ports as numbers, which are parsed as marks.
    elements: [...wanted].map(([key, port]) => ({ key, data: hex(port) })),
  };
  return differingElements(redirectTable, [resolverPort], proxies, nowMs).map(({ field, expected, actual }) => {
    const mark = Number(/0x[0-9a-f]+/.exec(field)?.[0] ?? 0);
    const port = (text: string | null) =>
      text === null ? nothing : because("seen_port", { port: String(Number(text)) });
    return {
      cause: "dns-in-the-clear",
      message: because("leak_dns_redirected"),
      of: String(mark),
      evidence: [evidence(literal(`nft list map ${redirectTable} resolver_port`), port(expected), port(actual))],
      appliesTo: anyOrigin((origin) => origin.egresses.some((it) => routedMark(it) === mark)),
    };
  });
}

const nothing = because("seen_nothing");
const nothingElse = because("seen_nothing_else");
const orNothing = (text: string | null): Reason => (text === null ? nothing : literal(text));
