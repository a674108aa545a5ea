import { createHash } from "node:crypto";
import type { PublishedAlertChannel } from "@portcullis/contract/subsystems/alert-channels";
import type { TextRow } from "../../ledger/text-store.ts";
import type { Outcome } from "./delivery.machine.ts";

/** What is known about a channel beyond its messages. */
export interface StoredNote {
  readonly note: string;
  readonly acceptedMs: number | null;
  readonly dropped: number;
  readonly droppedMs: number | null;
  /** The last result, and the settings that it is about. */
  readonly last: { readonly kind: Outcome["kind"]; readonly of: string } | null;
}

interface Needs {
  readonly stored: readonly StoredNote[];
  readonly write: (row: TextRow) => void;
}

export function createNotes({ stored, write }: Needs) {
  const notes = new Map(stored.map((it) => [it.note, it]));
  const known = (id: string): StoredNote => notes.get(id) ?? { ...blank, note: id };

  function put(note: StoredNote): void {
    notes.set(note.note, note);
    write({ key: keyOf(note.note), text: JSON.stringify(note) });
  }

  return {
    ids: () => notes.keys(),
    /** `last` is undefined if nothing was sent with these settings yet. */
    of: (channel: PublishedAlertChannel) => {
      const { last, ...note } = known(channel.id);
      return { ...note, last: last?.of === digestOf(channel) ? last.kind : undefined };
    },
    ended: (channel: PublishedAlertChannel, kind: Outcome["kind"], nowMs: number): void => {
      const note = known(channel.id);
      const acceptedMs = kind === "accepted" ? nowMs : note.acceptedMs;
      put({ ...note, acceptedMs, last: { kind, of: digestOf(channel) } });
    },
    drop: (id: string, count: number, nowMs: number): void => {
      const note = known(id);
      put({ ...note, dropped: note.dropped + count, droppedMs: nowMs });
    },
    /** Forgets channels that were deleted; returns the keys of their rows. */
    forget: (ids: readonly string[]): string[] => {
      for (const id of ids) notes.delete(id);
      return ids.map(keyOf);
    },
  };
}

const blank = { acceptedMs: null, dropped: 0, droppedMs: null, last: null };
const keyOf = (id: string): string => `note ${id}`;

/** What a receiver's answer depends on. */
function digestOf({
  url,
  chat_id,
  api_url,
  host,
  port,
  security,
  ca,
  username,
  from,
  to,
  topic,
  secret,
}: PublishedAlertChannel) {
  const settings = [url, chat_id, api_url, host, port, security, ca, username, from, to, topic, secret];
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex");
}
