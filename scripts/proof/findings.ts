import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { complaintsOf } from "../../lab/leaks/layers-document.ts";
import type { Row } from "../../lab/leaks/matrix.ts";
import type { Mutation } from "../../lab/leaks/mutations.ts";
import { probeNames } from "../../lab/leaks/probes.ts";
import { faultsOf, type Run } from "../../lab/leaks/sequences.ts";
import type { Figure } from "../../testing/figure.ts";
import { type Findings, noFindings } from "./verdict.ts";

/*
 * Converts the files and the output of the scripts of some parts into the form of a record. A script without results has failed,
 * as its exit code shows.
 */

/** By name of the part; `folder` holds the results, `output` is what the scripts printed. */
export const findingsOf: Readonly<Record<string, (folder: string, output: string) => Findings>> = {
  fuzz: (_, output) => fuzzing(output),
  "leak-matrix": (folder, output) => {
    const lab = json<{ readonly rows: readonly Row[] }>(folder, "lab.json")?.rows ?? [];
    return faultRows([...lab, ...(json<readonly Row[]>(folder, "vm.json") ?? [])], matrixComplaints(output));
  },
  vm: (folder, output) => faultRows(json<readonly Row[]>(folder, "vm.json") ?? [], all(output, /^WRONG {2}(.*)$/gm)),
  "leak-layers": (folder) =>
    layers(json<{ readonly mutations: readonly Mutation[] }>(folder, "layers.json")?.mutations ?? []),
  planted: (_, output) => plantedLeaks(output),
  "leak-sequences": (folder) => sequences(text(folder, "sequences.jsonl")),
};

function fuzzing(output: string): Findings {
  const counted = [...output.matchAll(/^(?:(\w+): )?(\d+) texts, .*?(\d+) findings$/gm)];
  return {
    passed: counted.filter(([, , , findings]) => findings === "0").length,
    broken: all(output, /^(\S+, SEED=\d+: .*)$/gm),
    late: [],
    figures: counted.map(([, parser, texts]) => ({
      name: parser === undefined ? "tunnel files tried" : `block lists tried, format ${parser}`,
      value: Number(texts),
      unit: "texts",
    })),
  };
}

/** The script prints its complaints, and then how many there were. Only one of them is about time. */
function matrixComplaints(output: string): string[] {
  const count = Number(/^(\d+) complaints$/m.exec(output)?.[1] ?? 0);
  const lines = output.split("\n");
  const end = lines.findIndex((line) => line === `${count} complaints`);
  return count === 0 ? [] : lines.slice(Math.max(0, end - count), end);
}

function faultRows(rows: readonly Row[], complaints: readonly string[]): Findings {
  const cells = rows.flatMap((row) => row.cells);
  const sum = (what: "sent" | "leaked" | "control") => cells.reduce((total, cell) => total + cell[what], 0);
  const findings = rows.flatMap((row) => Object.values(row.findings ?? {})).reduce((total, count) => total + count, 0);
  const isLate = (complaint: string) => /^it took \d+ s, of \d+$/.test(complaint);
  if (rows.length === 0) return noFindings;
  return {
    passed: rows.filter((row) =>
      row.cells.every(({ leaked, control, sent }) => leaked === 0 && control > 0 && sent > 0),
    ).length,
    broken: complaints.filter((it) => !isLate(it)),
    late: complaints.filter(isLate),
    figures: [
      { name: "faults done", value: rows.length, unit: "faults" },
      { name: "packets sent by the protected device", value: sum("sent"), unit: "packets" },
      { name: "packets seen outside", value: sum("leaked"), unit: "packets", most: 0 },
      { name: "other unexpected packets outside", value: findings, unit: "packets", most: 0 },
      { name: "packets seen outside in the controls", value: sum("control"), unit: "packets", least: 1 },
    ],
  };
}

function layers(mutations: readonly Mutation[]): Findings {
  if (mutations.length === 0) return noFindings;
  const broken = complaintsOf(
    mutations,
    mutations.map(({ part }) => part),
  );
  const leaking = mutations.filter(({ leaks }) => leaks.length > 0).length;
  const noticed = mutations.filter((it) => it.noticed.length > 0).length;
  return {
    passed: mutations.length - leaking,
    broken,
    late: [],
    figures: [
      { name: "rules, routes and sets removed", value: mutations.length, unit: "removals" },
      { name: "removals that leak with all other layers on", value: leaking, unit: "removals", most: 0 },
      { name: "removals noticed with the other layers off", value: noticed, unit: "removals" },
    ],
  };
}

/** One line for each leak: detected by which test, or not. */
function plantedLeaks(output: string): Findings {
  const detected = all(output, /^planted: (.*?: detected by .*)$/gm).length;
  if (!output.includes("planted: ")) return noFindings;
  return {
    passed: detected,
    broken: all(output, /^planted: (.*?: NOT DETECTED.*|fails without a leak: .*)$/gm),
    late: [],
    figures: [{ name: "planted leaks that a test named", value: detected, unit: "leaks" }],
  };
}

function sequences(lines: string): Findings {
  const runs = lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Run);
  if (runs.length === 0) return noFindings;
  const figure = (name: string, of: (run: Run) => number, unit: string, more: Partial<Figure> = {}): Figure => ({
    name,
    value: runs.reduce((sum, run) => sum + of(run), 0),
    unit,
    ...more,
  });
  // What leaves to a portal while one is open is counted too, and is no probe.
  const seen = ({ leaked, findings }: Run) =>
    [...probeNames.map((probe) => leaked[probe] ?? 0), ...Object.values(findings)].reduce(
      (sum, count) => sum + count,
      0,
    );
  return {
    passed: runs.filter((run) => faultsOf(run).length === 0).length,
    broken: runs.flatMap(faultsOf),
    late: [],
    figures: [
      figure("sequences", () => 1, "sequences"),
      figure("faults done", (run) => run.struck.length, "faults"),
      figure("packets sent by the protected device", (run) => run.sent, "packets"),
      figure("packets seen outside", seen, "packets", { most: 0 }),
      figure("duration of all sequences", (run) => run.seconds, "s"),
      {
        name: "longest recovery after the last fault",
        value: Math.max(...runs.map((run) => run.healedSec)),
        unit: "s",
      },
    ],
  };
}

const text = (folder: string, name: string): string =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "";

function json<T>(folder: string, name: string): T | undefined {
  const content = text(folder, name);
  return content === "" ? undefined : (JSON.parse(content) as T);
}

const all = (output: string, pattern: RegExp): string[] => [...output.matchAll(pattern)].map(([, found]) => found!);
