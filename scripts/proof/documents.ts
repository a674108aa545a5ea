import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeness } from "./figures.ts";
import {
  amount,
  day,
  list,
  notice,
  page,
  remarkOf,
  revision,
  shortcomings,
  targetStatusOf,
  table,
  targetOf,
  testsOf,
  valueOf,
} from "./markdown.ts";
import type { Part } from "./part.ts";
import type { ProofRecord, Records } from "./record.ts";

/** Path → content of every document that is rendered from the records. Depends on its arguments alone. */
export function documents(parts: readonly Part[], records: Records): Readonly<Record<string, string>> {
  return {
    "docs/proof.md": proofPage(parts, records),
    "docs/figures.md": figuresPage(
      parts.filter(({ kind }) => kind === "benchmark"),
      records,
    ),
    "docs/lab-results.md": resultsPage(
      parts.filter(({ kind }) => kind !== "benchmark"),
      records,
    ),
  };
}

export function writeDocuments(root: string, parts: readonly Part[], records: Records): void {
  for (const [path, text] of Object.entries(documents(parts, records))) writeFileSync(join(root, path), text);
}

const keyFigures = 5;

function proofPage(parts: readonly Part[], records: Records): string {
  return page(
    notice("the records in `proof`"),
    "# Proof",
    `Everything at full size, part by part. \`npm run proof\` runs the parts whose sources have changed since their record and
renders this page; \`npm run proof -- --list\` shows which parts are stale now. All measured values are in
[figures.md](figures.md) for the benchmarks and in [lab-results.md](lab-results.md) for everything else.`,
    list([
      "**held**: every test passed and every figure is within its target.",
      "**targets-missed**: every test passed, and a figure is beyond its target. Targets are for an idle machine.",
      "**deadlines-missed**: a test failed with nothing but a missed deadline, also when it was repeated.",
      "**broken**: an invariant failed, or the part could not run. The gate refuses such a record.",
    ]),
    table(
      ["part", "verdict", "tests", "date", "commit"],
      parts.map(({ name }) => {
        const record = records.get(name);
        return [
          `[${name}](#${name})`,
          ...(record ? [record.verdict, testsOf(record), day(record), revision(record)] : ["not run yet", "", "", ""]),
        ];
      }),
    ),
    ...parts.flatMap((part) => proofSection(part, records.get(part.name))),
  );
}

function proofSection({ name, promise }: Part, record: ProofRecord | undefined): string[] {
  if (record === undefined) return [`## ${name}`, promise, "Not run yet."];
  // The figures closest to their targets; without targets the first ones.
  const key = record.figures.toSorted((one, other) => closeness(other) - closeness(one)).slice(0, keyFigures);
  return [
    `## ${name}`,
    promise,
    `**${record.verdict}** on ${day(record)}, commit ${revision(record)}.`,
    list(shortcomings(record)),
    key.length === 0
      ? ""
      : table(
          ["figure", "value", "target"],
          key.map((figure) => [figure.name, valueOf(figure), targetOf(figure)]),
        ),
  ];
}

function figuresPage(parts: readonly Part[], records: Records): string {
  return page(
    notice("the benchmark records in `proof`"),
    "# Figures",
    `Measured by the benchmarks of \`npm run proof -- bench\`, with the built daemon. Each is run three times and the best run
counts, because other load only makes a run slower. Values in × are ratios to the bare engine in the same run and mean something on
other machines too; absolute times belong to the machine. What the costs consist of is in [costs.md](costs.md), how time is measured
on a shared machine in [decision 33](decisions/0033-time-on-a-shared-machine.md). A value more than 10 percent worse than the median
of the earlier ones is marked as a regression. A missed target is recorded and does not block a change.`,
    ...parts.flatMap((part) => figuresSection(part, records.get(part.name))),
  );
}

function figuresSection({ name, promise }: Part, record: ProofRecord | undefined): string[] {
  if (record === undefined) return [`## ${name}`, promise, "Not run yet."];
  const earlier = (figure: string) => (record.history?.[figure] ?? []).slice(0, -1).toReversed();
  return [
    `## ${name}`,
    promise,
    `Measured on ${day(record)}, commit ${revision(record)}, ${circumstances(record)}.`,
    list(record.broken.map((it) => `**broken:** ${it}`)),
    table(
      ["figure", "value", "target", "", "earlier values, latest first", "note"],
      record.figures.map((figure) => [
        figure.name,
        valueOf(figure),
        targetOf(figure),
        targetStatusOf(figure),
        earlier(figure.name)
          .map(({ value }) => amount(value))
          .join(", "),
        remarkOf(figure),
      ]),
    ),
  ];
}

function resultsPage(parts: readonly Part[], records: Records): string {
  return page(
    notice("the records in `proof`"),
    "# Results at full size",
    `What the tests of \`npm run proof\` measured: suites, lab, leaks, virtual machine and browser. Every run picks a fresh seed; to
repeat one, run the test file or script itself with \`SEED\` and the sizes given here. A limit in seconds is the
deadline on an idle machine; the test itself allows more where the machine is slow. Where several values have one name, the worst is
shown. Details of the leak tests are in [leak-matrix.md](leak-matrix.md), [leak-sequences.md](leak-sequences.md) and
[leak-layers.md](leak-layers.md). The costs of forwarding, tunnels and DNS are in [costs.md](costs.md).`,
    ...parts.flatMap((part) => resultsSection(part, records.get(part.name))),
  );
}

function resultsSection({ name, promise, sizes }: Part, record: ProofRecord | undefined): string[] {
  if (record === undefined) return [`## ${name}`, promise, `Not run yet.${sizesOf(sizes)}`];
  return [
    `## ${name}`,
    promise,
    `**${record.verdict}** on ${day(record)}, commit ${revision(record)}: ${testsOf(record) || "no tests"} in ${amount(record.seconds)} s, ` +
      `${circumstances(record)}. Seed ${record.seed}.${sizesOf(record.sizes)}`,
    list(shortcomings(record)),
    record.figures.length === 0
      ? ""
      : table(
          ["figure", "value", "target", "", "note"],
          record.figures.map((figure) => [
            figure.name,
            valueOf(figure),
            targetOf(figure),
            targetStatusOf(figure),
            remarkOf(figure),
          ]),
        ),
  ];
}

const circumstances = ({ load, slowness }: ProofRecord): string =>
  `load ${load.start} at the start and ${load.end} at the end, slowness ${slowness}`;

function sizesOf(sizes: Part["sizes"]): string {
  const named = Object.entries(sizes).map(([name, value]) => `\`${name}=${value}\``);
  return named.length === 0 ? "" : ` Sizes: ${named.join(", ")}.`;
}
