import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The URI of the Debian mirror that this machine uses. */
export function debianMirror(): string {
  const release = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "";
  const words = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", `Release: ${release}`];
  const found = execFileSync("apt-get", words, { encoding: "utf8" }).split("\n")[0];
  if (!found) throw new Error("apt knows no mirror for the release of this machine");
  return found;
}
