import { contains, parseAddress, parseNetwork } from "@portcullis/contract/addresses";
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
import { everybodyProtected, type Found, whose } from "./finding.ts";
import type { Kernel } from "./kernel.ts";
import type { ForeignRule, KernelRule } from "./kernel.parse.ts";
import type { Origin, Plan, Subject } from "./subjects.ts";

export interface Wanted extends Plan {
  readonly desired: Desired;
}

/** The kernel as it is, held against what was compiled. */
export const audit = (wanted: Wanted, kernel: Kernel, nowMs: number): Found[] => [
  ...foreignRules(kernel),
  ...wrongRoutes(wanted, kernel),
  ...guardFindings(wanted, kernel, nowMs),
  ...steeringFindings(wanted, kernel, nowMs),
  ...translations(kernel),
  ...staleFlows(wanted, kernel),
  ...foreignResolvers(wanted, kernel),
  ...routersBeside(wanted, kernel),
  ...kernelSettings(wanted, kernel),
  ...doors(wanted, kernel, nowMs),
];

/** Rules that are asked before ours: what they take never comes to ours. */
const foreignRules = ({ rules }: Kernel): Found[] =>
  rules.filter(isForeignBefore).map((rule) => ({
    cause: "foreign-rule",
    message: `A routing rule of somebody else is asked before ours: ${rule.text}`,
    evidence: [
      {
        what: `ip -${rule.family} rule show`,
        expected: `No rule but the kernel's own before ${unmarkedPriority}`,
        found: rule.text,
      },
    ],
    concerns: whose((origin) => takes(rule, origin)),
  }));

function isForeignBefore({ priority, text, isOfOwn }: KernelRule): boolean {
  const isKernels = (priority === 0 && text === "0: from all lookup local") || text.includes("l3mdev");
  return priority < unmarkedPriority && !isKernels && !isOfOwn;
}

/** Whether a rule may take a device's packets. What it asks of their destination may be so. */
export function takes({ family, from, iif, mark, isInverted }: KernelRule, origin: Origin): boolean {
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

/** Our own rules and tables: what is missing, and what somebody has added or put in its place. */
function wrongRoutes({ desired }: Wanted, { ip }: Kernel): Found[] {
  const actual = {
    rules: [...parseRules(ip.v4.rules, 4), ...parseRules(ip.v6.rules, 6)],
    routes: [...parseRoutes(ip.v4.routes, 4), ...parseRoutes(ip.v6.routes, 6)],
  };
  const wrong = routingChanges(desired.iproute, actual).filter((it) => !isBlockedOnly(it));
  return wrong.map(({ family, line, actual }) => {
    const [kind = "", verb = "", ...rest] = line.split(" ");
    const text = rest.join(" ");
    const isStrange = verb === "del";
    const table = /(?:table|lookup) (\d+)/.exec(text)?.[1];
    return {
      cause: "wrong-route",
      message: isStrange
        ? `Somebody has put a ${kind} of IPv${family} among ours: ${text}`
        : actual === undefined
          ? `A ${kind} of ours for IPv${family} is missing: ${text}`
          : `Somebody has put another ${kind} of IPv${family} in the place of ours: ${actual}`,
      evidence: [
        {
          what: `ip -${family} ${kind} show${table === undefined || kind === "rule" ? "" : ` table ${table}`}`,
          expected: isStrange ? "nothing else" : text,
          found: isStrange ? text : (actual ?? "nothing"),
        },
      ],
      concerns: whose(
        (origin) =>
          origin.family === family &&
          (table === undefined ||
            isShared(Number(table)) ||
            origin.egresses.some((it) => tableOf(it) === Number(table))),
      ),
    };
  });
}

/** Tables that belong to no way. */
const isShared = (table: number): boolean => !isOurPriority(table) || table >= tableOf(0xf0);

function guardFindings({ desired }: Wanted, { ruleset, guard }: Kernel, nowMs: number): Found[] {
  const [listed, expected] = [
    rulesListed(canonicalListing(ruleset, [guardTable])),
    rulesIn(renderGuard(desired.guard)),
  ];
  const isShut = /"hook": ?"forward"[^}]*"policy": ?"drop"/.test(guard);
  if (listed !== expected || !isShut)
    return [
      {
        cause: "guard-missing",
        message:
          listed === 0
            ? "The gate is not there: its table is gone"
            : "The gate is not as it was loaded: somebody has changed it",
        evidence: [
          {
            what: guardListing,
            expected: `${expected} rules, and a chain that drops what none of them lets through`,
            found: `${listed} rules${isShut ? "" : ", and no such chain"}`,
          },
        ],
        concerns: everybodyProtected,
        isOfGateway: true,
      },
    ];
  return [...pairFindings(desired.guard, guard, nowMs), ...sourceFindings(desired.protection, guard)];
}

const guardListing = `nft list table ${guardTable}`;

/** Which egress may leave by which interface, in both of its tables. */
function pairFindings({ pairs, uplinks }: Desired["guard"], guard: string, nowMs: number): Found[] {
  const holders = pairSets(pairs, uplinks);
  return differingElements("portcullis_guard", holders, guard, nowMs).map(({ field, expected: is, actual }) => {
    const mark = Number(/0x[0-9a-f]+/.exec(field)?.[0] ?? 0);
    return {
      cause: "guard-missing",
      message:
        is === null
          ? `Somebody has opened the gate for ${field}`
          : actual === null
            ? `The gate no longer knows ${field}`
            : `Somebody has changed what the gate does with ${field}`,
      evidence: [
        {
          what: guardListing,
          expected: is === null ? "nothing else" : `${field} ${is}`.trim(),
          found: actual === null ? "nothing" : `${field} ${actual}`.trim(),
        },
      ],
      concerns: whose((origin) => origin.egresses.some((it) => routedMark(it) === mark)),
    };
  });
}

/** Senders that the guard itself keeps from the uplinks. */
function sourceFindings(wanted: Desired["protection"], guard: string): Found[] {
  const held = sourcesIn(guard);
  const wrong = [...protecting(wanted, held), ...releasing(wanted, held)];
  return elementsOff(wrong, held).map(({ set, key, isMissing }) => ({
    cause: "guard-missing",
    message: isMissing
      ? `The guard no longer holds ${key} in ${set}`
      : `The guard holds ${key} in ${set}, which nobody published`,
    evidence: [{ what: guardListing, expected: isMissing ? key : "nothing else", found: isMissing ? "nothing" : key }],
    concerns: set.endsWith("_mac") ? (subject: Subject) => isAbout(key, subject) : everybodyProtected,
  }));
}

function steeringFindings({ desired }: Wanted, { ruleset, steering: table }: Kernel, nowMs: number): Found[] {
  const { chains, sets } = steering(desired.steering, 0);
  const expected = natRules + chains.reduce((sum, { rules }) => sum + rules.length, 0);
  const listed = rulesListed(canonicalListing(ruleset, [steeringTable, natTable]));
  if (listed !== expected)
    return [
      {
        cause: "steering-changed",
        message: "The rules that say who goes where are not as they were loaded",
        evidence: [
          { what: `nft list table ${steeringTable}`, expected: `${expected} rules`, found: `${listed} rules` },
        ],
        concerns: everybodyProtected,
        isOfGateway: true,
      },
    ];
  // Maps of ranges have names of their generation, and counts have numbers, which only their engine knows: the reconciler
  // looks at those.
  const named = sets.filter(
    (it) => !it.isFilledElsewhere && !it.isPerGeneration && it.role === undefined && it.name !== "counted",
  );
  return differingElements("portcullis", named, table, nowMs).map(({ resource, field, expected: was, actual }) => {
    const key = field.replace(/^element /, "");
    return {
      cause: "steering-changed",
      message: `Somebody has changed who goes where: ${key} of ${resource}`,
      evidence: [
        {
          what: `nft list table ${steeringTable}`,
          expected: was === null ? "nothing" : `${key} : ${was}`,
          found: actual === null ? "nothing" : `${key} : ${actual}`,
        },
      ],
      concerns: isOfSomebody(key) ? (subject: Subject) => isAbout(key, subject) : everybodyProtected,
    };
  });
}

/** Keys of senders begin with a MAC or an address; ranks and plans are everybody's. */
const isOfSomebody = (key: string): boolean => {
  const [sender = ""] = key.split(" . ");
  return /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(sender) || parseNetwork(sender) !== undefined;
};

const isAbout = (key: string, { mac, origins }: Subject): boolean => {
  const [sender = ""] = key.split(" . ");
  return sender === mac || origins.some(({ address }) => sender === address);
};

/** Tables of others that change marks and addresses of packets on their way. */
const translations = ({ foreign }: Kernel): Found[] =>
  foreign.map((rule) => ({
    cause: "foreign-translation",
    message: `Somebody else's rule in ${rule.table}, chain ${rule.chain}, may ${doingText(rule)} of this device's packets`,
    evidence: [{ what: "nft -t list ruleset", expected: "no such rule in tables of others", found: rule.text }],
    concerns: whose((origin, subject) => mayMeet(rule, origin, subject)),
  }));

const doingText = ({ doing }: ForeignRule): string => (/ /.test(doing) ? doing : `${doing} some`);

function mayMeet({ asks: { source, mac, iif }, family }: ForeignRule, origin: Origin, subject: Subject): boolean {
  if (family !== null && family !== origin.family) return false;
  if (iif !== null && iif !== origin.lan) return false;
  if (mac !== null && subject.mac !== null && mac !== subject.mac) return false;
  return source === null || source.some((network) => isWithin(network, origin.address));
}

/** A router beside us on the LAN: what is sent to it never comes by here. */
const routersBeside = ({ intent: { network } }: Wanted, { neighbours }: Kernel): Found[] =>
  neighbours
    .filter((it) => it.isRouter && it.address.includes(":") && network.lan.includes(it.interface))
    .map(({ address, mac, interface: lan }) => ({
      cause: "ipv6-beside-tunnel",
      severity: "risk",
      message: `There is another router for IPv6 on ${lan}: devices may leave by it, past the gateway`,
      evidence: [
        { what: `ip -6 neigh show dev ${lan}`, expected: "no router", found: `${address} lladdr ${mac} router` },
      ],
      concerns: whose((origin, subject) => origin.lan === lan && subject.mac !== mac),
      isOfGateway: true,
    }));

const kernelSettings = ({ desired }: Wanted, { settings }: Kernel): Found[] =>
  Object.entries(desired.sysctl)
    .filter(([key, value]) => settings[key] !== value)
    .map(([key, value]) => ({
      cause: "kernel-settings",
      message: `The kernel setting ${key} is not as it should be`,
      evidence: [{ what: `sysctl ${key}`, expected: value, found: settings[key] ?? "" }],
      concerns: whose((origin) => {
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

/** Which resolver the questions of each way are led to. */
function doors({ desired }: Wanted, { proxies }: Kernel, nowMs: number): Found[] {
  const { dns } = desired.redirect;
  if (!dns) return [];
  const wanted = new Map(dns.resolverPorts.map(({ egress, port }) => [hex(routedMark(egress)), port]));
  const holder = {
    name: "resolver_port",
    kind: "map" as const,
    type: "mark : inet_service",
    // nft tells ports as numbers, which are read as marks.
    elements: [...wanted].map(([key, port]) => ({ key, data: hex(port) })),
  };
  return differingElements(redirectTable, [holder], proxies, nowMs).map(({ field, expected, actual }) => {
    const mark = Number(/0x[0-9a-f]+/.exec(field)?.[0] ?? 0);
    const port = (text: string | null) => (text === null ? "nothing" : `port ${Number(text)}`);
    return {
      cause: "dns-in-the-clear",
      message: "Its questions for names are led to another resolver than that of its way",
      of: String(mark),
      evidence: [{ what: `nft list map ${redirectTable} door`, expected: port(expected), found: port(actual) }],
      concerns: whose((origin) => origin.egresses.some((it) => routedMark(it) === mark)),
    };
  });
}
