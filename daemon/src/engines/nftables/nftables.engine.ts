import type { System } from "../../system/system.ts";
import type { Drift, Engine } from "../engine.ts";
import { trackFreshness } from "../freshness.ts";
import type { Commits } from "./commits.ts";
import { guardTable, renderGuard } from "./guard/guard.render.ts";
import { continued, type Hits, hitsOf, type Tally } from "./steering/hits.model.ts";
import { decidedIn, hitsIn } from "./steering/hits.parse.ts";
import { hitsSet, decidedSets } from "./steering/hits.render.ts";
import { generations } from "./marks.model.ts";
import { natRules, natTable } from "./steering/nat.render.ts";
import type { Guard, Ruleset } from "./nftables.model.ts";
import { canonicalListing, differingElements, differingLines, namesIn, rulesListed } from "./nftables.parse.ts";
import { type Steering, steering } from "./steering/steering.render.ts";
import { differenceOf, type SteeringDifference } from "./steering/steering.diff.ts";
import { sourceSets } from "./sources/sources.render.ts";
import { type TableLoad, type ObservedTable, tableEngine } from "./table.engine.ts";
import { renderTransactions, type ExistingObjects, steeringTable } from "./steering/transaction.render.ts";

interface Needs {
  readonly system: System;
  readonly commits: Commits;
  readonly nowMs: () => number;
}

/** A change from the loaded steering to the wanted one. Its text is rendered on loading, because timeouts count from then. */
export interface SteeringLoad {
  readonly steering: Steering;
  readonly difference: SteeringDifference;
  readonly existing: ExistingObjects;
  /** Nothing of the existing table is kept. */
  readonly isWhole: boolean;
}

/** The guard. It is loaded before anything is steered, and only its pairs ever change. */
export const guardEngine = (
  needs: Omit<Needs, "nowMs">,
  sources: { readonly forget: () => void },
): Engine<Guard, ObservedTable, TableLoad> =>
  tableEngine("guard", guardTable, renderGuard, needs, { sets: Object.keys(sourceSets), onNew: sources.forget });

/** What we loaded last. Until another program commits rules, the kernel has the same. */
interface Loaded {
  readonly steering: Steering;
  /** Rules, chains and names as the kernel lists them; elements are compared by content. */
  readonly listing: string;
}

export interface ObservedSteering {
  readonly now: string;
  readonly loaded: Loaded | undefined;
  /** Elements that differ from those we loaded. */
  readonly wrongElements: readonly Drift[];
  /** The newest known generation. */
  readonly generation: number;
}

export interface SteeringEngine extends Engine<Ruleset, ObservedSteering, SteeringLoad> {
  /** The number of connections that each current cause has decided. */
  readonly hits: () => Promise<readonly Hits[]>;
  /** Source and destination (`pairKey`) → the cause of their last decision, for pairs that were decided within the last minutes. */
  readonly decided: () => Promise<ReadonlyMap<string, string>>;
}

const tables = [steeringTable, natTable];

/** Steering. Each change rewrites the table in place as a new generation; the cost depends on the difference. */
export function steeringEngine({ system, commits, nowMs }: Needs): SteeringEngine {
  /** What is counted and since when; undefined while the meaning of the numbers is unknown. */
  let tally: Tally | undefined;
  let loaded: Loaded | undefined;
  /** The read-back of the last load; only the next observe waits for it. */
  let loading: Promise<Loaded | undefined> = Promise.resolve(undefined);
  const trust = trackFreshness(commits.foreignCommits);
  const quickCheck = trackFreshness(commits.quickChecks);
  /**
   * Connections store the generation that decided them. If the rules are lost and the number with them, it must not
   * be reused: a connection that began in the clear would continue in the clear. A daemon that finds no table starts at random.
   */
  let newest = anyGeneration();

  /** Without elements, for all tables at once: to list one table, nft would read every element first. */
  const list = async () => canonicalListing(await system.run("nft", ["-t", "-j", "list", "ruleset", "inet"]), tables);

  /** Reads ten thousand elements back only when another program may have changed them. */
  async function readWrongElements(): Promise<readonly Drift[]> {
    if (!loaded || trust.isFresh()) return [];
    const foreignCommits = commits.foreignCommits();
    // Another program may delete the table in between; then the listing is empty.
    const json = await system.run("nft", ["-j", "list", "table", ...steeringTable.split(" ")]).catch(() => "{}");
    const wrong = differingElements("portcullis", loaded.steering.sets, json, nowMs());
    if (wrong.length === 0) trust.refresh(foreignCommits);
    return wrong;
  }

  return {
    name: "steering",
    observe: async () => {
      loaded = await loading;
      if (loaded && trust.isFresh() && quickCheck.isFresh())
        return { now: loaded.listing, loaded, wrongElements: [], generation: newest };
      const quickChecks = commits.quickChecks();
      const now = await list();
      quickCheck.refresh(quickChecks);
      const wrongElements = now === loaded?.listing ? await readWrongElements() : [];
      newest = generationIn(now) ?? newest;
      return { now, loaded, wrongElements, generation: newest };
    },
    changes: (wanted, { now, loaded: last, wrongElements, generation }) => {
      const known = last?.listing === now && wrongElements.length === 0 ? last.steering : undefined;
      if (known?.ruleset === wanted) return [];
      const next = steering(wanted, nextGeneration(generation), known);
      const difference = differenceOf(known, next);
      if (known && difference.isNothing) {
        // Equal content in another object: the next comparison is by identity.
        loading = Promise.resolve({ ...last!, steering: { ...known, ruleset: wanted } });
        return [];
      }
      return [{ steering: next, difference, existing: namesIn(now, steeringTable), isWhole: !known }];
    },
    drift: (_, { now, loaded: last, wrongElements }) =>
      last ? [...differingLines(last.listing, now), ...wrongElements] : [],
    apply: async ([load]) => {
      if (!load) return;
      const { steering: next, difference, existing, isWhole } = load;
      newest = next.generation; // Also if it fails: the kernel may have loaded it.
      const foreignCommits = commits.foreignCommits();
      loading = Promise.resolve(undefined); // If nft is killed, the state is unknown.
      const before = tally?.numbering.began === next.numbering.began ? tally : undefined;
      if (!before) tally = undefined;
      for (const stdin of renderTransactions(next, difference, existing, nowMs()))
        await system.run("nft", ["-f", "-"], { stdin, onStart: commits.ours });
      tally = continued(before, next.numbering, nowMs());
      // A complete rewrite leaves nothing of another program.
      if (isWhole) trust.refresh(foreignCommits);
      loading = list().then(
        (listing) => (isOurs(listing, next) ? { steering: next, listing } : undefined),
        () => undefined,
      );
    },
    hits: async () => {
      const before = tally;
      if (!before) return [];
      const list = ["-j", "list", "set", ...steeringTable.split(" "), hitsSet.name];
      const counted = hitsIn(await system.run("nft", list));
      // After a renumbering meanwhile, the counts start at zero.
      const isSame = tally?.numbering.began === before.numbering.began;
      return tally ? hitsOf(tally, isSame ? counted : new Map(), nowMs()) : [];
    },
    decided: async () => {
      const before = tally;
      if (!before) return new Map();
      const causes = new Map([...before.numbering.numbers].map(([cause, number]) => [number, cause]));
      const found: [string, string][] = [];
      for (const { name } of decidedSets) {
        const json = await system.run("nft", ["-j", "list", "set", ...steeringTable.split(" "), name]);
        for (const [pair, number] of decidedIn(json)) {
          const cause = causes.get(number);
          if (cause !== undefined) found.push([pair, cause]);
        }
      }
      return tally?.numbering.began === before.numbering.began ? new Map(found) : new Map();
    },
  };
}

/** Another program may commit before our read-back; a different number of rules shows it. */
const isOurs = (listing: string, { chains }: Steering): boolean =>
  rulesListed(listing) === natRules + chains.reduce((sum, { rules }) => sum + rules.length, 0);

const generationIn = (listing: string): number | undefined => {
  const number = /"canary_(\d+)"/.exec(listing)?.[1];
  return number === undefined ? undefined : Number(number);
};

const nextGeneration = (newest: number): number => (newest < generations.last ? newest + 1 : generations.first);

const anyGeneration = (): number =>
  generations.first + Math.floor(Math.random() * (generations.last - generations.first));
