import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { bookFiles } from "../daemon/src/engines/dnsdist/filter-policy.files.ts";
import { renderBook } from "../daemon/src/engines/dnsdist/filter-policy.render.ts";
import { portsOf } from "../daemon/src/engines/dnsdist/dnsdist.model.ts";
import { linux } from "../daemon/src/system/system.ts";
import { openLab } from "../lab/namespaces.ts";
import type { Figure } from "../testing/figure.ts";
import { until } from "../testing/deadline.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { median } from "./middle.ts";
import { type Asked, frontOf, openNamesRoad, type Program, upstreamPort } from "./names-road.ts";
import { freshQuestions, sampleBooks, sampleLists, sampleQuestions, sampleRecords } from "./names-sample.ts";

const [knownRounds, knownPerRound] = [11, 20_000];
const [freshRounds, freshPerRound] = [5, 3000];

/**
 * What an answer costs a resolver of ours, next to dnsdist and its cache, or Unbound, set up by hand: CPU time of the
 * programs, on one core, asked by 1,000 clients from the other.
 */
export async function dns(): Promise<Figure[]> {
  using folder = temporaryFolder();
  await using lab = openLab();
  const path = (name: string) => join(folder.path, name);
  const lists = sampleLists();
  for (const [name, book] of Object.entries(sampleBooks))
    await bookFiles(linux, path(name)).write({ book: renderBook(book), lists, isFiltering: true });
  writeFileSync(path("known"), sampleQuestions(knownPerRound));
  writeFileSync(path("first"), sampleQuestions(200));

  const road = await openNamesRoad(lab, folder.path, sampleRecords);
  const [filtering, everything] = [frontOf(201, {}), frontOf(202, { isMapping: true, ratePerSec: 5000 })];
  const [bare, alone] = [portsOf(203).front, portsOf(203).unbound];
  const unbounds = {
    filtering: await road.unbound(filtering.ports.unbound, filtering.ports.back),
    everything: await road.unbound(everything.ports.unbound, everything.ports.back),
    alone: await road.unbound(alone, upstreamPort),
  };
  const logged = await road.takeLog();
  const fronts = {
    bare: await road.bare(bare, filtering.ports.unbound),
    filtering: await road.front(filtering, path("filtering")),
    everything: await road.front(everything, path("everything")),
  };
  // A resolver answers with a failure until it has found its Unbound, which takes long on a slow machine.
  for (const port of [bare, filtering.ports.front, everything.ports.front])
    await until("the resolver answers", async () => isSound(await road.ask(port, path("first"))), 60);
  await wait(2500); // Until they have found the receiver of the log.

  const loggedBefore = await logged();
  const known = await takingTurns(knownRounds, {
    bare: () => cost([fronts.bare], () => road.ask(bare, path("known"))),
    filtering: () => cost([fronts.filtering], () => road.ask(filtering.ports.front, path("known"))),
    everything: () => cost([fronts.everything], () => road.ask(everything.ports.front, path("known"))),
  });
  await wait(1000); // The last records are a little late.
  const loggedPart = ((await logged()) - loggedBefore) / ((knownRounds + 1) * knownPerRound);
  const fresh = await takingTurns(
    freshRounds,
    {
      ours: () => cost([fronts.everything, unbounds.everything], () => road.ask(everything.ports.front, path("fresh"))),
      alone: () => cost([unbounds.alone], () => road.askInside(alone, path("fresh"))),
    },
    (round) => writeFileSync(path("fresh"), freshQuestions(freshPerRound, round)),
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
async function cost(of: readonly Program[], ask: () => Promise<Asked>): Promise<number> {
  const cpu = () => of.reduce((sum, it) => sum + it.nanos(), 0);
  const before = cpu();
  const { answered, found, lost } = await ask();
  if (lost > answered / 100) throw new Error(`${lost} questions of ${answered + lost} were not answered`);
  if (found < answered * 0.85) throw new Error(`Of ${answered} answers only ${found} found anything`);
  return (cpu() - before) / answered;
}

const isSound = ({ answered, found, lost }: Asked): boolean => lost === 0 && found >= answered * 0.85;

type Costs<N extends string> = readonly Readonly<Record<N, number>>[];

/** Everybody does the work once a round, none always first, after one round that nobody counts. */
async function takingTurns<N extends string>(
  rounds: number,
  works: Readonly<Record<N, () => Promise<number>>>,
  prepare: (round: number) => void = () => {},
): Promise<Costs<N>> {
  const names = Object.keys(works) as N[];
  const costs: Record<N, number>[] = [];
  for (let round = 0; round <= rounds; round++) {
    prepare(round);
    const of: Partial<Record<N, number>> = {};
    for (const place of names.keys()) {
      const name = names[(place + round) % names.length]!;
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
