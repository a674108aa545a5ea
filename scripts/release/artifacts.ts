import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { temporaryFolder } from "../../testing/folder.ts";
import { buildPackage, type Wanted } from "../package/build.ts";
import { type Architecture, packageRelations } from "../package/control.ts";
import { billOfMaterials, type Lock } from "./sbom.ts";

interface Build extends Pick<Wanted, "root" | "runningNode" | "version" | "time" | "compression" | "folder"> {
  readonly architectures: readonly Architecture[];
  /** The folder of the Node of an architecture. */
  readonly nodeOf: (architecture: Architecture) => string;
  readonly log: (line: string) => void;
}

export const checksumFile = "SHA256SUMS";

/** Builds the files of a release into `folder`, each package twice. Returns their names. */
export function buildArtifacts({ architectures, nodeOf, log, ...common }: Build): string[] {
  const { root, version, time, folder } = common;
  mkdirSync(folder, { recursive: true });
  const packages = architectures.map((architecture) => {
    const wanted = { ...common, architecture, node: nodeOf(architecture) };
    const path = buildPackage(wanted);
    using again = temporaryFolder();
    if (!readFileSync(path).equals(readFileSync(buildPackage({ ...wanted, folder: again.path }))))
      throw new Error(`${basename(path)}: two builds differ`);
    log(`${basename(path)}: two builds have the same bytes`);
    return basename(path);
  });
  const sbom = `portcullis_${version}.cdx.json`;
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  const document = billOfMaterials({ lock, version, time, node: process.versions, engines: packageRelations });
  writeFileSync(join(folder, sbom), `${JSON.stringify(document, undefined, 2)}\n`);
  const files = [...packages, sbom];
  const sums = files.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`);
  writeFileSync(join(folder, checksumFile), sums.join(""));
  return [...files, checksumFile];
}

/** Signs the checksums with an SSH key, which may be in an agent or on a token. `ssh-keygen -Y verify` verifies them. */
export function signChecksums(folder: string, key: string): string {
  const words = ["-Y", "sign", "-q", "-f", key, "-n", "file", join(folder, checksumFile)];
  execFileSync("ssh-keygen", words, { stdio: ["ignore", "ignore", "inherit"] });
  return `${checksumFile}.sig`;
}

const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");
