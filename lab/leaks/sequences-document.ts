import { probeNames } from "./probes.ts";
import type { Run } from "./sequences.ts";

/** The page docs/leak-sequences.md. */
export function sequencesDocument(runs: readonly Run[], date: string): string {
  const sum = (what: (run: Run) => number) => runs.reduce((all, run) => all + what(run), 0);
  const seen = (run: Run) =>
    probeNames.reduce((all, probe) => all + (run.leaked[probe] ?? 0), 0) +
    Object.values(run.findings).reduce((all, count) => all + count, 0);
  const healed = runs.map(({ healedSec }) => healedSec).toSorted((a, b) => a - b);
  const struck = new Set(runs.flatMap((run) => run.struck));
  return `# Random sequences of faults

Five to twenty of the faults of the [leak matrix](leak-matrix.md) that need no boot, in any order, some twice, some while others
are active. Each sequence runs on the gateway that recovered from the previous one. A protected device sends all the time; every wire
outside is monitored. Then the gateway has to work again by itself, without help. \`npm run leak-sequences\` writes this page; CI does
ten more with fresh seeds for each change.

| | |
|---|---|
| date | ${date} |
| sequences | ${runs.length} |
| faults | ${grouped(sum((run) => run.struck.length))}, ${struck.size} different ones; ${grouped(sum((run) => run.missed.length))} more could not be done on top of another |
| duration | ${grouped(Math.round(sum((run) => run.seconds)))} s |
| packets sent | ${grouped(sum((run) => run.sent))} |
| **seen outside** | **${grouped(sum(seen))}** |
| works again after the last fault | ${seconds(healed[healed.length >> 1])} (median), ${seconds(healed[Math.floor(healed.length * 0.95)])} (95 of 100), ${seconds(healed.at(-1))} (longest) |

| seed | faults | packets | seen outside | works again after |
|---|---|---|---|---|
${runs.map((run) => `| ${run.seed} | ${run.struck.join(" ")} | ${grouped(run.sent)} | ${seen(run)} | ${seconds(run.healedSec)} |\n`).join("")}`;
}

/** What is wrong with a page: too few sequences, one twice, one that is too short, or one in which something was seen. */
export function sequenceGaps(page: string, wanted: number): string[] {
  const rows = [...page.matchAll(/^\| (\d+) \| ([\d ]+) \| [\d,]+ \| (\d+) \| [\d.]+ s \|$/gm)].filter(
    ([, , struck]) => struck!.split(" ").length >= 5,
  );
  const seeds = new Set(rows.map(([, seed]) => seed));
  return [
    ...(seeds.size < wanted ? [`${seeds.size} sequences instead of ${wanted}`] : []),
    ...rows.filter(([, , , seen]) => seen !== "0").map(([, seed, , seen]) => `sequence ${seed}: ${seen} seen outside`),
  ];
}

const seconds = (count = 0): string => `${count.toFixed(1)} s`;
const grouped = (count: number): string => count.toLocaleString("en-US");
