import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { temporaryFolder } from "../testing/folder.ts";
import { sourcesAt } from "./sources.ts";

test("sources of a repository have its commit and the date of that commit, whenever they are built", () => {
  using folder = temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder.path, "-c", "user.name=ada", "-c", "user.email=ada@example.org", ...args], {
      env: { ...process.env, GIT_COMMITTER_DATE: "2026-01-31T12:00:00Z" },
    })
      .toString()
      .trim();
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  const sources = { commit: git("rev-parse", "HEAD"), date: "2026-01-31T12:00:00Z" };
  expect(sourcesAt({}, folder.path)).toEqual(sources);
  expect(sourcesAt({}, folder.path)).toEqual(sources);
  expect(sourcesAt({ SOURCE_DATE_EPOCH: "0" }, folder.path)).toEqual({ ...sources, date: "1970-01-01T00:00:00Z" });
  expect(sourcesAt({ SOURCE_DATE_EPOCH: "yesterday" }, folder.path)).toEqual(sources);
});

test("sources without a repository have an unknown commit and date", () => {
  using folder = temporaryFolder();
  expect(sourcesAt({}, folder.path)).toEqual({ commit: "unknown", date: "unknown date" });
});
