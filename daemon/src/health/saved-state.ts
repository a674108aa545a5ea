import type { System } from "../system/system.ts";

/** What the next daemon should know at once, in a file that a reboot makes void. */
export interface SavedState {
  /** Nothing when nothing was kept since the machine started. Its reader checks the form. */
  readonly read: (part: string) => unknown;
  readonly write: (part: string, value: unknown) => void;
}

/** Its folder must exist. One file for all parts, so that they tell of the same moment. */
export function openSavedState({ system, file }: { readonly system: System; readonly file: string }): SavedState {
  const boot = system.readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  let parts = partsIn(system.readText(file) ?? "", boot);
  return {
    read: (part) => parts[part],
    write: (part, value) => {
      if (JSON.stringify(parts[part]) === JSON.stringify(value)) return;
      parts = { ...parts, [part]: value };
      try {
        system.writeAtomically(file, `${JSON.stringify({ boot, parts })}\n`, 0o600);
      } catch {
        // Without the file a restart begins with questions; that is no reason to stop deciding now.
      }
    },
  };
}

function partsIn(text: string, boot: string): Readonly<Record<string, unknown>> {
  try {
    const kept = JSON.parse(text) as { boot?: unknown; parts?: unknown } | null;
    const isOurs = kept?.boot === boot && typeof kept.parts === "object" && kept.parts !== null;
    return isOurs ? (kept.parts as Record<string, unknown>) : {};
  } catch {
    return {}; // Nothing, or half of something: the same as nothing.
  }
}
