import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../testing/folder.ts";
import { writeDisk } from "./disk.ts";
import { buildRoot, type RootOptions } from "./root.ts";

interface ImageOptions extends RootOptions {
  readonly out: string;
  readonly sizeMb?: number | undefined;
}

/** Writes the image, and beside it the list of its packages with their versions. */
export function buildImage({ out, sizeMb, ...options }: ImageOptions): void {
  refuseUnsuitable(options.deb);
  mkdirSync(dirname(out), { recursive: true });
  using folder = temporaryFolder();
  const root = join(folder.path, "root");
  buildRoot(root, options);
  writeFileSync(`${out}.packages`, installedIn(root));
  writeDisk(root, out, { sizeMb, seconds: options.seconds });
}

/** Before minutes are spent. */
function refuseUnsuitable(deb: string): void {
  if (process.getuid?.() !== 0) throw new Error("Only root can build the image: files in it belong to several users");
  const folders = (process.env["PATH"] ?? "").split(":");
  const missing = Object.entries(packages).filter(([file]) => {
    const paths = file.startsWith("/") ? [file] : folders.map((it) => join(it, file));
    return !paths.some((it) => existsSync(it));
  });
  if (missing.length > 0)
    throw new Error(
      `Programs are not installed: \`apt install ${[...new Set(missing.map(([, name]) => name))].join(" ")}\``,
    );
  accessSync(deb, constants.R_OK);
  const architecture = execFileSync("dpkg-deb", ["--field", deb, "Architecture"], { encoding: "utf8" }).trim();
  if (architecture !== "amd64") throw new Error(`Images are built for amd64 only; this package is for ${architecture}`);
}

/** What the build runs, and the package of each. */
const packages = {
  mmdebstrap: "mmdebstrap",
  "mkfs.vfat": "dosfstools",
  mcopy: "mtools",
  mke2fs: "e2fsprogs",
  sfdisk: "fdisk",
  systemctl: "systemd",
  syslinux: "syslinux",
  "/usr/lib/syslinux/modules/bios/ldlinux.c32": "syslinux-common",
  "/usr/lib/syslinux/mbr/gptmbr.bin": "syslinux-common",
};

/** From the database of dpkg, which this machine need not be able to read: it can be newer. */
function installedIn(root: string): string {
  const database = readFileSync(join(root, "var/lib/dpkg/status"), "utf8");
  const field = (entry: string, name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(entry)?.[1] ?? "";
  return database
    .split("\n\n")
    .filter((entry) => field(entry, "Status").endsWith(" installed"))
    .map((entry) => `${field(entry, "Package")} ${field(entry, "Version")}\n`)
    .toSorted()
    .join("");
}
