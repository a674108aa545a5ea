import { execFileSync } from "node:child_process";

/** A disk image, read without being mounted or booted. */
export interface DiskImage {
  /** As sfdisk lists them. */
  readonly partitions: readonly { readonly name: string; readonly type: string; readonly attrs?: string }[];
  /** A file of the root file system; empty if there is none. */
  readonly read: (path: string) => string;
  /** Type, mode, owner and target of a link, as debugfs shows them; empty for what does not exist. */
  readonly stat: (path: string) => string;
  readonly names: (folder: string) => readonly string[];
  /** Paths of all files of the boot partition, and the text of one. */
  readonly bootFiles: () => readonly string[];
  readonly readBoot: (path: string) => string;
  /** Throws if the file system is damaged. */
  readonly check: () => void;
}

export function openImage(image: string): DiskImage {
  const { partitiontable } = JSON.parse(execFileSync("sfdisk", ["--json", image], { encoding: "utf8" })) as {
    partitiontable: { partitions: (DiskImage["partitions"][number] & { start: number })[] };
  };
  const [boot, root] = partitiontable.partitions.map(({ start }) => start * sectorBytes);
  const fileSystem = `${image}?offset=${root}`;
  const debugfs = (request: string) =>
    execFileSync("debugfs", ["-R", request, fileSystem], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const onBoot = (program: string, ...words: string[]) =>
    execFileSync(program, ["-i", `${image}@@${boot}`, ...words], { encoding: "utf8" });
  return {
    partitions: partitiontable.partitions,
    read: (path) => debugfs(`cat ${path}`),
    stat: (path) => debugfs(`stat ${path}`),
    names: (folder) =>
      debugfs(`ls -p ${folder}`)
        .split("\n")
        .map((line) => line.split("/")[5] ?? "")
        .filter((name) => name !== "" && !name.startsWith(".")),
    bootFiles: () =>
      onBoot("mdir", "-a", "-b", "-/", "::")
        .split("\n")
        .filter((line) => line !== "" && !line.endsWith("/"))
        .map((line) => line.slice("::".length)),
    readBoot: (path) => onBoot("mtype", `::${path}`),
    check: () => void execFileSync("e2fsck", ["-fn", fileSystem], { stdio: "ignore" }),
  };
}

const sectorBytes = 512;
