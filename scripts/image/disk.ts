import { execFileSync } from "node:child_process";
import {
  closeSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/folder.ts";
import { bootMb, ids, labels, partitionTable, rootStartMb, sizesFor } from "./layout.ts";

interface DiskOptions {
  /** MiB; by default as small as the content allows. */
  readonly sizeMb?: number | undefined;
  readonly seconds: number;
}

/**
 * Writes a disk image with a boot partition and a root file system. No loop device and no mount: both are filled by programs that
 * write files into an image.
 */
export function writeDisk(root: string, out: string, { sizeMb, seconds }: DiskOptions): void {
  using folder = temporaryFolder();
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(seconds), E2FSPROGS_FAKE_TIME: String(seconds), TZ: "UTC" };
  const run = (program: string, words: readonly string[], input?: string): string =>
    execFileSync(program, words, { env, encoding: "utf8", ...(input === undefined ? {} : { input }) });
  const boot = join(folder.path, "boot.img");
  writeBootPartition(boot, join(root, "boot/efi"), run);
  // On the machine this is the mount point of the other partition.
  for (const name of readdirSync(join(root, "boot/efi"))) rmSync(join(root, "boot/efi", name), { recursive: true });
  run("touch", ["-d", `@${seconds}`, join(root, "boot/efi")]);

  const contentMb = Number(run("du", ["-sm", root]).split("\t")[0]);
  const { diskMb, rootMb } = sizesFor(contentMb, sizeMb);
  rmSync(out, { force: true });
  writeFileSync(out, "");
  truncateSync(out, diskMb * bytesPerMb);
  run("sfdisk", ["--quiet", out], partitionTable(rootMb));
  run("dd", [`if=${boot}`, `of=${out}`, "bs=1M", "seek=1", "conv=notrunc,sparse", "status=none"]);
  const extended = `offset=${rootStartMb * bytesPerMb},hash_seed=${ids.directories},root_owner=0:0`;
  run("mke2fs", ["-q", "-t", "ext4", "-L", labels.root, "-U", ids.root, "-E", extended, "-d", root, out, `${rootMb}M`]);
  writeBootCode(out);
}

function writeBootPartition(
  image: string,
  content: string,
  run: (program: string, words: readonly string[]) => string,
): void {
  writeFileSync(image, "");
  truncateSync(image, bootMb * bytesPerMb);
  run("mkfs.vfat", ["--invariant", "-F32", "-n", labels.boot, "-i", ids.boot, image]);
  const names = readdirSync(content).toSorted();
  run("mcopy", ["-m", "-s", "-i", image, ...names.map((it) => join(content, it)), "::/"]);
  run("mcopy", ["-m", "-i", image, ...["ldlinux.c32", "libutil.c32"].map((it) => join(modules, it)), "::/syslinux/"]);
  run("syslinux", ["--directory", "/syslinux", "--install", image]);
}

/** For machines without UEFI: it starts syslinux from the partition that is marked for it. */
function writeBootCode(out: string): void {
  const code = readFileSync(join(modules, "../../mbr/gptmbr.bin"));
  if (code.length > partitionTableOffset) throw new Error("The boot code would overwrite the partition table");
  const file = openSync(out, "r+");
  writeSync(file, code, 0, code.length, 0);
  closeSync(file);
}

const bytesPerMb = 2 ** 20;
const partitionTableOffset = 440;
const modules = "/usr/lib/syslinux/modules/bios";
