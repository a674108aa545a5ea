import { setTimeout as wait } from "node:timers/promises";
import {
  endOfForward,
  type LayerContext,
  isInEndOfForward,
  outside,
  signs,
  type Situation,
  situations,
  tables,
  uplink,
} from "./layers.ts";
import { probeNames } from "./probes.ts";
import { isExplained } from "./layers-document.ts";
import { startLocalSender, startExternalSender } from "./senders.ts";
import { load, type Part, partsOf, readKernelState, type KernelState, without } from "./kernel-state.ts";
import type { LeakTopology } from "./topology.ts";

/** What came of taking one part away. */
export interface Mutation {
  readonly part: Part;
  /** Seen outside although everything else stood. Must be empty. */
  readonly leaks: readonly string[];
  /** What noticed that it was gone, by situation. */
  readonly noticed: readonly { readonly situation: string; readonly by: readonly string[] }[];
}

/** Not less than so many packets of the phone belong to each look. */
const packetsPerLook = 300;
const shortestLookMs = 150;

/** Takes every chosen part of what stands away, one after the other, in every situation that is about it. */
export async function mutate(
  topology: LeakTopology,
  isChosen: (part: Part) => boolean = () => true,
  log: (line: string) => void = () => undefined,
  only?: RegExp,
): Promise<Mutation[]> {
  const { gateway, dns, hops, identity, phone } = topology;
  await topology.works(60);
  // No repair from here on.
  await dns.topology.kill();
  const externalSender = await startExternalSender(dns.topology.net.providers[0], gateway);
  const localSender = await startLocalSender(gateway);
  await phone.device.run("nft", arrivals("phone"));
  const addresses = (await gateway.run("ip", "-o", "address", "show", "dev", hops.second.interface!, "scope", "global"))
    .split("\n")
    .flatMap((line) => / inet6? ([^/ ]+)/.exec(line)?.[1] ?? []);
  const whole = await readKernelState(gateway);
  const { first, second } = hops;
  const context: LayerContext = {
    parts: partsOf(whole),
    mac: phone.device.mac,
    first: first.site,
    second: { ...second.site, interface: second.interface! },
    inner: addresses,
    called: [identity.to["4"][1]!, identity.to["6"][1]!],
  };
  const servers = [first, second].flatMap((hop) => [hop.site.v4, hop.site.v6].map((it) => [it, hop.port] as const));
  const inside = [
    ...["10.0.0.1", "fd00::1"].map((it) => [it, 18_500] as const),
    ...addresses.map((it) => [it, 4000] as const),
  ];
  await topology.sender.alsoTo([...servers, ...inside]);
  for (const key of ["net.ipv4.icmp_ratelimit=0", "net.ipv6.icmp.ratelimit=0"]) await gateway.run("sysctl", "-qw", key);
  const ours = new Set<string>(Object.values(tables));
  const chosen = [...context.parts, endOfForward].filter(
    (part) => ours.has(part.table) && !isHeldByTheKernel(part) && isChosen(part),
  );
  const found = new Map(chosen.map((part) => [part.id, { part, leaks: [] as string[], noticed: [] as Noticed[] }]));

  for (const situation of situations(context).filter(({ name }) => only?.test(name) ?? true)) {
    const isAll = situation.off === undefined;
    const tested = chosen.filter((part) =>
      isAll
        ? part !== endOfForward && situation.tests(part)
        : situation.tests(part) && !isExplained(found.get(part.id)!),
    );
    if (tested.length === 0) continue;
    const state = await enter(situation);
    const silent = await calm();
    for (const part of tested) {
      const mutant = without(
        state.reduced,
        (it) => it.id === part.id || (part === endOfForward && isInEndOfForward(it)),
      );
      const by = await look(state, mutant, silent);
      await load(gateway, mutant, state.reduced, state.more);
      const it = found.get(part.id)!;
      const packets = by.filter((what) => !what.startsWith("unanswered"));
      // What arrives on the gateway or at the phone has not left.
      const leaks = packets.filter((what) => !what.startsWith("arrived"));
      if (isAll) it.leaks.push(...leaks.map((what) => `${situation.name}: ${what}`));
      if (by.length > 0) it.noticed.push({ situation: situation.name, by });
      if (by.length > 0)
        log(`${situation.name}: without ${part.table} ${part.place} ${part.text}: ${by.slice(0, 4).join(", ")}`);
      if (packets.length > 0) await calm();
      else if (by.length > 0) await answeredAgain(by.map((what) => what.replace("unanswered ", "")));
    }
    await leave(situation, state);
  }
  return [...found.values()];

  async function enter(situation: Situation): Promise<State> {
    if (situation.down === true) await gateway.run("ip", "link", "set", second.interface!, "down");
    for (const line of situation.ip ?? []) await gateway.run("ip", ...line.split(" "));
    const before = situation.down === true ? await readKernelState(gateway) : whole;
    const reduced = without(before, situation.off ?? (() => false));
    const more = `${situation.more ?? ""}${arrivals("gateway", addresses)}`;
    await load(gateway, before, reduced, more);
    await externalSender(situation.forged ?? []);
    await localSender(situation.programs ?? []);
    if (situation.phone) await topology.sender.become(situation.phone);
    return { before, reduced, more };
  }

  async function leave(situation: Situation, state: State): Promise<void> {
    await externalSender([]);
    await localSender([]);
    for (const line of situation.ip ?? []) await gateway.run("ip", ...line.replace(" add ", " del ").split(" "));
    if (situation.phone)
      await topology.sender.become({ mac: phone.device.mac, v4: identity.own[0]!, v6: identity.own[1]! });
    await load(gateway, state.reduced, state.before);
    if (situation.down === true) {
      await gateway.run("ip", "link", "set", second.interface!, "up");
      for (const it of addresses)
        await gateway.run(
          "ip",
          "address",
          "replace",
          it,
          "dev",
          second.interface!,
          ...(it.includes(":") ? ["nodad"] : []),
        );
      await load(gateway, state.before, whole);
    }
    await topology.closeConnections();
    await recovered();
  }

  async function answeredAgain(names: readonly string[]): Promise<void> {
    const before = (await topology.senderReport()).answered as Readonly<Record<string, number>>;
    for (let left = 15; left > 0; left -= 1) {
      await wait(200);
      const now = (await topology.senderReport()).answered as Readonly<Record<string, number>>;
      if (names.every((name) => (now[name] ?? 0) > (before[name] ?? 0) + 3)) return;
    }
  }

  /** Resolvers that were cut off for a while may wait longer before they retry; this does not wait for them. */
  async function recovered(): Promise<void> {
    for (let left = 100; left > 0; left -= 1) {
      const before = (await topology.senderReport()).answered;
      await wait(300);
      const now = (await topology.senderReport()).answered;
      if (probeNames.every((name) => name.startsWith("dns-") || (now[name] ?? 0) > (before[name] ?? 0))) return;
    }
    log("the phone is not answered as before");
  }

  /** What is seen and answered while nothing is missing, once that stays the same. */
  async function calm(): Promise<Calm> {
    await topology.closeConnections();
    // Foreign packets that got through once would have a conntrack entry now.
    for (const from of [...outside, ...uplink]) {
      const only = from === uplink[0] || from === uplink[1] ? ["--proto", "udp", "--orig-port-dst", "4000"] : [];
      await gateway.run("conntrack", "-D", "--orig-src", from, ...only).catch(() => undefined);
    }
    let before = "";
    for (let left = 12; left > 0; left -= 1) {
      await topology.begin();
      await wait(350);
      const seen = await sightings();
      const now = [...seen].toSorted().join();
      if (now === before || (now === "" && left < 12))
        return { seen, answered: (await topology.senderReport()).answered };
      before = now;
    }
    log(`it does not calm down: ${before.slice(0, 300)}`);
    return { seen: await sightings(), answered: (await topology.senderReport()).answered };
  }

  async function look(state: State, mutant: KernelState, silent: Calm): Promise<string[]> {
    await topology.begin();
    await phone.device.run("nft", "reset", "counters");
    await load(gateway, state.reduced, mutant, state.more);
    await wait(60);
    const start = await topology.senderReport();
    const until = Date.now() + 60_000;
    const sum = (counts: object) => Object.values(counts as Record<string, number>).reduce((all, it) => all + it, 0);
    let [end, fresh] = [start, [] as string[]];
    do {
      await wait(shortestLookMs);
      end = await topology.senderReport();
    } while (sum(end.sent) - sum(start.sent) < packetsPerLook && Date.now() < until);
    const missing = () =>
      Object.entries(silent.answered)
        .filter(
          ([name, count]) =>
            count > 5 && (end.answered[name as "names4"] ?? 0) <= (start.answered[name as "names4"] ?? 0),
        )
        .map(([name]) => `unanswered ${name}`);
    fresh = [...(await sightings())].filter((what) => !silent.seen.has(what));
    // A slow moment of the machine is no silence.
    for (let left = 4; left > 0 && fresh.length === 0 && missing().length > 0; left -= 1) {
      await wait(300);
      end = await topology.senderReport();
      fresh = [...(await sightings())].filter((what) => !silent.seen.has(what));
    }
    return fresh.length > 0 ? fresh : missing();
  }

  /** Everything that was noticed anywhere since the look began. */
  async function sightings(): Promise<Set<string>> {
    const { devices, findings } = await topology.seen();
    const arrived: string[] = [];
    for (const host of [gateway, phone.device]) {
      const json = await host.run("nft", "-j", "list", "counters");
      const { nftables } = JSON.parse(json) as { nftables: { counter?: Counter }[] };
      for (const { counter } of nftables)
        if (counter?.table === "lab_arrivals" && counter.packets > 0) arrived.push(`arrived ${counter.name}`);
    }
    return new Set([
      ...Object.entries(devices).flatMap(([name, seen]) => Object.keys(seen).map((what) => `${name} ${what}`)),
      ...Object.keys(findings).map((what) => what.split(", as ")[0]!),
      ...arrived,
    ]);
  }
}

export interface Noticed {
  readonly situation: string;
  readonly by: readonly string[];
}
interface State {
  readonly before: KernelState;
  readonly reduced: KernelState;
  readonly more: string;
}
interface Calm {
  readonly seen: ReadonlySet<string>;
  readonly answered: Readonly<Record<string, number>>;
}
interface Counter {
  readonly table: string;
  readonly name: string;
  readonly packets: number;
}

/** Sets that the kernel fills, for counters. */
const isHeldByTheKernel = ({ kind, place, table }: Part): boolean =>
  kind === "elements" &&
  (table === tables.scans ||
    place.startsWith("tried_") ||
    place === "hits" ||
    place === "refusals" ||
    place.startsWith("dns_clients"));

/** Counts what should not have come so far. */
function arrivals(where: "gateway" | "phone", inner: readonly string[] = []): string {
  const names = where === "phone" ? (["misrouted"] as const) : (["foreign", "inner", "own"] as const);
  const listeners =
    where === "phone"
      ? []
      : [
          ["foreign_listener", 'iifname "lan0" udp dport 18000-20047 ct status ! dnat'],
          ["disguised", 'iifname "lan0" fib saddr type local'],
          ...inner.map((it) => [
            it.includes(":") ? "inside_ip6" : "inside_ip",
            `iifname "lan0" ${it.includes(":") ? "ip6" : "ip"} daddr ${it}`,
          ]),
          ["no_listener", 'iifname "lan0" udp dport 53 ct status ! dnat'],
        ];
  const counted = [
    ...names.flatMap((name) => ["ip", "ip6"].map((family) => [`${name}_${family}`, `${family} dscp ${signs[name]}`])),
    ...listeners,
  ];
  const hook = where === "phone" ? "prerouting priority -300" : "input priority 500";
  return `table inet lab_arrivals {
${counted.map(([name]) => `\tcounter ${name} { }\n`).join("")}	chain arrived {
		type filter hook ${hook}; policy accept;
${counted.map(([name, rule]) => `\t\t${rule} counter name ${name}\n`).join("")}	}
}
`;
}
