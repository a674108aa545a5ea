import { frontendPorts } from "../../dnsdist/dnsdist.model.ts";
import { aims, attempts, type AttemptSet } from "./attempts.render.ts";
import { forced, hex, stoppedMark } from "../marks.model.ts";
import { dnsPort } from "../redirect/dns-redirect.render.ts";
import { controlBits, type Controls, type Ruleset, type ControlledSender } from "../nftables.model.ts";
import { type Chain, type Element, type NamedSet, interfaces } from "../table.model.ts";

/** The sets of DoH resolvers in the table. */
export interface ListedResolvers {
  readonly v4: NamedSet;
  readonly v6: NamedSet;
}

/** Every combination in use; most networks have one or two. */
const combinationsIn = ({ mac, v4, v6, others }: Controls): number[] =>
  [...new Set([...[...mac, ...v4, ...v6].map(({ on }) => on), others])].toSorted((a, b) => a - b);

const isFor = (controls: Controls, bit: number): boolean => combinationsIn(controls).some((on) => (on & bit) !== 0);
export const isForcing = (controls: Controls): boolean => isFor(controls, controlBits.force_dns);
export const isHidingResolvers = (controls: Controls): boolean => isFor(controls, controlBits.block_doh);
/** Without any control, there are no rules. */
const isAny = (controls: Controls): boolean => combinationsIn(controls).some((on) => on !== 0);

const tables = ({ mac, v4, v6 }: Controls) => [
  { name: "control_mac", type: "ether_addr", key: "ether saddr", senders: mac },
  { name: "control4", type: "ipv4_addr", key: "ip saddr", senders: v4 },
  { name: "control6", type: "ipv6_addr", key: "ip6 saddr", senders: v6 },
];

/** `again` returns existing elements of a map. */
export const controlMaps = (controls: Controls, again: (name: string) => readonly Element[] | undefined): NamedSet[] =>
  tables(controls)
    .filter(({ senders }) => senders.length > 0 && isAny(controls))
    .map(({ name, type, senders }) => ({
      name,
      kind: "map",
      type: `${type} : verdict`,
      elements: again(name) ?? senders.map(elementOf),
    }));

const elementOf = ({ key, on }: ControlledSender): Element => ({ key, data: `goto ${chainOf(on)}` });
const chainOf = (on: number): string => `controls_${on}`;

/** Counts queries to other resolvers, redirected or not: the first packet of a flow only. */
const countedResolver = `meta l4proto { tcp, udp } th dport ${dnsPort} ct mark 0x00000000 ${attempts.counted("tried_resolver")}`;

/** For the chain that decides the egress, before it does. */
export const controlLookups = (controls: Controls): string[] => [
  countedResolver,
  ...(isAny(controls) ? ["jump control"] : []),
  // Redirected to our resolver, and decided already.
  ...(isForcing(controls) ? ["meta mark != 0x00000000 return"] : []),
];

export function controlChains(
  { controls, lan, dnsListener }: Pick<Ruleset, "controls" | "lan" | "dnsListener">,
  resolvers: ListedResolvers | undefined,
): Chain[] {
  if (!isAny(controls)) return [];
  const all = combinationsIn(controls);
  return [
    {
      // A device is known by its MAC, or by its address without one; all others have the default controls.
      name: "control",
      rules: [
        ...tables(controls)
          .filter(({ senders }) => senders.length > 0)
          .map(({ name, key }) => `${key} vmap @${name}`),
        ...(controls.others === 0 ? [] : [`goto ${chainOf(controls.others)}`]),
      ],
    },
    ...all.map((on) => ({ name: chainOf(on), rules: controlRules(on, lan, resolvers) })),
    ...(isForcing(controls) ? [forcedChain(dnsListener !== null)] : []),
    ...stoppingChains,
  ];
}

/** The rules of one combination. Packets to another LAN are exempt, except DNS queries. */
function controlRules(on: number, lan: readonly string[], resolvers: ListedResolvers | undefined): string[] {
  const if_ = (bit: number, rules: readonly string[]): readonly string[] => ((on & bit) === 0 ? [] : rules);
  const blocks = controlBits.block_doh | controlBits.block_ipv6 | controlBits.block_webrtc;
  return [
    ...if_(controlBits.force_dns, [`${connected} th dport ${dnsPort} goto forced`]),
    ...if_(blocks, lan.length === 1 ? [] : [`fib daddr oifname ${interfaces(lan)} return`]),
    ...if_(controlBits.block_doh, [
      `${connected} th dport ${tlsNamePort} goto stopped_encrypted`,
      ...(resolvers
        ? [
            `${connected} th dport 443 ip daddr @${resolvers.v4.name} goto stopped_encrypted`,
            `${connected} th dport 443 ip6 daddr @${resolvers.v6.name} goto stopped_encrypted`,
          ]
        : []),
    ]),
    ...if_(controlBits.block_webrtc, [
      `${connected} th dport ${stunPorts} goto stopped_stun`,
      `meta l4proto udp ${stunCookie} goto stopped_stun`,
    ]),
    ...if_(controlBits.block_ipv6, ["meta nfproto ipv6 goto stopped_ipv6"]),
  ];
}

const connected = "meta l4proto { tcp, udp }";
/** DNS over TLS (RFC 7858), and over QUIC (RFC 9250). */
const tlsNamePort = 853;
/** RFC 8489, and the ports of the servers that browsers use by default. */
const stunPorts = "{ 3478, 5349, 19302-19309 }";
/** RFC 8489, section 5: two zero bits, and a cookie in the second word. */
const stunCookie = "@th,64,2 0 @th,96,32 0x2112a442";

/**
 * A query to another resolver is handled like one to ours, and its answer has the address of that resolver. A flow that went
 * there before cannot be redirected; a redirected flow has a port of ours. Without a resolver of ours the query is stopped.
 */
const forcedChain = (isAnswering: boolean): Chain => ({
  name: "forced",
  rules: isAnswering
    ? [
        ...["tcp", "udp"].map(
          (protocol) =>
            `meta l4proto ${protocol} ct mark != 0x00000000 ct reply proto-src != ${frontendPorts.first}-${frontendPorts.last} goto cut_flow`,
        ),
        "jump dns_query",
        `meta mark set meta mark or ${hex(forced)}`,
      ]
    : ["goto stopped"],
});

const stoppingChains: readonly Chain[] = [
  ...(["encrypted", "stun", "ipv6"] as const).map((what) => ({
    name: `stopped_${what}`,
    rules: [
      // Of the leak check's probes, only those over IPv6 get here.
      ...(what === "ipv6" ? aims.map((aim) => `${aim} goto stopped`) : []),
      attempts.counted(`tried_${what}` satisfies AttemptSet),
      "goto stopped",
    ],
  })),
  {
    name: "stopped",
    rules: ["meta l4proto tcp goto cut_flow", `ct mark set ${hex(stoppedMark)}`, "goto refuse"],
  },
];
