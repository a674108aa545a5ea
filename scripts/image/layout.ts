/** Sizes in MiB. The first is left to the partition table. */
const tableMb = 1;
/** Three kernels with their initrds, and room for them to grow. */
export const bootMb = 256;
export const rootStartMb = tableMb + bootMb;
/** The copy of the partition table at the end of the disk. */
const tableCopyMb = 1;

export const labels = { boot: "ESP", root: "portcullis" } as const;
/** Fixed, so that two builds do not differ in them. */
export const ids = {
  boot: "50435253",
  root: "50435253-0000-4000-8000-000000000001",
  directories: "50435253-0000-4000-8000-000000000002",
  disk: "50435253-0000-4000-8000-000000000003",
  bootPartition: "50435253-0000-4000-8000-000000000004",
  rootPartition: "50435253-0000-4000-8000-000000000005",
} as const;

export const kernelOptions = `root=LABEL=${labels.root} rw quiet console=tty0 console=ttyS0,115200`;

/** Sizes of the image and of its root file system. The root file system grows on the machine; here it has room for one upgrade. */
export function sizesFor(contentMb: number, wantedMb: number | undefined): { diskMb: number; rootMb: number } {
  const leastMb = Math.ceil(contentMb * 1.35) + 256;
  const diskMb = wantedMb ?? rootStartMb + leastMb + tableCopyMb;
  const rootMb = diskMb - rootStartMb - tableCopyMb;
  if (rootMb < leastMb)
    throw new Error(`--size must be at least ${rootStartMb + leastMb + tableCopyMb} (MiB) with this content`);
  return { diskMb, rootMb };
}

/** For sfdisk. The attribute is for the boot code of BIOS machines, which starts from the partition that has it. */
export const partitionTable = (rootMb: number): string =>
  [
    "label: gpt",
    `label-id: ${ids.disk}`,
    `start=${tableMb * sectorsPerMb}, size=${bootMb * sectorsPerMb}, type=${types.boot}, uuid=${ids.bootPartition}, name=${labels.boot}, attrs=LegacyBIOSBootable`,
    `start=${rootStartMb * sectorsPerMb}, size=${rootMb * sectorsPerMb}, type=${types.root}, uuid=${ids.rootPartition}, name=root`,
    "",
  ].join("\n");

const sectorsPerMb = 2048;
/** EFI system partition, and the root of a Linux on amd64. */
export const types = {
  boot: "C12A7328-F81F-11D2-BA4B-00A0C93EC93B",
  root: "4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709",
} as const;
