import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { linux } from "./system.ts";

test("who follows a program hears its lines, and also that it ended and began again", async () => {
  const events: string[] = [];
  const five = Promise.withResolvers<void>();
  function hear(what: string): void {
    events.push(what);
    if (events.length === 5) five.resolve();
  }
  const followed = linux.follow("echo", ["hello"], hear, () => hear("gap"));
  await five.promise;
  followed.stop();
  expect(events).toEqual(["gap", "hello", "gap", "gap", "hello"]);
});

test("writeAtomically: when the kernel takes a part of the text only, the write fails and the file stays as it was", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "zone");
  writeFileSync(path, "before");
  expect(writtenWithin64KiB(path, 60_000)).toBe("written");
  expect(readFileSync(path, "utf8")).toBe("x".repeat(60_000));
  expect(writtenWithin64KiB(path, 200_000)).toMatch(/^(EFBIG|ENOSPC)$/);
  expect(readFileSync(path, "utf8")).toBe("x".repeat(60_000));
  expect(readdirSync(folder.path)).toEqual(["zone"]);
});

test("makeFolder: a new folder has its mode whatever the umask is, and an existing one keeps its own", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "inner", "policy");
  const code = `
    const { linux } = await import(${JSON.stringify(join(import.meta.dirname, "system.ts"))});
    process.umask(0o077);
    linux.makeFolder(${JSON.stringify(path)}, 0o755);
    linux.makeFolder(${JSON.stringify(path)}, 0o700);`;
  expect(spawnSync(process.execPath, ["--input-type=module", "--eval", code], { encoding: "utf8" }).stderr).toBe("");
  expect(statSync(path).mode & 0o777).toBe(0o755);
});

/** A process whose files have at most 64 KiB: the kernel writes the part that fits, as it does on a full disk. */
function writtenWithin64KiB(path: string, characters: number): string {
  const code = `
    const { linux } = await import(${JSON.stringify(join(import.meta.dirname, "system.ts"))});
    try {
      linux.writeAtomically(${JSON.stringify(path)}, "x".repeat(${characters}), 0o600);
      console.log("written");
    } catch ({ code }) { console.log(code); }`;
  const { stdout } = spawnSync(
    "prlimit",
    ["--fsize=65536", "--", process.execPath, "--input-type=module", "--eval", code],
    { encoding: "utf8" },
  );
  return stdout.trim();
}
