import type { Phase, Rule } from "../../engines/dnsdist/filter-policy.model.ts";
import type { IntentPause } from "../input/intent.ts";

/** A rule with the clients that it is for. */
export interface SourcedRule {
  readonly source: string;
  readonly rule: Rule;
}

export const everyone = "everyone";

/** The source that holds instead of another one while filtering is paused. */
export const unblocked = (source: string): string => `${source} unblocked`;

/**
 * While filtering is paused, rules that block do not count. Rewrites stay: they are names of the operator's own network. A domain
 * of a pause is a source of its own, because each of them ends at its own time.
 */
export function rulesOfPauses(pauses: readonly IntentPause[], configured: readonly SourcedRule[]): SourcedRule[] {
  const isPaused = pauses.some(({ type }) => type === "filtering");
  return [
    ...pauses.flatMap(({ id, type, domain }): SourcedRule[] =>
      domain === null
        ? []
        : [
            {
              source: pauseSource(id),
              rule: {
                cause: `pause ${id}`,
                match: { kind: "suffix", name: domain },
                action: { kind: type === "allow-domain" ? "allow" : "block" },
              },
            },
          ],
    ),
    ...(isPaused ? configured : [])
      .filter(({ rule }) => rule.action.kind !== "block")
      .map(({ source, rule }) => ({ source: unblocked(source), rule })),
  ];
}

/** The pauses of a client: of its sources, and of its protection. */
export const pausesAbout = (
  pauses: readonly IntentPause[],
  about: readonly string[],
  deviceId: string | undefined,
): readonly IntentPause[] =>
  pauses.filter((it) =>
    it.type === "protection"
      ? deviceId !== undefined && it.deviceIds.includes(deviceId)
      : it.sourceType === "everyone" || about.includes(sourceOf(it)),
  );

/** Sources of the paused domains, the deciding one first: the most specific client, then the name nearest to the queried one. */
export const sourcesOfDomains = (active: readonly IntentPause[], about: readonly string[]): string[] =>
  active
    .flatMap(({ id, domain, ...it }) =>
      domain === null ? [] : [{ id, rank: rankOf(it, about), labels: domain.split(".").length }],
    )
    .toSorted((a, b) => a.rank - b.rank || b.labels - a.labels || (a.id < b.id ? -1 : 1))
    .map(({ id }) => pauseSource(id));

/** A phase for each end, with the settings for what is active until then. */
export function phasesOf(
  pauses: readonly IntentPause[],
  settings: (active: readonly IntentPause[]) => Omit<Phase, "untilSec">,
): Phase[] {
  const ends = [...new Set(pauses.map(({ untilSec }) => untilSec))].toSorted((a, b) => a - b);
  return ends.map((end) => ({ untilSec: end, ...settings(pauses.filter(({ untilSec }) => untilSec >= end)) }));
}

const pauseSource = (id: string): string => `pause ${id}`;

const sourceOf = ({ sourceType, sourceValue }: Pick<IntentPause, "sourceType" | "sourceValue">): string =>
  sourceType === "everyone" ? everyone : `${sourceType} ${sourceValue}`;

/** `about` is in order of precedence. */
const rankOf = (it: Pick<IntentPause, "sourceType" | "sourceValue">, about: readonly string[]): number =>
  about.indexOf(sourceOf(it));
