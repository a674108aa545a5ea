import type { System } from "../../system/system.ts";
import type { Drift, Engine } from "../engine.ts";
import { trackFreshness } from "../freshness.ts";
import type { Commits } from "./commits.ts";
import { guardTable, renderGuard } from "./guard/guard.render.ts";
import { continued, type Hits, hitsOf, type Tally } from "./steering/hits.model.ts";
import { hitsIn } from "./steering/hits.parse.ts";
import { hitsHolder } from "./steering/hits.render.ts";
import { generations } from "./marks.model.ts";
import { natRules, natTable } from "./steering/nat.render.ts";
import type { Guard, Ruleset } from "./nftables.model.ts";
import { canonicalListing, differingElements, differingLines, namesIn, rulesListed } from "./nftables.parse.ts";
import { type Steering, steering } from "./steering/steering.render.ts";
import { differenceOf, type SteeringDifference } from "./steering/steering.diff.ts";
import { sourceSets } from "./sources/sources.render.ts";
import { type TableLoad, type TableSeen, tableEngine } from "./table.engine.ts";
import { renderTransactions, type Standing, steeringTable } from "./steering/transaction.render.ts";

interface Needs {
  readonly system: System;
  readonly commits: Commits;
  readonly nowMs: () => number;
}

/** From what stands to what shall be. Its text is written when it is loaded: some elements have only so long to live. */
export interface SteeringLoad {
  readonly steering: Steering;
  readonly difference: SteeringDifference;
  readonly standing: Standing;
  /** Whether nothing is left of what stood. */
  readonly isWhole: boolean;
}

/** The gate. It stands before anything is steered, and only its pairs ever change. */
export const guardEngine = (
  needs: Omit<Needs, "nowMs">,
  sources: { readonly forget: () => void },
): Engine<Guard, TableSeen, TableLoad> =>
  tableEngine("guard", guardTable, renderGuard, needs, { sets: Object.keys(sourceSets), onNew: sources.forget });

/** What we loaded last. As long as no stranger changes rules, it is what the kernel has. */
interface Loaded {
  readonly steering: Steering;
  /** Rules, chains and names as the kernel lists them; elements are compared by what they say. */
  readonly listing: string;
}

export interface SteeringSeen {
  readonly now: string;
  readonly loaded: Loaded | undefined;
  /** Elements that are not as we loaded them. */
  readonly strayed: readonly Drift[];
  /** The newest generation there was, as far as anybody knows. */
  readonly generation: number;
}

export interface SteeringEngine extends Engine<Ruleset, SteeringSeen, SteeringLoad> {
  /** How many connections each cause has decided that is in force. */
  readonly hits: () => Promise<readonly Hits[]>;
}

const tables = [steeringTable, natTable];

/** Who goes where. Rewritten in place, each time as a new generation, at the cost of what has changed. */
export function steeringEngine({ system, commits, nowMs }: Needs): SteeringEngine {
  /** What is counted since when; nothing while nobody knows what the numbers mean. */
  let tally: Tally | undefined;
  let loaded: Loaded | undefined;
  /** Reading back what was loaded: nobody waits for it but the next look. */
  let loading: Promise<Loaded | undefined> = Promise.resolve(undefined);
  const trust = trackFreshness(commits.strangers);
  const glanced = trackFreshness(commits.quickChecks);
  /**
   * Flows remember the generation they were decided in. Should the rules be lost and with them its number, it must not
   * be used again: what began in the clear would go on in the clear. A daemon that finds nothing begins anywhere.
   */
  let newest = anyGeneration();

  /** Without elements, of all tables at once: to list ours alone, nft would read every element first. */
  const list = async () => canonicalListing(await system.run("nft", ["-t", "-j", "list", "ruleset", "inet"]), tables);

  /** Reading ten thousand elements back is worth it only when somebody may have touched them. */
  async function strayedElements(): Promise<readonly Drift[]> {
    if (!loaded || trust.isFresh()) return [];
    const strangers = commits.strangers();
    // A stranger may take the table away between two looks; an empty listing says as much.
    const json = await system.run("nft", ["-j", "list", "table", ...steeringTable.split(" ")]).catch(() => "{}");
    const strayed = differingElements("portcullis", loaded.steering.holders, json, nowMs());
    if (strayed.length === 0) trust.refresh(strangers);
    return strayed;
  }

  return {
    name: "steering",
    observe: async () => {
      loaded = await loading;
      if (loaded && trust.isFresh() && glanced.isFresh())
        return { now: loaded.listing, loaded, strayed: [], generation: newest };
      const glances = commits.quickChecks();
      const now = await list();
      glanced.refresh(glances);
      const strayed = now === loaded?.listing ? await strayedElements() : [];
      newest = generationIn(now) ?? newest;
      return { now, loaded, strayed, generation: newest };
    },
    changes: (wanted, { now, loaded: last, strayed, generation }) => {
      const known = last?.listing === now && strayed.length === 0 ? last.steering : undefined;
      if (known?.ruleset === wanted) return [];
      const next = steering(wanted, nextGeneration(generation), known);
      const difference = differenceOf(known, next);
      if (known && difference.isNothing) {
        // The same in another object: to have compared them once is enough.
        loading = Promise.resolve({ ...last!, steering: { ...known, ruleset: wanted } });
        return [];
      }
      return [{ steering: next, difference, standing: namesIn(now, steeringTable), isWhole: !known }];
    },
    drift: (_, { now, loaded: last, strayed }) => (last ? [...differingLines(last.listing, now), ...strayed] : []),
    apply: async ([load]) => {
      if (!load) return;
      const { steering: next, difference, standing, isWhole } = load;
      newest = next.generation; // Also if it fails: it may have been loaded nevertheless.
      const strangers = commits.strangers();
      loading = Promise.resolve(undefined); // Should nft be killed half-way, nothing is known.
      const before = tally?.numbering.began === next.numbering.began ? tally : undefined;
      if (!before) tally = undefined;
      for (const stdin of renderTransactions(next, difference, standing, nowMs()))
        await system.run("nft", ["-f", "-"], { stdin, onStart: commits.ours });
      tally = continued(before, next.numbering, nowMs());
      // Written anew as a whole, it has nothing of a stranger's left.
      if (isWhole) trust.refresh(strangers);
      loading = list().then(
        (listing) => (isOurs(listing, next) ? { steering: next, listing } : undefined),
        () => undefined,
      );
    },
    hits: async () => {
      const before = tally;
      if (!before) return [];
      const list = ["-j", "list", "set", ...steeringTable.split(" "), hitsHolder.name];
      const counted = hitsIn(await system.run("nft", list));
      // Numbers that were given another meaning meanwhile have just begun to be counted.
      const isSame = tally?.numbering.began === before.numbering.began;
      return tally ? hitsOf(tally, isSame ? counted : new Map(), nowMs()) : [];
    },
  };
}

/** A stranger may have been quicker than our read-back; a rule more or less tells. */
const isOurs = (listing: string, { chains }: Steering): boolean =>
  rulesListed(listing) === natRules + chains.reduce((sum, { rules }) => sum + rules.length, 0);

const generationIn = (listing: string): number | undefined => {
  const number = /"canary_(\d+)"/.exec(listing)?.[1];
  return number === undefined ? undefined : Number(number);
};

const nextGeneration = (newest: number): number => (newest < generations.last ? newest + 1 : generations.first);

const anyGeneration = (): number =>
  generations.first + Math.floor(Math.random() * (generations.last - generations.first));
