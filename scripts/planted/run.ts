import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Report, readReport } from "../gate/report.ts";
import { type PlantedLeak, plantedLeaks } from "./leaks.ts";

/*
 * `npm run proof -- planted`: plants leaks in a copy of the sources, one at a time, builds it, and runs the test that must
 * name it. Without a leak the same tests must pass. `ONLY=word` takes only leaks whose name contains it. Wants root.
 */
const root = resolve(import.meta.dirname, "../..");
const only = process.env["ONLY"] ?? "";
const chosen = plantedLeaks.filter(({ name }) => name.includes(only));
const copy = mkdtempSync(join(tmpdir(), "planted-"));
let isWrong = false;
try {
  copySources();
  const control = run(chosen);
  for (const { file, test, message } of control.broken) {
    isWrong = true;
    console.log(`planted: fails without a leak: ${file}: ${test}: ${firstLine(message)}`);
  }
  for (const leak of chosen) plant(leak);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = isWrong ? 1 : 0;

/** What git knows of, as it is now. Packages are shared. */
function copySources(): void {
  const files = spawnSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).stdout.split("\0");
  for (const file of files.filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
}

function plant(leak: PlantedLeak): void {
  const file = join(copy, leak.file);
  const whole = readFileSync(file, "utf8");
  const edited = whole.replace(leak.find, leak.replace);
  if (edited === whole || whole.split(leak.find).length !== 2)
    throw new Error(`${leak.name}: ${leak.file} does not contain once what is to be replaced`);
  writeFileSync(file, edited);
  const { broken, late } = run([leak]);
  writeFileSync(file, whole);
  // A delay must not look like a broken invariant: the gate would refuse the change on a slow machine.
  const candidates = leak.isDelay ? (broken.length === 0 ? late : []) : broken;
  const detector = candidates.find(({ test }) => test.includes(leak.title));
  isWrong ||= detector === undefined;
  console.log(
    detector
      ? `planted: ${leak.name}: detected by ${leak.test}: ${detector.test}: ${firstLine(detector.message)}`
      : `planted: ${leak.name}: NOT DETECTED; failed: ${broken.map(({ test }) => test).join("; ") || "nothing"}`,
  );
}

/**
 * Builds the copy and runs the tests of these leaks, in the sizes of the gate. Only tests that are named: with a leak, others of the
 * same file may wait for minutes for what cannot happen any more.
 */
function run(leaks: readonly PlantedLeak[]): Pick<Report, "broken" | "late"> {
  execute("npm", ["run", "--silent", "build"]);
  const files = [...new Set(leaks.map(({ test }) => test))];
  const projects = [...new Set(leaks.map(({ project }) => project))].flatMap((it) => ["--project", it]);
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const words = [
    "run",
    ...projects,
    "--tags-filter=!proof",
    ...files,
    `--testNamePattern=${namedTitles(leaks)
      .map((it) => RegExp.escape(it))
      .join("|")}`,
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", ...words], {
    cwd: copy,
    env: { ...process.env, CI: "true", FIGURES: join(copy, "figures") },
    stdio: ["ignore", "ignore", "inherit"],
    timeout: 1_200_000,
  });
  return readReport(report);
}

function namedTitles(leaks: readonly PlantedLeak[]): string[] {
  return leaks.flatMap(({ title, after = [] }) => [...after, title]);
}

function execute(program: string, words: readonly string[]): void {
  const { status, stderr } = spawnSync(program, words, { cwd: copy, encoding: "utf8", timeout: 300_000 });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")}: ${stderr}`);
}

function firstLine(message: string): string {
  return message.split("\n")[0]!.slice(0, 200);
}
