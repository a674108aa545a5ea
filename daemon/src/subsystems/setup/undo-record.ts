import type { DhcpRange } from "@portcullis/contract/subsystems/dhcp";

/** What a cancelled setup restores. */
export interface Undo {
  /** The configuration file before the setup, and after it. */
  readonly before: string;
  readonly written: string;
  readonly ranges: readonly DhcpRange[];
  /** Whether an earlier first enforcement had been reverted: it stays so. */
  readonly wasReverted: boolean;
}

export interface UndoRecord {
  readonly read: () => Undo | undefined;
  readonly write: (undo: Undo) => void;
  readonly forget: () => void;
}

interface PrivateFile {
  readonly read: () => string | undefined;
  readonly write: (text: string) => void;
  readonly remove: () => void;
}

/** In a private file: the configuration may contain keys. */
export const undoRecord = (file: PrivateFile): UndoRecord => ({
  read: () => parse(file.read()),
  write: (undo) => file.write(`${JSON.stringify(undo)}\n`),
  forget: file.remove,
});

function parse(text: string | undefined): Undo | undefined {
  try {
    const { before, written, ranges, wasReverted } = JSON.parse(text ?? "null") as Partial<Undo>;
    if (typeof before !== "string" || typeof written !== "string" || !Array.isArray(ranges)) return undefined;
    return { before, written, ranges: ranges as readonly DhcpRange[], wasReverted: wasReverted === true };
  } catch {
    return undefined; // Damaged, or there is none: nothing can be restored.
  }
}
