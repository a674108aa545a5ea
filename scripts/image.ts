import { execFileSync } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { debianMirror } from "./debian-mirror.ts";
import { buildImage } from "./image/build.ts";

/*
 * npm run image [-- --deb FILE] [--out FILE] [--size MIB] [--suite NAME] [--ssh-key FILE] [--archive URI]
 *
 * Builds a disk image that boots by UEFI and by BIOS: Debian with our package. Needs root; see docs/guide/image.md.
 */
const { values } = parseArgs({
  options: {
    deb: { type: "string" },
    out: { type: "string", default: "dist-package/portcullis.raw" },
    size: { type: "string" },
    suite: { type: "string", default: "trixie" },
    "ssh-key": { type: "string" },
    archive: { type: "string" },
  },
});
const sizeMb = values.size === undefined ? undefined : Number(values.size);
if (sizeMb !== undefined && !Number.isSafeInteger(sizeMb)) throw new Error("--size is a number of MiB");
const root = resolve(import.meta.dirname, "..");
const out = resolve(values.out);
const started = performance.now();
buildImage({
  deb: values.deb === undefined ? newestPackage() : resolve(values.deb),
  out,
  sizeMb,
  suite: values.suite,
  archive: values.archive ?? debianMirror(),
  sshKeys: values["ssh-key"] === undefined ? undefined : readFileSync(values["ssh-key"], "utf8"),
  seconds: Number(execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" })),
});
const { size, blocks } = statSync(out);
const mb = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
process.stdout.write(
  `${out}  ${mb(size)}, of which ${mb(blocks * 512)} are used, in ${Math.round((performance.now() - started) / 1000)} s\n`,
);

function newestPackage(): string {
  const found = globSync("dist-package/portcullis_*_amd64.deb", { cwd: root });
  const [newest] = found.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (newest === undefined) throw new Error("There is no package in dist-package: npm run package, or --deb FILE");
  return resolve(root, newest);
}
