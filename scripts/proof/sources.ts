import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import type { Part } from "./part.ts";

/** What a part covers: its sources without any tests, and its own tests. */
export type Covering = Pick<Part, "covers" | "tests">;

/** The working tree at one moment: files are listed once, and each is read once at most. */
export interface Tree {
  readonly paths: readonly string[];
  readonly digest: (path: string) => string;
}

/** Tracked files, and new ones that git does not ignore. */
export function readTree(root: string): Tree {
  const listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0");
  const known = new Map<string, string>();
  return {
    paths: [...new Set(listed)].filter((path) => path !== "" && existsSync(join(root, path))).toSorted(),
    digest: (path) => {
      const digest = known.get(path) ?? sha256(readFileSync(join(root, path)));
      known.set(path, digest);
      return digest;
    },
  };
}

export const coveredFiles = ({ paths }: Pick<Tree, "paths">, part: Covering): string[] =>
  paths.filter((path) => isCovered(part, path));

/** Changes with every covered path and its content, and with nothing else. */
export function digestOf(tree: Tree, part: Covering): string {
  const lines = coveredFiles(tree, part).map((path) => `${path}\0${tree.digest(path)}\n`);
  return sha256(lines.join(""));
}

function isCovered({ covers, tests }: Covering, path: string): boolean {
  const isTest = path.endsWith(".test.ts");
  return isTest ? matches(path, tests) : matches(path, covers);
}

/** By a glob, and by no excluding one. */
function matches(path: string, globs: readonly string[]): boolean {
  return (
    globs.some((glob) => !glob.startsWith("!") && matchesGlob(path, glob)) &&
    !globs.some((glob) => glob.startsWith("!") && matchesGlob(path, glob.slice(1)))
  );
}

export const currentCommit = (root: string): string => git(root, "rev-parse", "HEAD").trim();

/** Whether covered files differ from the commit, new files included. */
export function isDirty(root: string, part: Covering): boolean {
  // Without optional locks: a status query must not write the index.
  const words = ["--no-optional-locks", "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
  // Each path follows two letters and a space.
  return git(root, ...words)
    .split("\0")
    .some((line) => line !== "" && isCovered(part, line.slice(3)));
}

function git(root: string, ...words: readonly string[]): string {
  return execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
}

const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
