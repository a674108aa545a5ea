import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { debianMirror } from "../scripts/debian-mirror.ts";
import { packageRelations } from "../scripts/package/control.ts";

/**
 * The root folder of a minimal Debian with what our package depends on and recommends. Built once for each list of packages
 * (`mmdebstrap`, a minute), kept in the user's cache folder, and never changed.
 */
export function debianRoot(suite: string, more: readonly string[] = []): string {
  const { depends, recommends } = packageRelations;
  const names = [...depends, ...recommends].map((it) => it.split(" ")[0]!);
  const packages = [...new Set([...names, "systemd", "systemd-sysv", "mawk", ...more])].toSorted();
  const options = ['Acquire::Languages "none"', 'APT::Install-Recommends "false"'].map((it) => `--aptopt=${it}`);
  const recipe = createHash("sha256")
    .update([...options, ...packages].join(" "))
    .digest("hex")
    .slice(0, 12);
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "portcullis-debian");
  const folder = join(cache, `${suite}-${recipe}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, "unfinished-"));
  const root = join(unfinished, "root");
  const words = ["--quiet", "--mode=root", "--variant=essential", `--include=${packages.join(",")}`];
  const from = `deb ${debianMirror()} ${suite} main`;
  execFileSync("mmdebstrap", [...words, ...options, suite, root, from], {
    stdio: ["ignore", "ignore", "inherit"],
    timeout: 600_000,
  });
  renameSync(root, folder); // It exists completely or not at all.
  rmdirSync(unfinished);
  return folder;
}
