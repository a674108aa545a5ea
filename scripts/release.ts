import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../contract/src/version.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { type Architecture, architectures } from "./package/control.ts";
import { parts } from "./proof/parts.ts";
import { readRecords } from "./proof/record.ts";
import { staleParts } from "./proof/stale.ts";
import { buildArtifacts, checksumFile, signChecksums } from "./release/artifacts.ts";
import { obstacles, tagOf } from "./release/checks.ts";
import { nodeRuntime } from "./release/node-runtime.ts";

/*
 * npm run release -- --key FILE [--dry-run] [--fast] [--revision N] [--out FOLDER]
 *
 * Builds the packages of all architectures, the SBOM and the checksums, signs the checksums and the tag with the SSH key, and ends with
 * what is left to do. With --dry-run it builds the same files in a temporary folder, lists what prevents the release, and
 * neither signs nor tags. --fast compresses less, for a quick look.
 */
const { values } = parseArgs({
  options: {
    key: { type: "string" },
    "dry-run": { type: "boolean", default: false },
    fast: { type: "boolean", default: false },
    revision: { type: "string", default: "1" },
    out: { type: "string", default: "dist-release" },
  },
});
const root = resolve(import.meta.dirname, "..");
const isRehearsal = values["dry-run"];
const git = (...words: readonly string[]): string => execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim();
const linesOf = (text: string): string[] => text.split("\n").filter(Boolean);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const reasons = [
  ...obstacles({
    version,
    changed: linesOf(git("status", "--porcelain")),
    tags: linesOf(git("tag")),
    changelog: readFileSync(join(root, "CHANGELOG.md"), "utf8"),
    ...proofState(),
  }),
  ...(existsSync(join(root, "dist/portcullisd.mjs")) ? [] : ["nothing is built: npm run build"]),
  ...(values.key === undefined ? ["no --key: an SSH key that signs the checksums and the tag"] : []),
];
for (const reason of reasons) print(`prevents the release: ${reason}`);
if (!isRehearsal && reasons.length > 0) process.exit(1);

using work = temporaryFolder();
const folder = isRehearsal ? join(work.path, "release") : resolve(values.out);
rmSync(folder, { recursive: true, force: true });
const files = buildArtifacts({
  root,
  runningNode: process.execPath,
  architectures: Object.keys(architectures) as Architecture[],
  nodeOf: (architecture) => nodeRuntime(root, architecture, work.path),
  version: `${version}-${values.revision}`,
  time: new Date(Number(git("log", "-1", "--format=%ct")) * 1000),
  compression: values.fast ? "zstd" : "xz",
  folder,
  log: print,
});
for (const name of files) print(`${(statSync(join(folder, name)).size / 1e6).toFixed(1).padStart(6)} MB  ${name}`);
print(readFileSync(join(folder, checksumFile), "utf8").trimEnd());
const tag = ["tag", "--sign", tagOf(version), "--message", `Portcullis ${version}`];
if (isRehearsal) {
  print(`would sign ${checksumFile}: ssh-keygen -Y sign -n file -f ${values.key ?? "KEY"} ${checksumFile}`);
  print(`would tag ${git("rev-parse", "--short", "HEAD")}: git ${tag.join(" ")}`);
} else {
  print(`signed: ${signChecksums(folder, values.key!)}`);
  git("-c", "gpg.format=ssh", "-c", `user.signingkey=${resolve(values.key!)}`, ...tag);
  print(`tagged: ${tagOf(version)}. Publish the tag and the files in ${folder}.`);
}

function proofState() {
  const records = readRecords(join(root, "proof"));
  const broken = [...records.values()].filter(({ verdict }) => verdict === "broken");
  return { staleParts: [...staleParts(root, parts, records)], brokenParts: broken.map(({ part }) => part) };
}
