import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../testing/folder.ts";
import { type Architecture, renderControl } from "./control.ts";
import { type PackedFile, packedFiles } from "./contents.ts";

export interface Wanted {
  readonly root: string;
  readonly node: string;
  readonly runningNode: string;
  readonly architecture: Architecture;
  readonly version: string;
  /** The time of every file, so that two builds of one commit are equal. */
  readonly time: Date;
  /** zstd takes seconds, xz a minute for two thirds of the size. */
  readonly compression: "xz" | "zstd";
  readonly folder: string;
}

const scripts = ["preinst", "postinst", "prerm", "postrm"] as const;

/** Writes the package, and returns its path. The same sources give the same bytes. */
export function buildPackage(wanted: Wanted): string {
  const { root, version, architecture, time, compression, folder } = wanted;
  using stage = temporaryFolder();
  const files = packedFiles(wanted);
  for (const file of files) writeStaged(stage.path, file);
  const control = join(stage.path, "DEBIAN");
  mkdirSync(control);
  for (const folder of [stage.path, control]) chmodSync(folder, 0o755);
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  const installedKb = Math.ceil(bytes / 1024);
  writeFileSync(join(control, "control"), renderControl({ version, architecture, installedKb }));
  writeFileSync(join(control, "md5sums"), files.map(checksumLine).join(""));
  for (const name of scripts) {
    const text = readFileSync(join(root, "packaging/deb", name), "utf8").replaceAll("@VERSION@", version);
    writeFileSync(join(control, name), text);
    chmodSync(join(control, name), 0o755);
  }
  for (const name of ["control", "md5sums"]) chmodSync(join(control, name), 0o644);
  for (const path of ["", ...globSync("**/*", { cwd: stage.path })]) utimesSync(join(stage.path, path), time, time);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `portcullis_${version}_${architecture}.deb`);
  const options = ["--root-owner-group", `-Z${compression}`, "--threads-max=2"];
  execFileSync("dpkg-deb", [...options, "--build", stage.path, path], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(Math.floor(time.getTime() / 1000)), TZ: "UTC", LC_ALL: "C" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return path;
}

/** The mode does not depend on the umask of the build. */
export function writeStaged(stage: string, { path, mode, content }: PackedFile): void {
  const full = join(stage, path);
  for (const folder of foldersOf(path)) {
    mkdirSync(join(stage, folder), { recursive: true });
    chmodSync(join(stage, folder), 0o755);
  }
  writeFileSync(full, content);
  chmodSync(full, mode);
}

function foldersOf(path: string): string[] {
  const parts = dirname(path).split("/").filter(Boolean);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** dpkg --verify compares it. */
const checksumLine = ({ path, content }: PackedFile): string =>
  `${createHash("md5").update(content).digest("hex")}  ${path.slice(1)}\n`;
