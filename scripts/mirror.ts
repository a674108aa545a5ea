import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Where this machine has its own packages from. */
export function mirror(): string {
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "";
  const words = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", `Release: ${release}`];
  const found = execFileSync("apt-get", words, { encoding: "utf8" }).split("\n")[0];
  if (!found) throw new Error("This machine's own packages come from nowhere that apt knows");
  return found;
}
