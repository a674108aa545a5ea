import { pageLimit } from "@portcullis/contract/collection";
import type { InputOf, Page } from "@portcullis/contract/endpoint";
import type { Announce } from "@portcullis/contract/events";
import { Problem } from "@portcullis/contract/problem";
import type { Pause, PauseType, pauses } from "@portcullis/contract/subsystems/pauses";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { decodeId, encodeCursor, newId } from "../resources.ts";
import { openPauseEnds } from "./pause-ends.ts";
import { type DomainIn, isGone, requestedPause, sourceNameOf, unpausedDevices } from "./paused-devices.ts";
import type { PauseStore, StoredPause } from "./pauses.store.ts";

type CreateBody = InputOf<typeof pauses.create>["body"];
type ListQuery = InputOf<typeof pauses.list>["query"];

interface Needs {
  readonly ledger: Ledger;
  readonly store: PauseStore;
  readonly now: () => Date;
  /** A monotonic clock, the same for every process until the next boot. */
  readonly monotonicMs: () => number;
  /** The id of the current boot. */
  readonly boot: string;
  /** Whether DNS queries are filtered at all. */
  readonly isFiltering: () => boolean;
  readonly domainIn: DomainIn;
  readonly announce: Announce;
  /** Called when a pause starts or ends, for the engines. */
  readonly onChange: () => void;
}

export type Pauses = ReturnType<typeof pauseService>;

/** Pauses take effect immediately and end by themselves. As exceptions they are records: no revision, no apply, no rollback. */
export function pauseService({
  ledger,
  store,
  now,
  monotonicMs,
  boot,
  isFiltering,
  domainIn,
  announce,
  onChange,
}: Needs) {
  const ends = openPauseEnds({ now, monotonicMs, boot });
  const withCurrentEnd = (it: StoredPause): StoredPause =>
    it.ended_at === null ? { ...it, expires_at: ends.of(it).expires_at } : it;
  const isActive = ({ ended_at, expires_at }: StoredPause): boolean =>
    ended_at === null && expires_at > now().toISOString();
  const unended = (): StoredPause[] => store.running().map(withCurrentEnd);
  const running = (): StoredPause[] => unended().filter(isActive);

  function shown(stored: StoredPause): Pause {
    const { boot: _boot, deadline_ms: _deadline, ...it } = withCurrentEnd(stored);
    const active = isActive(stored.ended_at === null ? withCurrentEnd(stored) : stored);
    const unpaused = active ? unpausedDevices(ledger, it) : [];
    return {
      ...it,
      source_name: sourceNameOf(ledger, it),
      active,
      remaining_sec: active ? Math.ceil((Date.parse(it.expires_at) - now().getTime()) / 1000) : 0,
      unpaused: unpaused.slice(0, maxUnpaused),
      unpaused_total: unpaused.length,
    };
  }

  function end(cause: Cause, it: StoredPause, reason: "expired" | "removed"): void {
    const at = now().toISOString();
    const { id, type, source_type, source_value, domain } = it;
    const about = { type, source_type, source_value, domain };
    ledger.change(cause, (draft) => {
      store.end(id, reason === "expired" && it.expires_at < at ? it.expires_at : at);
      draft.about(id, { ...about, reason });
    });
    ends.forget(id);
    announce("pause.ended", { id, ...about, reason });
  }

  function overBecause(it: StoredPause): "expired" | "removed" | undefined {
    if (it.expires_at <= now().toISOString()) return "expired";
    // Of an earlier boot only the wall clock is known: one before its start says nothing about its end.
    if (it.boot !== boot && now().getTime() < Date.parse(it.created_at) - clockSlackMs) return "expired";
    return isGone(ledger, it) ? "removed" : undefined;
  }

  function requireRoom(wanted: Pick<StoredPause, "type" | "source_type" | "source_value" | "domain">): void {
    const active = running();
    if (active.length >= maxActive) throw new Problem("limit_reached", { limit: maxActive, of: "active pauses" });
    const same = active.find((it) => isSame(it, wanted));
    if (same)
      throw new Problem(
        "conflict",
        { field: "type", existing_id: same.id },
        { message: `It is paused until ${same.expires_at} already; end the pause ${same.id} first` },
      );
  }

  return {
    list: ({ limit = pageLimit.default, cursor, type }: ListQuery): Page<Pause> => {
      const before = cursor === undefined ? undefined : decodeId(cursor);
      const { items, total } = store.search({ type, before, limit: limit + 1 });
      const page = items.slice(0, limit).map(shown);
      return { items: page, total, next: items.length > limit ? encodeCursor(page.at(-1)!.id) : undefined };
    },
    active: (): Pause[] => running().map(shown),
    activeTypes: (): PauseType[] => running().map(({ type }) => type),
    /** For the compiler: each with its end by the monotonic clock. */
    forCompiler: () =>
      store.running().flatMap((stored) => {
        const { expires_at, untilMs } = ends.of(stored);
        if (expires_at <= now().toISOString()) return [];
        const { id, type, source_type, source_value, domain } = stored;
        return [{ id, type, source_type, source_value, domain, expires_at, untilSec: Math.floor(untilMs / 1000) }];
      }),
    get: (id: string): Pause => shown(found(store, id)),
    create: (cause: Cause, body: CreateBody): Pause => {
      const requested = requestedPause(ledger, body, { isFiltering: isFiltering(), domainIn });
      requireRoom(requested);
      const at = now();
      const lastsMs = body.duration_min * 60_000;
      const pause: StoredPause = {
        id: newId(),
        ...requested,
        duration_min: body.duration_min,
        reason: body.reason ?? "",
        actor: cause.actor,
        created_at: at.toISOString(),
        expires_at: new Date(at.getTime() + lastsMs).toISOString(),
        ended_at: null,
        boot,
        deadline_ms: Math.floor(monotonicMs() + lastsMs),
      };
      const { id, expires_at, reason } = pause;
      ledger.change(cause, (draft) => {
        store.add(pause);
        draft.about(id, { ...requested, expires_at, reason });
      });
      announce("pause.started", { id, ...requested, expires_at });
      onChange();
      return shown(pause);
    },
    remove: (cause: Cause, id: string): void => {
      const pause = withCurrentEnd(found(store, id));
      if (!isActive(pause)) throw new Problem("not_found", { id }, { message: "This pause has ended already" });
      end(cause, pause, "removed");
      onChange();
    },
    /** Ends expired pauses. Returns when the next one expires. */
    sweep: (): Date | undefined => {
      const over = unended().flatMap((it) => {
        const reason = overBecause(it);
        return reason ? [{ it, reason }] : [];
      });
      for (const { it, reason } of over) end(systemEnds, it, reason);
      if (over.length > 0) onChange();
      const next = running().map(({ expires_at }) => Date.parse(expires_at));
      return next.length === 0 ? undefined : new Date(Math.min(...next));
    },
    /** Deletes old records. */
    prune: (): void => store.prune(new Date(now().getTime() - keptMs).toISOString(), maxEnded),
  };
}

/** Each may be a phase of every client in the filter policy. */
const maxActive = 100;
const maxEnded = 10_000;
const maxUnpaused = 100;
const keptMs = 30 * 24 * 3_600_000;

/** NTP may set the clock back a little. */
const clockSlackMs = 60_000;

const systemEnds: Cause = { actor: "system", action: "end_pause", resourceType: "pause" };

type Subject = Pick<StoredPause, "type" | "source_type" | "source_value" | "domain">;

/** Of the same clients and the same thing. A domain is either allowed or blocked. */
const isSame = (a: Subject, b: Subject): boolean =>
  a.source_type === b.source_type &&
  a.source_value === b.source_value &&
  a.domain === b.domain &&
  (a.domain !== null || a.type === b.type);

function found(store: PauseStore, id: string): StoredPause {
  const pause = store.get(id);
  if (!pause) throw new Problem("not_found", { id }, { message: "No pause has this id" });
  return pause;
}
