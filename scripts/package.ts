import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../contract/src/version.ts";
import { buildPackage } from "./package/build.ts";
import { type Architecture, architectures } from "./package/control.ts";

/*
 * npm run package [-- --arch arm64] [--fast] [--out FOLDER]
 *
 * Builds the Debian package from dist/. The Node of another architecture comes from the npm package of the same version.
 */
const { values } = parseArgs({
  options: {
    arch: { type: "string", default: "amd64" },
    fast: { type: "boolean", default: false },
    out: { type: "string", default: "dist-package" },
    revision: { type: "string", default: "1" },
  },
});
const root = resolve(import.meta.dirname, "..");
if (!(values.arch in architectures)) throw new Error(`--arch is one of ${Object.keys(architectures).join(", ")}`);
if (!existsSync(join(root, "dist/portcullisd.mjs"))) throw new Error("Nothing is built: npm run build");
const architecture = values.arch as Architecture;
const node = join(root, "node_modules", `node-linux-${architectures[architecture]}`);
if (!existsSync(node))
  throw new Error(`${node} does not exist: npm pack node-linux-${architectures[architecture]}, and unpack it there`);
const seconds = Number(execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" }));
const path = buildPackage({
  root,
  node,
  runningNode: process.execPath,
  architecture,
  version: `${version}-${values.revision}`,
  time: new Date(seconds * 1000),
  compression: values.fast ? "zstd" : "xz",
  folder: resolve(values.out),
});
const content = readFileSync(path);
process.stdout.write(
  `${createHash("sha256").update(content).digest("hex")}  ${path}  ${(content.length / 1e6).toFixed(1)} MB\n`,
);
