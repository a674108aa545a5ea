import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { buildArtifacts } from "../../scripts/release/artifacts.ts";
import { temporaryFolder } from "../../testing/folder.ts";

test("release: the files of both architectures and their checksums", () => {
  using work = temporaryFolder();
  // A small program in place of Node.
  const node = join(work.path, "node");
  mkdirSync(join(node, "bin"), { recursive: true });
  cpSync("/bin/true", join(node, "bin/node"));
  const folder = join(work.path, "release");
  const printed: string[] = [];
  const files = buildArtifacts({
    root: resolve("."),
    runningNode: process.execPath,
    version: "1.0.0-1",
    time: new Date("2026-01-01T00:00:00Z"),
    compression: "zstd",
    folder,
    architectures: ["amd64", "arm64"],
    nodeOf: () => node,
    log: (line) => printed.push(line),
  });
  expect(files).toEqual([
    "portcullis_1.0.0-1_amd64.deb",
    "portcullis_1.0.0-1_arm64.deb",
    "portcullis_1.0.0-1.cdx.json",
    "SHA256SUMS",
  ]);
  expect(printed).toHaveLength(2);
  const verified = execFileSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: folder, encoding: "utf8" });
  expect(verified.match(/: OK/g)).toHaveLength(3);
});
