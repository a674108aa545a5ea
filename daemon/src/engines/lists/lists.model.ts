import { type Reason } from "@portcullis/contract/reason";
/** A list from a URL, a file or an upload. */
export interface WantedList {
  readonly id: string;
  /** 0 to 31: its bit in what is built. */
  readonly bit: number;
  readonly format: ListFormat;
  /** What happens to its names. */
  readonly action: "block" | "allow";
  readonly source:
    | { readonly kind: "url"; readonly url: string; readonly allowPrivate: boolean; readonly refreshSec: number }
    /** In the folder of the gateway for such files. */
    | { readonly kind: "file"; readonly path: string }
    /** The last upload; its digest shows whether it changed. */
    | { readonly kind: "upload"; readonly digest: string };
}

/** Identifies the source: another source is another list. */
export const sourceOf = ({ source }: WantedList): string => {
  switch (source.kind) {
    case "url":
      // The permission is part of the source: without it the list is removed, and with it a refused list is retried at once.
      return source.allowPrivate ? `private ${source.url}` : source.url;
    case "file":
      return `file ${source.path}`;
    case "upload":
      return "upload";
  }
};

export type ListFormat = "auto" | "hosts" | "domains" | "adblock" | "rpz";

/** One valid line. */
export interface Entry {
  /** Lower case, without a dot at its end. */
  readonly name: string;
  /** exact: that name; below: all names below it; both: a suffix. */
  readonly scope: "exact" | "below" | "both";
  /** A list that blocks may let some names through. */
  readonly isException: boolean;
}

/** The state of a list, for the operator. */
export interface ListState {
  readonly id: string;
  /** Names in it, after the last time it was read. */
  readonly entries: number;
  /** Lines that mean nothing here. */
  readonly skipped: number;
  readonly bytes: number;
  readonly readAt: Date | null;
  /** What went wrong last; null if nothing did. What was read before stays in force. */
  readonly problem: Reason | null;
}
