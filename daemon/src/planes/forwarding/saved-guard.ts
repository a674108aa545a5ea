import { createHash } from "node:crypto";
import { renderGuard } from "../../engines/nftables/guard/guard.render.ts";
import type { Guard } from "../../engines/nftables/nftables.model.ts";
import type { System } from "../../system/system.ts";

interface Needs {
  readonly system: Pick<System, "readText" | "writeAtomically">;
  /** Read by packaging/portcullis-guard, before there is a network. */
  readonly file: string;
  /** Whether a change waits for confirmation. */
  readonly isPending: () => boolean;
  readonly warn: (sentence: string, error: unknown) => void;
}

/** The guard for the next boot: the last one that was applied and can no longer be reverted. */
export interface SavedGuard {
  /** This guard is in the kernel. */
  readonly applied: (guard: Guard) => void;
  /** The ledger has a new record. After a publish, the guard that belongs to it is not known yet. */
  readonly recorded: (isPublish: boolean) => void;
}

export function savedGuard({ system, file, isPending, warn }: Needs): SavedGuard {
  let saved: string | undefined;
  let heldBack: Guard | undefined;
  function save(guard: Guard): void {
    heldBack = undefined;
    const text = guardFile(guard);
    try {
      saved ??= system.readText(file);
      if (text === saved) return;
      system.writeAtomically(file, text, 0o600);
      saved = text;
    } catch (error) {
      // The previous file is complete and blocks as well. A full disk must not delay an apply.
      saved = undefined;
      warn("The guard for the next boot cannot be saved", error);
    }
  }
  return {
    applied: (guard) => {
      if (isPending()) heldBack = guard;
      else save(guard);
    },
    recorded: (isPublish) => {
      if (isPublish) heldBack = undefined;
      else if (heldBack && !isPending()) save(heldBack);
    },
  };
}

/**
 * It permits no egress on any interface: before the daemon runs, a mark could only come from another program. The checksum at the
 * end detects a truncated file, which nft might accept as complete.
 */
export function guardFile(guard: Guard): string {
  const text = renderGuard({ ...guard, pairs: [] });
  return `${text}# sha256 ${createHash("sha256").update(text).digest("hex")}\n`;
}
