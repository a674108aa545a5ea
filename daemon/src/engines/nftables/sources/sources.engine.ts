import type { System } from "../../../system/system.ts";
import type { Engine } from "../../engine.ts";
import { trackFreshness } from "../../freshness.ts";
import type { Commits } from "../commits.ts";
import { guardTable } from "../guard/guard.render.ts";
import {
  changed,
  elementsOff,
  type HeldSources,
  type ProtectedSources,
  protecting,
  releasing,
  type SetChange,
} from "./sources.model.ts";
import { renderSetChanges, sourcesIn } from "./sources.render.ts";

interface Needs {
  readonly system: System;
  readonly commits: Commits;
}

type SourceEngine = Engine<ProtectedSources, HeldSources, SetChange>;

/**
 * The guard's protected senders, in two steps around steering: a sender is protected before steering changes, and
 * released afterwards.
 */
export function sourceEngines({ system, commits }: Needs): {
  readonly protection: SourceEngine;
  readonly release: SourceEngine;
  /** The guard's table was recreated without an event: its sets are empty. */
  readonly forget: () => void;
} {
  let known: HeldSources | undefined;
  const trust = trackFreshness(commits.foreignCommits);

  async function observe(): Promise<HeldSources> {
    if (known && trust.isFresh()) return known;
    const foreignCommits = commits.foreignCommits();
    known = sourcesIn(await system.run("nft", ["-j", "list", "sets", "table", ...guardTable.split(" ")]));
    trust.refresh(foreignCommits);
    return known;
  }

  async function apply(changes: readonly SetChange[]): Promise<void> {
    const before = known;
    known = undefined; // If nft is killed, the state is unknown.
    const stdin = renderSetChanges(guardTable, changes);
    await system.run("nft", ["-f", "-"], { stdin, onStart: commits.ours });
    known = before && changed(before, changes);
  }

  const engine = (name: string, changes: SourceEngine["changes"]): SourceEngine => ({
    name,
    observe,
    changes,
    apply,
    drift: (wrong, held) =>
      elementsOff(wrong, held).map(({ set, key, isMissing }) => ({
        resource: `${guardTable.split(" ")[1]} ${set}`,
        field: `element ${key}`,
        expected: isMissing ? key : null,
        actual: isMissing ? null : key,
      })),
  });
  return {
    protection: engine("protection", protecting),
    release: engine("release", releasing),
    forget: () => (known = undefined),
  };
}
