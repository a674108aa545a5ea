import { because, type Reason } from "@portcullis/contract/reason";

export type ResourceKind = "disk" | "inodes" | "memory" | "memory-limit" | "files" | "machine-files" | "conntrack";

interface Resource {
  readonly kind: ResourceKind;
  /** Of a disk and its inodes; other resources exist once. */
  readonly folder: string;
}

export interface Measured extends Resource {
  /** In bytes, or in pieces. */
  readonly total: number;
  readonly left: number;
}

/** What was read of a resource. A failure is no number. */
export type Reading = Measured | (Resource & { readonly failure: string });

/** `disk:/var/lib/portcullis`, `memory` */
export const resourceId = ({ kind, folder }: Resource): string => (folder === "" ? kind : `${kind}:${folder}`);

/**
 * Nearly exhausted is what is used almost completely and has little left: 5 % of a large disk is plenty, and a small disk is
 * never far from its end in bytes. It recovers when one of both is clearly better.
 */
export function isExhausted({ kind, total, left }: Measured, was: boolean): boolean {
  const used = total > 0 ? 1 - left / total : 1;
  const little = littleLeft[kind];
  return was ? used >= recoveredBelow && left < 2 * little : used >= exhaustedFrom && left < little;
}

const exhaustedFrom = 0.95;
const recoveredBelow = 0.9;

const mebibyte = 1 << 20;
const littleLeft: Readonly<Record<ResourceKind, number>> = {
  disk: 1024 * mebibyte,
  inodes: 10_000,
  memory: 256 * mebibyte,
  "memory-limit": 256 * mebibyte,
  files: 1000,
  "machine-files": 1000,
  conntrack: 16_384,
};

/** The use of a resource in figures. */
export function useOf({ kind, folder, total, left }: Measured): Reason {
  // Rounded down: 100 % is used only if nothing is left.
  const used = total > 0 ? Math.floor((100 * (total - left)) / total) : 100;
  const mebibytes = Math.floor(left / mebibyte);
  switch (kind) {
    case "disk":
      return because("resource_disk", { used, folder, mebibytes });
    case "inodes":
      return because("resource_inodes", { used, folder, left });
    case "memory":
      return because("resource_memory", { used, mebibytes });
    case "memory-limit":
      return because("resource_memory_limit", { used, mebibytes });
    case "files":
      return because("resource_files", { used, left });
    case "machine-files":
      return because("resource_machine_files", { used, left });
    case "conntrack":
      return because("resource_conntrack", { used, left });
  }
}
