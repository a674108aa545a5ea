import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Architecture, architectures } from "../package/control.ts";
import type { Lock } from "./sbom.ts";

/**
 * The folder of the Node that is packed for an architecture. npm installs that of this machine; another one is fetched in the
 * version of package-lock.json, and refused unless it has the checksum of it.
 */
export function nodeRuntime(root: string, architecture: Architecture, folder: string): string {
  const name = `node-linux-${architectures[architecture]}`;
  const installed = join(root, "node_modules", name);
  if (existsSync(installed)) return installed;
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  const { version, integrity } = lock.packages[`node_modules/${name}`]!;
  const packed = execFileSync("npm", ["pack", "--silent", `${name}@${version}`, "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
  });
  const archive = join(folder, packed.trim().split("\n").at(-1)!);
  verifyIntegrity(readFileSync(archive), integrity ?? "", name);
  execFileSync("tar", ["--extract", "--file", archive, "--directory", folder]);
  return join(folder, "package");
}

export function verifyIntegrity(content: Uint8Array, integrity: string, name: string): void {
  const found = `sha512-${createHash("sha512").update(content).digest("base64")}`;
  if (found !== integrity) throw new Error(`${name} has the checksum ${found}, and package-lock.json has ${integrity}`);
}
