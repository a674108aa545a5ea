import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { filterPolicyFiles } from "../daemon/src/engines/dnsdist/filter-policy.files.ts";
import { renderFilterPolicy } from "../daemon/src/engines/dnsdist/filter-policy.render.ts";
import { portsOf } from "../daemon/src/engines/dnsdist/dnsdist.model.ts";
import { linux } from "../daemon/src/system/system.ts";
import { openLab } from "../lab/namespaces.ts";
import type { Figure } from "../testing/figure.ts";
import { until } from "../testing/deadline.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { median } from "./statistics.ts";
import { type QueryResults, frontOf, openDnsTestbed, type Program, upstreamPort } from "./dns-testbed.ts";
import { freshQueries, samplePolicies, sampleLists, sampleQueries, sampleRecords } from "./dns-sample.ts";

const [knownRounds, knownPerRound] = [11, 20_000];
const [freshRounds, freshPerRound] = [5, 3000];

/**
 * CPU time per answer of the gateway's resolver, compared to dnsdist with its cache or Unbound configured by hand. The resolvers
 * run on one core, 1,000 clients on the other.
 */
export async function dns(): Promise<Figure[]> {
  using folder = temporaryFolder();
  await using lab = openLab();
  const path = (name: string) => join(folder.path, name);
  const lists = sampleLists();
  for (const [name, policy] of Object.entries(samplePolicies))
    await filterPolicyFiles(linux, path(name)).write({ policy: renderFilterPolicy(policy), lists, isFiltering: true });
  writeFileSync(path("known"), sampleQueries(knownPerRound));
  writeFileSync(path("first"), sampleQueries(200));

  const testbed = await openDnsTestbed(lab, folder.path, sampleRecords);
  const [filtering, everything] = [frontOf(201, {}), frontOf(202, { isMapping: true, ratePerSec: 5000 })];
  const [bare, alone] = [portsOf(203).frontend, portsOf(203).unbound];
  const unbounds = {
    filtering: await testbed.unbound(filtering.ports.unbound, filtering.ports.backend),
    everything: await testbed.unbound(everything.ports.unbound, everything.ports.backend),
    alone: await testbed.unbound(alone, upstreamPort),
  };
  const logged = await testbed.receiveLog();
  const fronts = {
    bare: await testbed.bare(bare, filtering.ports.unbound),
    filtering: await testbed.front(filtering, path("filtering")),
    everything: await testbed.front(everything, path("everything")),
  };
  // A resolver answers SERVFAIL until its Unbound is up, which takes long on a slow machine.
  for (const port of [bare, filtering.ports.frontend, everything.ports.frontend])
    await until("the resolver answers", async () => isSound(await testbed.query(port, path("first"))), 60);
  await wait(2500); // Until they have connected to the log receiver.

  const loggedBefore = await logged();
  const known = await alternating(knownRounds, {
    bare: () => cost([fronts.bare], () => testbed.query(bare, path("known"))),
    filtering: () => cost([fronts.filtering], () => testbed.query(filtering.ports.frontend, path("known"))),
    everything: () => cost([fronts.everything], () => testbed.query(everything.ports.frontend, path("known"))),
  });
  await wait(1000); // Until the last records have arrived.
  const loggedPart = ((await logged()) - loggedBefore) / ((knownRounds + 1) * knownPerRound);
  const fresh = await alternating(
    freshRounds,
    {
      ours: () =>
        cost([fronts.everything, unbounds.everything], () => testbed.query(everything.ports.frontend, path("fresh"))),
      alone: () => cost([unbounds.alone], () => testbed.queryLocally(alone, path("fresh"))),
    },
    (round) => writeFileSync(path("fresh"), freshQueries(freshPerRound, round)),
  );
  const memory = [fronts.everything.memory(), unbounds.everything.memory()] as const;
  const [front, unbound] = memory.map(({ pss, rss }) => `${pss.toFixed(0)} of ${rss.toFixed(0)} MB`);
  return [
    {
      ...compared(
        "cached name, 1,000 clients and 1,000,000 listed names, CPU compared to dnsdist alone",
        known,
        "bare",
        "filtering",
      ),
      most: 1.5,
    },
    {
      ...compared(
        "cached name, also with policy names, log and rate limit, CPU compared to dnsdist alone",
        known,
        "bare",
        "everything",
      ),
      most: 3,
    },
    {
      name: "cached names on one core, with policy names, log and rate limit",
      value: 1e9 / median(known.map((it) => it.everything)),
      unit: "per second",
      least: 50_000,
      note: `${(loggedPart * 100).toFixed(0)} % of the answers were in the log`,
    },
    compared(
      "uncached name, with policy names, log and rate limit, CPU compared to Unbound alone",
      fresh,
      "alone",
      "ours",
    ),
    {
      name: "memory of one resolver, with policy names, log and rate limit",
      value: memory.reduce((sum, { pss }) => sum + pss, 0),
      unit: "MB",
      note: `PSS of RSS: dnsdist ${front}, Unbound ${unbound}`,
    },
  ];
}

/** Nanoseconds of CPU for each answer. */
async function cost(of: readonly Program[], query: () => Promise<QueryResults>): Promise<number> {
  const cpu = () => of.reduce((sum, it) => sum + it.nanos(), 0);
  const before = cpu();
  const { answered, found, lost } = await query();
  if (lost > answered / 100) throw new Error(`${lost} queries of ${answered + lost} were not answered`);
  if (found < answered * 0.85) throw new Error(`Of ${answered} answers only ${found} had a record`);
  return (cpu() - before) / answered;
}

const isSound = ({ answered, found, lost }: QueryResults): boolean => lost === 0 && found >= answered * 0.85;

type Costs<N extends string> = readonly Readonly<Record<N, number>>[];

/** Each resolver runs once per round, in changing order, after one warm-up round. */
async function alternating<N extends string>(
  rounds: number,
  works: Readonly<Record<N, () => Promise<number>>>,
  prepare: (round: number) => void = () => {},
): Promise<Costs<N>> {
  const names = Object.keys(works) as N[];
  const costs: Record<N, number>[] = [];
  for (let round = 0; round <= rounds; round++) {
    prepare(round);
    const of: Partial<Record<N, number>> = {};
    for (const index of names.keys()) {
      const name = names[(index + round) % names.length]!;
      of[name] = await works[name]();
    }
    costs.push(of as Record<N, number>);
  }
  return costs.slice(1);
}

function compared<N extends string>(name: string, costs: Costs<N>, bare: NoInfer<N>, ours: NoInfer<N>): Figure {
  const us = (of: N) => (median(costs.map((it) => it[of])) / 1000).toFixed(1);
  return {
    name,
    value: median(costs.map((it) => it[ours] / it[bare])),
    unit: "×",
    note: `${us(ours)} µs of CPU against ${us(bare)} µs`,
  };
}
