/** A list that somebody keeps elsewhere, or that was given to us. */
export interface WantedList {
  readonly id: string;
  /** 0 to 31: its bit in what is built. */
  readonly bit: number;
  readonly format: ListFormat;
  /** What becomes of its names. */
  readonly action: "block" | "allow";
  readonly source:
    | { readonly kind: "url"; readonly url: string; readonly allowPrivate: boolean; readonly refreshSec: number }
    /** In the folder of the gateway for such files. */
    | { readonly kind: "file"; readonly path: string }
    /** What was handed in last; its digest says whether it is another. */
    | { readonly kind: "upload"; readonly digest: string };
}

/** Says what it is read from: another place is another list. */
export const sourceOf = ({ source }: WantedList): string => {
  switch (source.kind) {
    case "url":
      // What was read with a permission goes with it, and what was refused for want of one is tried at once.
      return source.allowPrivate ? `private ${source.url}` : source.url;
    case "file":
      return `file ${source.path}`;
    case "upload":
      return "upload";
  }
};

export type ListFormat = "auto" | "hosts" | "domains" | "adblock" | "rpz";

/** One line that means something. */
export interface Entry {
  /** Lower case, without a dot at its end. */
  readonly name: string;
  /** exact: that name; below: all names below it; both: a suffix. */
  readonly scope: "exact" | "below" | "both";
  /** A list that blocks may let some names through. */
  readonly isException: boolean;
}

/** How a list is, for people. */
export interface ListState {
  readonly id: string;
  /** Names in it, after the last time it was read. */
  readonly entries: number;
  /** Lines that mean nothing here. */
  readonly skipped: number;
  readonly bytes: number;
  readonly readAt: Date | null;
  /** What went wrong last; empty if nothing did. What was read before stays in force. */
  readonly problem: string;
}
