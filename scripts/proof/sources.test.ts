import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { coveredFiles, currentCommit, digestOf, isDirty, readTree } from "./sources.ts";

const part = { covers: ["src/**", "!src/left-out/**"], tests: ["lab/one.test.ts"] };
const files = [
  "src/a.ts",
  "src/a.test.ts",
  "src/deep/b.lua",
  "src/left-out/c.ts",
  "lab/one.test.ts",
  "lab/two.test.ts",
];

function repository() {
  const folder = temporaryFolder();
  const write = (path: string, text = path) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  };
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder.path, encoding: "utf8" });
  for (const path of files) write(path);
  write(".gitignore", "*.log\n");
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=Test", "-c", "user.email=test@example", "commit", "--quiet", "--message", "all");
  return { root: folder.path, write, git, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test("proof sources: sources are covered without their tests, and tests where they are named", () => {
  using it = repository();
  expect(coveredFiles(readTree(it.root), part)).toEqual(["lab/one.test.ts", "src/a.ts", "src/deep/b.lua"]);
});

test("proof sources: the digest changes with a covered file, and with nothing else", () => {
  using it = repository();
  const before = digestOf(readTree(it.root), part);
  for (const path of ["src/a.test.ts", "src/left-out/c.ts", "lab/two.test.ts", "src/ignored.log"])
    it.write(path, "other");
  expect([digestOf(readTree(it.root), part), isDirty(it.root, part)]).toEqual([before, false]);

  const digests = new Set([before]);
  const changes = [
    () => it.write("src/a.ts", "other"),
    () => it.write("lab/one.test.ts", "other"),
    () => it.write("src/new.ts", ""),
    () => rmSync(join(it.root, "src/deep/b.lua")),
    // The same content elsewhere.
    () => (rmSync(join(it.root, "src/new.ts")), it.write("src/newer.ts", "")),
  ];
  for (const change of changes) {
    change();
    digests.add(digestOf(readTree(it.root), part));
  }
  expect(digests.size).toBe(1 + changes.length);
});

test.each(["src/a.ts", "src/new.ts", "lab/one.test.ts"])("sources differ from the commit once %s does", (path) => {
  using it = repository();
  expect(isDirty(it.root, part)).toBe(false);
  it.write(path, "other");
  expect(isDirty(it.root, part)).toBe(true);
  expect(currentCommit(it.root)).toBe(it.git("rev-parse", "HEAD").trim());
});
