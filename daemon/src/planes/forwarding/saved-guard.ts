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

/** The guard that the next boot begins with: the last one that stood and that nobody may take back any more. */
export interface SavedGuard {
  /** This one stands now. */
  readonly applied: (guard: Guard) => void;
  /** Something was written into the ledger; a publish changes what is to stand, and that is not known yet. */
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
      // The older one is whole and lets nothing through either. A full disk is no reason to hold up an apply.
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
 * It pairs no way with any interface: before the daemon nobody marks packets, so a mark would be somebody else's. The sum
 * at its end tells a file that was cut short, which nft might take for a whole one, from a whole one.
 */
export function guardFile(guard: Guard): string {
  const text = renderGuard({ ...guard, pairs: [] });
  return `${text}# sha256 ${createHash("sha256").update(text).digest("hex")}\n`;
}
