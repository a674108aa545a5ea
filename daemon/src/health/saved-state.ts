import type { System } from "../system/system.ts";

/** State for the next daemon, in a file that a reboot invalidates. */
export interface SavedState {
  /** undefined if none was saved since the boot. The caller validates it. */
  readonly read: (part: string) => unknown;
  readonly write: (part: string, value: unknown) => void;
}

/** Its folder must exist. One file for all parts, so that they are of the same moment. */
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
        // Without the file a restart begins with unknown states; decisions of this daemon do not depend on it.
      }
    },
  };
}

function partsIn(text: string, boot: string): Readonly<Record<string, unknown>> {
  try {
    const saved = JSON.parse(text) as { boot?: unknown; parts?: unknown } | null;
    const isOurs = saved?.boot === boot && typeof saved.parts === "object" && saved.parts !== null;
    return isOurs ? (saved.parts as Record<string, unknown>) : {};
  } catch {
    return {}; // Missing or incomplete: treated as empty.
  }
}
