import { tables } from "./layers.ts";
import type { Mutation, Noticed } from "./mutations.ts";
import type { Part } from "./kernel-state.ts";

/** Why it is no gap that nothing noticed the absence of a part; nothing where it is one. */
export function excuseOf(part: Part, all: readonly Part[]): string | undefined {
  const { kind, text, place, table } = part;
  if (table === tables.scans) return "it records, and has no verdict: with and without it the same packets pass";
  if (kind === "rule" && !isReached(part, all)) return "nothing leads here now";
  if (/\b(accept|return)$/.test(text)) return "it opens: without it less passes";
  if (kind === "rule" && table === tables.guard && isOfEmptySet(text, all))
    return "the set it consults holds nothing here: each has a twin, and the policies here need no other";
  if (kind === "ip rule" && / oif /.test(text))
    return "of flows that another program hands past all rules, which needs a kernel that can: fault 23, in the virtual machine";
  if (kind === "ip rule" && / lookup (?:\d+|main)/.test(text)) return "it opens: without it less passes";
  if (kind === "route" && !text.startsWith("unreachable")) return "it opens: without it less passes";
  if (
    kind === "elements" &&
    !text.includes("goto") &&
    [
      "action",
      "plan",
      "compatible_egress",
      "user_interface",
      "users",
      "resolver_port",
      "inner4_at",
      "inner6_at",
      "pairs",
      "egresses",
      "exempt_mac",
      "internal_users",
    ].includes(place)
  )
    return "it opens: without it less passes";
  if (
    (/\bupdate @/.test(text) && !text.endsWith("drop")) ||
    place === "counted" ||
    place === "held" ||
    place === "record" ||
    /^decided[46]$/.test(place) ||
    /jump (?:count|held|record)$/.test(text)
  )
    return "it counts";
  return known.find((it) => it.table === table && it.place.test(place) && it.text.test(text))?.why;
}

/** What is there for something else than to stop packets, or stands twice on purpose. */
const known: readonly {
  readonly table: string;
  readonly place: RegExp;
  readonly text: RegExp;
  readonly why: string;
}[] = [
  {
    table: tables.routing,
    place: /./,
    text: /goto 7900/,
    why: "a shortcut: what has no mark is not compared with each",
  },
  {
    table: tables.routing,
    place: /./,
    text: / sport \d+ prohibit$/,
    why: "of packets to a device while the LAN has no routes: tested separately (lab/journeys/lan-destinations)",
  },
  {
    table: tables.guard,
    place: /^forward$/,
    text: /leak_forward|policy drop/,
    why: "the chain's policy and its last rule say the same; the rule counts, the policy stands when all rules are gone. Both together are tested",
  },
  {
    table: tables.guard,
    place: /^(?:output|orphaned_socket)$/,
    text: /goto orphaned_socket$|^counter name "?leak_output"? drop$/,
    why: "of sockets that a program has left behind, without a conntrack entry: tested separately (lab/engines/proxies)",
  },
  {
    table: tables.guard,
    place: /^input$/,
    text: /nd-router-advert .*fib saddr type local drop$/,
    why: "of what the gateway advertises itself: it would be listed as another router (lab/journeys/router-advertisements)",
  },
  {
    table: tables.guard,
    place: /^(?:output|advertiser)$/,
    text: /goto advertiser$|^counter name "?leak_output"? drop$/,
    why: "of the program that advertises the router, had it been taken over: tested separately (lab/journeys/router-advertisements)",
  },
  {
    table: tables.guard,
    place: /^(?:input|wrong_interface)$/,
    text: /jump wrong_interface$|ct status snat|ct status & snat|^counter name "?wrong_interface"? drop$/,
    why: "of connections the gateway itself has, forged by a neighbour on another interface: tried by themselves (lab/journeys/guard)",
  },
  {
    table: tables.guard,
    place: /^output$/,
    text: /nd-redirect/,
    why: "of packets that return by the interface they came from: tried by itself (lab/journeys/guard)",
  },
  {
    table: tables.programs,
    place: /^check_egress$/,
    text: /skuid != @users/,
    why: "the last rule of the chain drops the same; this one also stops its responses into the LAN",
  },
  {
    table: tables.steering,
    place: /^(?:prerouting|closed_mac)$/,
    text: /@closed_mac|^elements/,
    why: "of flows whose address passes to a protected device: tried by themselves (lab/journeys/senders)",
  },
  {
    table: tables.guard,
    place: /^postrouting_guard$/,
    text: /ct status .*snat/,
    why: "of devices that go direct, without masquerading: tested separately (lab/journeys/senders)",
  },
  {
    table: tables.steering,
    place: /^forged$/,
    text: /^drop$/,
    why: "it ends here at once; without it the packet continues without a mark, which has no egress",
  },
  {
    table: tables.steering,
    place: /^decide$/,
    text: /^ct state invalid drop$/,
    why: "only of a device that is let out would it show the own address; a tunnel's server does not take it",
  },
  {
    table: tables.steering,
    place: /^decide$/,
    text: /^meta mark set 0x00000000$/,
    why: "no other program gives marks before ours here",
  },
  {
    table: tables.steering,
    place: /^(classify|dns_query)$/,
    text: /^ct state untracked drop$/,
    why: "no other program switches tracking off here",
  },
  {
    table: tables.steering,
    place: /^resolve_flow$/,
    text: /^meta mark & 0x40000000 == 0x00000000 drop$/,
    why: "the chain that makes marks valid checks the same",
  },
  {
    table: tables.steering,
    place: /^(classify|dns_query)$/,
    text: /^meta mark set 0x0001ffff$/,
    why: "it opens: without it an unknown device has no egress",
  },
  {
    table: tables.steering,
    place: /^(classify|dns_query)$/,
    text: /^meta priority set none$/,
    why: "it empties a register that nothing has filled before",
  },
  {
    table: tables.steering,
    place: /^source_/,
    text: /^meta priority set ip6 saddr/,
    why: "the only policy by address here is of IPv4",
  },
  {
    table: tables.steering,
    place: /^(classify|dns_query|resolve_flow|keep_flow|move_flow|cut_flow|moving_\d+)$/,
    text: /ct mark|@moving|lan0" : goto move_flow|ct status|l4proto|goto commit|^drop$/,
    why: "of flows whose egress changes, which needs a daemon; faults 20, 21 and 33 of the matrix are about that",
  },
  {
    table: tables.steering,
    place: /^(validate|blocked|refuse)$/,
    text: /goto blocked$|drop$|ct mark set|goto refuse$|reject/,
    why: "it rejects for a blocked device: without it the routes refuse the same packets (lab/journeys/refused)",
  },
  {
    table: tables.steering,
    place: /^(commit|dns_zone)$/,
    text: /@split|zone set/,
    why: "of splits and changes of the egress, of which there are none here",
  },
  {
    table: tables.programs,
    place: /^prerouting_redirect$/,
    text: /0x10000000/,
    why: "of devices whose queries are redirected to us; no control is on here",
  },
  {
    table: tables.programs,
    place: /^output_redirect$/,
    text: /redirect/,
    why: "of queries of the gateway itself",
  },
  {
    table: tables.steering,
    place: /^dns_query$/,
    text: /^goto resolve_flow$/,
    why: "it makes a decision last: without it each packet of a query is decided again",
  },
  { table: tables.steering, place: /^clamp$/, text: /./, why: "it limits the size of segments" },
];

/** Of the guard's sets of protected ranges, at most one of two is filled, and none where no policy is by address. */
const isOfEmptySet = (text: string, all: readonly Part[]): boolean => {
  const set = / @(protected[46]_[ab]) /.exec(text)?.[1];
  return set !== undefined && !all.some(({ kind, place }) => kind === "elements" && place === set);
};

function isReached({ table, place }: Part, all: readonly Part[]): boolean {
  const bases = new Set([
    "prerouting",
    "dns_zone",
    "clamp",
    "forward",
    "input",
    "output",
    "postrouting_guard",
    "postrouting_check",
    "prerouting_redirect",
    "output_redirect",
    "output_mark",
    "postrouting",
    "postrouting_source",
  ]);
  const reached = new Set<string>();
  const visit = (chain: string): void => {
    if (reached.has(chain)) return;
    reached.add(chain);
    const here = all.filter((part) => part.table === table && part.place === chain && part.kind === "rule");
    const held = here.flatMap(({ text }) => [...text.matchAll(/vmap @(\w+)/g)].map(([, name]) => name!));
    const words = [
      ...here,
      ...all.filter((part) => part.table === table && part.kind === "elements" && held.includes(part.place)),
    ];
    for (const { text } of words) for (const [, to] of text.matchAll(/(?:goto|jump) (\w+)/g)) visit(to!);
  };
  for (const base of bases) visit(base);
  return reached.has(place);
}

/** A removed part that stops packets must be noticed by a packet; for one that opens, a missing answer is enough. */
export const isExplained = ({ part, noticed }: Pick<Mutation, "part" | "noticed">): boolean =>
  stops.test(part.text) ? noticed.some(isPacket) : noticed.length > 0;
const stops = /drop;?$|^unreachable|prohibit|uidrange| from [0-9a-f]+[.:]/;

/** A packet that should not have been there, not only an answer that did not come. */
const isPacket = ({ by }: Noticed): boolean => by.some((what) => !what.startsWith("unanswered"));

/** What is wrong with what was found, in words. */
export function complaintsOf(found: readonly Mutation[], all: readonly Part[]): string[] {
  return found.flatMap((it) => [
    ...it.leaks.map((what) => `without ${wordsOf(it.part)}, ${what}`),
    ...(!isExplained(it) && excuseOf(it.part, all) === undefined ? [`nothing misses ${wordsOf(it.part)}`] : []),
  ]);
}

const wordsOf = ({ table, place, text }: Part): string => `${table} ${place}: ${text}`;

/** The page docs/leak-layers.md. */
export function layersDocument(
  found: readonly Mutation[],
  all: readonly Part[],
  date: string,
  seconds: number,
): string {
  const leaking = found.filter(({ leaks }) => leaks.length > 0);
  const missed = found.filter(isExplained).length;
  return `# Who stops what

Everything the gateway has in the kernel was taken away, one part after the other: each rule, each end of a routing table,
and what each set holds. First while everything else stood, with and without a tunnel: then nothing may be seen outside. Then with
the other layers switched off: then something must be noticed, a packet outside or an answer that does not come, or the
part would be useless, or untested. \`npm run leak-layers\` writes this page. Interfaces have other names in each run.

| | |
|---|---|
| date | ${date} |
| duration | ${Math.round(seconds)} s |
| parts | ${found.length} |
| **parts without which something leaks, all other layers on** | **${leaking.length}** |
| noticed | ${missed} |
| not noticed, with a reason | ${found.length - missed} |

\`network.default_egress\` is \`direct\` here, the harsher choice: an unknown device is let out.

Rules against hosts on the wire of an uplink, and against other programs on the gateway, concern no packet of a device.
They are tested with the other layers off only.
${Object.entries(tables)
  .map(([name, table]) =>
    section(
      name,
      found.filter(({ part }) => part.table === table),
      all,
    ),
  )
  .join("")}`;
}

const section = (name: string, found: readonly Mutation[], all: readonly Part[]): string => `
## ${name}

| where | part | what noticed its removal |
|---|---|---|
${found.map((it) => `| ${it.part.place.replaceAll(/_\d{6,}/g, "")} | \`${shortened(it.part.text)}\` | ${isExplained(it) ? noticedWords(it.noticed) : `– ${excuseOf(it.part, all) ?? "**nothing**"}`} |\n`).join("")}`;

const shortened = (text: string): string => {
  const plain = text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-\S{22,}/g, "…")
    .replaceAll("|", "or")
    .replaceAll(/\bwg[0-9a-f]{8}\b/g, "wg…");
  return plain.length > 150 ? `${plain.slice(0, 150)}…` : plain;
};

function noticedWords(noticed: Mutation["noticed"]): string | undefined {
  const best = noticed.find(({ by }) => by.some((what) => !what.startsWith("unanswered"))) ?? noticed[0];
  if (!best) return undefined;
  const more = best.by.length > 3 ? ` and ${best.by.length - 3} more` : "";
  return `${best.situation}: ${best.by.slice(0, 3).join(", ")}${more}`;
}
