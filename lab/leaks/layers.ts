import { icmpErrorPriority, noEgressPriority, ownPriority } from "../../daemon/src/engines/iproute/iproute.model.ts";
import { hex, routedMark } from "../../daemon/src/engines/nftables/marks.model.ts";
import { directEgress } from "../../daemon/src/engines/nftables/nftables.model.ts";
import { rangeSets } from "../../daemon/src/engines/nftables/sources/sources.model.ts";
import type { Forged, Program } from "./senders.ts";
import type { Part } from "./kernel-state.ts";
import { server } from "../topology-devices.ts";

/** What situations need to know of the topology. */
export interface LayerContext {
  readonly parts: readonly Part[];
  readonly mac: string;
  readonly first: { readonly v4: string; readonly v6: string };
  readonly second: { readonly v4: string; readonly v6: string; readonly interface: string };
  /** Addresses of the second tunnel's interface on the gateway. */
  readonly inner: readonly string[];
  /** Where the phone's lasting datagrams go. */
  readonly called: readonly string[];
}

/** A state in which a layer stands alone, or everything stands, and what is tried meanwhile. */
export interface Situation {
  readonly name: string;
  /** Whose parts are taken away, one after the other. */
  readonly tests: (part: Part) => boolean;
  /** What is switched off meanwhile. */
  readonly off?: (part: Part) => boolean;
  /** More for nftables. */
  readonly more?: string;
  readonly forged?: readonly Forged[];
  readonly programs?: readonly Program[];
  readonly phone?: { readonly mac: string; readonly v4: string; readonly v6: string };
  /** Lines for `ip`, each undone by `del` instead of `add`. */
  readonly ip?: readonly string[];
  readonly down?: boolean;
}

export const tables = {
  guard: "inet portcullis_guard",
  steering: "inet portcullis",
  programs: "inet portcullis_redirect",
  nat: "inet portcullis_nat",
  scans: "inet portcullis_scans",
  routing: "routing",
} as const;

const of = (table: keyof typeof tables) => (part: Part) => part.table === tables[table];
const any =
  (...all: ((part: Part) => boolean)[]) =>
  (part: Part) =>
    all.some((it) => it(part));
const chain =
  (...names: string[]) =>
  (part: Part) =>
    of("guard")(part) && names.includes(part.place);
const ipRule =
  (...priorities: number[]) =>
  (part: Part) =>
    part.kind === "ip rule" &&
    (priorities.length === 0 || priorities.some((it) => part.text.startsWith(`priority ${it} `)));
/** The policy of a chain and its last rule say the same, so that each covers for the other. */
export const endOfForward: Part = {
  id: "the end of forward",
  kind: "policy",
  table: tables.guard,
  place: "forward",
  text: "the policy and the last rule, both",
};
export const isInEndOfForward = (part: Part): boolean =>
  chain("forward")(part) && (part.kind === "policy" || part.text.includes('"leak_forward"'));
const isEnd = (part: Part) => part.kind === "route" && part.text.startsWith("unreachable ");
const routeOf = (table: number) => (part: Part) => part.kind === "route" && part.text.includes(` table ${table} `);

const direct = hex(routedMark(directEgress));

/** DSCPs of what arrives from outside. */
export const signs = { foreign: 41, inner: 42, own: 43, misrouted: 44, old: 45 } as const;
export const outside = ["198.51.100.251", "2001:db8:c77::251"] as const;
export const uplink = ["192.0.2.1", "2001:db8:a0::1"] as const;
const phone = ["10.0.0.2", "fd00::2"] as const;
const web = [server.v4, server.v6] as const;
/** An unknown MAC, whose address has a policy. */
const visitor = { mac: "02:00:00:00:00:77", v4: "10.0.0.77", v6: "fd00::77" } as const;
const both = <T>(make: (place: 0 | 1) => T | readonly T[]): T[] => [make(0), make(1)].flat() as T[];

export function situations(ground: LayerContext): Situation[] {
  const { parts, first, second, inner, called } = ground;
  const mark = new RegExp(`(0x[0-9a-f]+) \\. "${second.interface}"`).exec(
    parts.find(({ place, table }) => place === "pairs" && table === tables.guard)!.text,
  )![1]!;
  const egresses = parts.filter(({ text, place }) => place === "IPv4" && /fwmark 0x800000.. *\/?.* lookup/.test(text));
  const users = [...new Set(parts.flatMap(({ text }) => / uidrange (\d+)-/.exec(text)?.[1] ?? []))].map(Number);
  const known = [...(parts.find(({ place }) => place === "users")?.text ?? "").matchAll(/19\d{8}/g)].map(Number);
  const mute = known.filter((user) => !users.includes(user)).at(-1) ?? 0;
  const intruders: Forged[] = both((place) => [
    { from: outside[place], to: inner[place]!, sign: signs.inner },
    { from: uplink[place], to: uplink[place], port: 4000, sign: signs.own },
  ]);
  const unknownSenders: Forged[] = both((place) => [
    { from: outside[place], to: uplink[place], port: 4000, sign: signs.foreign },
    { from: outside[place], to: uplink[place], sign: signs.foreign },
  ]);
  const old: Forged[] = both((place) => ({
    from: outside[place],
    to: phone[place],
    port: 4000,
    hops: 1,
    sign: signs.old,
  }));
  const misrouted: Forged[] = both((place) =>
    [10_000, 10_001, 10_002, 10_003].map((port) => ({
      from: called[place]!,
      fromPort: 7008,
      to: inner[place]!,
      port,
      sign: signs.misrouted,
    })),
  );
  const servers = [
    [first.v4, first.v6],
    [second.v4, second.v6],
  ] as const;
  const programs: Program[] = both((place) => [
    { name: "unmarked", to: servers[0][place], port: 51_820 },
    { name: "tunneluser", user: 1_900_000_000, mark: 0x8000_0001, to: servers[0][place], port: 51_820 },
    { name: "later", mark: 0x8000_0001, to: servers[1][place], port: 51_820 },
    { name: "lanborn", from: (["10.0.0.1", "fd00::1"] as const)[place], to: web[place], port: 4000 },
  ]);
  const ownPrograms: Program[] = both((place) => [
    ...users.map((user) => ({ name: `user${user}`, user, to: web[place], port: 4000 })),
    ...(mute === 0 ? [] : [{ name: "mute", user: mute, to: web[place], port: 4000 }]),
    { name: "unknown", user: 1_900_000_005, to: web[place], port: 4000 },
    ...parts
      .flatMap(({ text, kind }) => (kind === "ip rule" ? (/ from ([0-9a-f.:]+) lookup/.exec(text)?.[1] ?? []) : []))
      .filter((from) => from.includes(":") === (place === 1))
      .map((from) => ({ name: `from${from.replaceAll(/[^0-9a-f]/g, "x")}`, from, to: web[place], port: 4000 })),
  ]);
  // Of programs only those of ours. What others do on the gateway is no device's packet.
  const six = `add element ${tables.guard} inner_hop_servers6 { ${second.v6} . udp . 51820 }
add element ${tables.guard} servers6 { ${first.v6} . udp . 51820 }\n`;
  const marked = (value: string) =>
    `table inet lab_marks { chain c { type filter hook prerouting priority -140; iifname "lan0" meta mark set ${value}; }; }\n`;
  const claims = [
    `-4 route add ${phone[0]}/32 via 192.0.2.2 dev wan0`,
    `-6 route add ${phone[1]}/128 via 2001:db8:a0::2 dev wan0`,
  ];
  const others = (...names: string[]) =>
    chain(
      ...["forward", "input", "wrong_interface", "output", "postrouting_guard", "servers", "wrong_source"].filter(
        (it) => !names.includes(it),
      ),
    );
  return [
    {
      name: "everything stands",
      tests: () => true,
      programs: ownPrograms,
      forged: [...intruders, ...misrouted],
    },
    {
      name: "everything stands, and a visitor calls",
      tests: (part) => of("steering")(part) && /source|candidate|known/.test(`${part.place} ${part.text}`),
      phone: visitor,
    },
    {
      name: "only the guard's forward chain: main routes decide",
      tests: chain("forward", "pairs"),
      off: any(others("forward"), ipRule()),
    },
    {
      name: "only the guard's forward chain: answers arrive outside of their tunnel",
      tests: chain("forward", "inner4", "inner6"),
      off: others("forward"),
      // As of a policy that fails open.
      more: `add element ${tables.guard} pairs { ${mark} . "wan0" }\n`,
      forged: misrouted,
    },
    {
      name: "only the guard's protected senders: the phone is sent by the uplink",
      tests: chain("to_uplink", "protected_mac"),
      off: any(others("forward"), of("steering")),
      more: marked(direct),
    },
    {
      name: "only the guard's protected senders: a visitor with an address that has a policy is sent by the uplink",
      tests: chain("to_uplink", ...rangeSets.v4, ...rangeSets.v6),
      off: any(others("forward"), of("steering")),
      more: marked(direct),
      phone: visitor,
    },
    {
      name: "only the guard's input chain: foreign packets arrive",
      tests: chain("input", "inner4", "inner6"),
      off: others("input", "wrong_interface"),
      forged: [...intruders, ...unknownSenders],
    },
    {
      name: "only the guard's input chain: the phone uses the gateway's address",
      tests: (part) => chain("input")(part) && part.text.includes("fib saddr type local"),
      off: others("input", "wrong_interface"),
      phone: { mac: ground.mac, v4: uplink[0], v6: uplink[1] },
    },
    {
      name: "only the guard's output chain: packets die of age",
      tests: chain("output"),
      off: any(others("output"), ipRule(icmpErrorPriority)),
      forged: old,
    },
    {
      name: "only the guard's last look: main routes decide",
      tests: chain("postrouting_guard", "servers", "wrong_source", "inner_hop_servers4", "servers4"),
      off: any(others("postrouting_guard", "servers", "wrong_source"), ipRule(), of("programs")),
      more: six,
      programs,
    },
    ...egresses.map((egress): Situation => {
      const [, value, number] = /fwmark (0x[0-9a-f]+)\S* lookup (\d+)/.exec(egress.text)!;
      const itsRoutes = routeOf(Number(number));
      return {
        name: `only the end of table ${number}: its egress is gone`,
        tests: (part) => isEnd(part) && itsRoutes(part),
        off: any(of("guard"), of("steering"), ipRule(7355, 7999), (part) => itsRoutes(part) && !isEnd(part)),
        more: marked(value!),
      };
    }),
    {
      name: "only the routes: a device is blocked",
      tests: ipRule(7355),
      off: any(of("guard"), of("steering"), ipRule(7999)),
      more: marked("0x800000ff"),
    },
    {
      name: "only the routes: no steering",
      tests: ipRule(7999),
      off: any(of("guard"), of("steering")),
    },
    {
      name: "only the routes: an uplink claims the phone's addresses",
      tests: any(ipRule(7900), routeOf(7900)),
      off: of("guard"),
      ip: claims,
    },
    {
      name: "only the ends of the LAN's routes: an uplink claims the phone's addresses",
      tests: (part) => isEnd(part) && routeOf(7900)(part),
      off: any(of("guard"), (part) => routeOf(7900)(part) && !isEnd(part)),
      ip: claims,
    },
    {
      name: "only the routes: programs send, the uplink's egress is gone",
      tests: ipRule(ownPriority, noEgressPriority),
      off: any(of("guard"), of("programs"), (part) => routeOf(7001)(part) && !isEnd(part)),
      programs: ownPrograms,
    },
    {
      name: "only the routes: TTLs expire, and foreign packets arrive in vain",
      tests: ipRule(icmpErrorPriority),
      off: of("guard"),
      forged: [...old, ...unknownSenders],
    },
    {
      name: "only the steering: the phone's rank is gone",
      tests: (part) => of("steering")(part) && /known_mac|jump unknown_sender/.test(`${part.place} ${part.text}`),
      off: any(of("guard"), (part) => of("steering")(part) && part.place === "mac_rank"),
    },
    {
      name: "only the steering: a visitor's rank is gone",
      tests: (part) => of("steering")(part) && /known4_/.test(`${part.place} ${part.text}`),
      off: any(of("guard"), (part) => of("steering")(part) && part.place.startsWith("source4_")),
      phone: visitor,
    },
    {
      name: "only the steering: a visitor with an address that has a policy",
      tests: (part) => of("steering")(part) && /source|candidate/.test(`${part.place} ${part.text}`),
      off: any(of("guard"), (part) => of("steering")(part) && part.place === "unknown_sender"),
      phone: visitor,
    },
    {
      name: "only the steering: an unknown device forges senders",
      tests: (part) => of("steering")(part) && (part.place === "forged" || part.text.endsWith("goto forged")),
      off: of("guard"),
      phone: { mac: "02:00:00:00:00:77", v4: "10.99.0.9", v6: "fd99::9" },
    },
    {
      name: "only the steering: main routes take what is left",
      tests: of("steering"),
      off: any(of("guard"), ipRule(7355, 7999)),
    },
    {
      name: "only the rules for our programs: main routes decide",
      tests: of("programs"),
      off: any(of("guard"), ipRule(ownPriority, noEgressPriority)),
      programs: ownPrograms,
    },
    {
      name: "only the rules for our programs: no resolver for the phone",
      tests: (part) => of("programs")(part) && part.kind === "rule",
      off: any(of("guard"), (part) => of("programs")(part) && part.place === "resolver_port"),
    },
    {
      name: "everything stands but the tunnel",
      tests: () => true,
      programs: ownPrograms,
      forged: [...intruders, ...misrouted],
      down: true,
    },
  ];
}
