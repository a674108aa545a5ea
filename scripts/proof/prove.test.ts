import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { parseChoice } from "./choice.ts";
import type { Part } from "./part.ts";
import { prove } from "./prove.ts";
import { readRecords } from "./record.ts";

/** Three parts, whose scripts write down that they ran; the last one waits until it is ended. */
const scripts = {
  "one.mjs": `import { appendFileSync } from "node:fs";
    appendFileSync("ran.log", "one " + process.env.SIZE + "\\n");
    appendFileSync(process.env.FIGURES, JSON.stringify({ name: "time", value: 1, unit: "s", most: 2 }) + "\\n");`,
  "two.mjs": `import { appendFileSync } from "node:fs"; appendFileSync("ran.log", "two\\n"); process.exitCode = 3;`,
  "waits.mjs": `import { appendFileSync } from "node:fs";
    appendFileSync(process.env.RESULTS, "line\\n"); console.log("waiting"); setTimeout(() => {}, 60_000);`,
};
const part = (name: string, more: Partial<Part> = {}): Part => ({
  name,
  promise: `${name} holds.`,
  kind: "suite",
  covers: [`${name}.mjs`],
  tests: [],
  sizes: { SIZE: 10 },
  steps: [{ kind: "script", script: `${name}.mjs` }],
  needsBuild: false,
  needsRoot: false,
  ...more,
});
const [one, two] = [part("one", { kind: "benchmark" }), part("two")];
const waits = part("waits", { results: { RESULTS: "results" }, continues: true });

function ground(parts: readonly Part[]) {
  const folder = temporaryFolder();
  const root = folder.path;
  const git = (...words: string[]) => execFileSync("git", words, { cwd: root });
  mkdirSync(join(root, "docs"));
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(root, name), text);
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=Test", "-c", "user.email=test@example", "commit", "--quiet", "--message", "all");
  const logged: string[] = [];
  const records = join(root, "proof");
  const run = (line: string, interruption = new AbortController()) =>
    prove(
      {
        root,
        workFolder: join(root, "work"),
        env: { PATH: process.env["PATH"] },
        signal: interruption.signal,
        parts,
        records,
        isRoot: false,
        log: (it) => void logged.push(it),
        elapsedSec: () => 10,
      },
      parseChoice(line.split(" ").filter(Boolean)),
    );
  return {
    root,
    logged,
    run,
    ran: () =>
      existsSync(join(root, "ran.log")) ? readFileSync(join(root, "ran.log"), "utf8").trim().split("\n") : [],
    records: () => readRecords(records),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("proof: every stale part runs and is recorded; what has a record for its sources is not run again", async () => {
  using it = ground([one, two, part("other", { needsRoot: true })]);
  expect(await it.run("")).toBe(1);
  expect(it.ran()).toEqual(["one 10", "two"]);
  expect(it.logged).toContain("other: left out, because it needs root");
  const record = it.records().get("one")!;
  expect(record).toMatchObject({ verdict: "held", sizes: { SIZE: 10 }, figures: [{ name: "time", value: 1 }] });
  expect(record.history!["time"]!.map(({ value }) => value)).toEqual([1]);
  expect(record.dirty).toBeUndefined();
  expect(it.records().get("two")).toMatchObject({ verdict: "broken", broken: ["two.mjs: ended with exit code 3"] });
  expect(readFileSync(join(it.root, "docs/proof.md"), "utf8")).toContain("| [one](#one) | held |");

  expect(await it.run("")).toBe(0);
  expect(it.ran()).toHaveLength(2);
  writeFileSync(join(it.root, "one.mjs"), `${scripts["one.mjs"]}\n`);
  expect(await it.run("")).toBe(0);
  expect(it.ran()).toEqual(["one 10", "two", "one 10"]);
  const again = it.records().get("one")!;
  expect([again.dirty, again.history!["time"]!.length, again.seed === record.seed]).toEqual([true, 2, false]);
});

test("proof: a part that is named runs again; with --stale it does not", async () => {
  using it = ground([one]);
  await it.run("");
  await it.run("one --stale");
  expect(it.ran()).toHaveLength(1);
  await it.run("one");
  expect(it.ran()).toHaveLength(2);
});

test("proof: after the given time no part starts", async () => {
  using it = ground([one, two]);
  expect(await it.run("--for 10s")).toBe(0);
  expect([it.ran(), it.logged.at(-1)]).toEqual([[], "The time is over. Not started: one, two"]);
});

test("proof: with other sizes nothing is recorded", async () => {
  using it = ground([one]);
  await it.run("one --with SIZE=1");
  expect([it.ran(), it.records().size]).toEqual([["one 1"], 0]);
});

test("proof: an interruption ends the running part without a record, keeps the others, and results to continue from", async () => {
  using it = ground([one, waits, two]);
  const interruptSoon = async () => {
    const interruption = new AbortController();
    const code = it.run("", interruption);
    const results = join(it.root, "work/waits/results");
    const before = existsSync(results) ? readFileSync(results, "utf8") : "";
    await expect.poll(() => existsSync(results) && readFileSync(results, "utf8") !== before).toBe(true);
    interruption.abort();
    return { code: await code, results: readFileSync(results, "utf8") };
  };
  expect(await interruptSoon()).toEqual({ code: 130, results: "line\n" });
  expect([it.ran(), [...it.records().keys()], readdirSync(join(it.root, "proof"))]).toEqual([
    ["one 10"],
    ["one"],
    ["one.json"],
  ]);
  expect(await interruptSoon()).toEqual({ code: 130, results: "line\nline\n" });
  // For other sources it starts over, and keeps what it had.
  writeFileSync(join(it.root, "waits.mjs"), `${scripts["waits.mjs"]}\n`);
  expect(await interruptSoon()).toEqual({ code: 130, results: "line\n" });
  expect(readFileSync(join(it.root, "work/waits.before/results"), "utf8")).toBe("line\nline\n");
});
