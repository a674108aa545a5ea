import { explained, sentence } from "@portcullis/contract/reason";
import type { Announce } from "@portcullis/contract/events";
import type { ListState } from "../../engines/lists/lists.model.ts";

interface Needs {
  readonly nameOf: (id: string) => string;
  readonly announce: Announce;
}

/** One event for each change of a list. The state of a new list is no change. */
export function listEvents({ nameOf, announce }: Needs) {
  const inForce = new Map<string, Pick<ListState, "bytes" | "entries" | "skipped">>();
  const problems = new Map<string, string | null>();
  return {
    wanted: (states: readonly ListState[]): void => {
      const ids = new Set(states.map(({ id }) => id));
      for (const id of [...inForce.keys()].filter((it) => !ids.has(it))) {
        inForce.delete(id);
        problems.delete(id);
      }
      for (const state of states.filter(({ id }) => !inForce.has(id))) {
        inForce.set(state.id, state);
        problems.set(state.id, state.problem && sentence(state.problem));
      }
    },
    /** After a list was read, or the attempt failed. */
    read: (states: readonly ListState[]): void => {
      for (const { id, problem } of states) {
        const [before, now] = [problems.get(id), problem && sentence(problem)];
        problems.set(id, now);
        if (problem && before !== undefined && now !== before)
          announce("dns.list_failed", { id, name: nameOf(id), ...explained(problem) });
      }
    },
    /** After the lists that were read came into force. */
    built: (states: readonly ListState[]): void => {
      for (const state of states) {
        const { id, entries, bytes, skipped } = state;
        const before = inForce.get(id);
        inForce.set(id, state);
        const isSame = before?.bytes === bytes && before.entries === entries && before.skipped === skipped;
        if (!isSame) announce("dns.list_updated", { id, name: nameOf(id), entries });
      }
    },
  };
}
