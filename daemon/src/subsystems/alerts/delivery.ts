import { randomUUID } from "node:crypto";
import type { InputOf, Page } from "@portcullis/contract/endpoint";
import type { Announce } from "@portcullis/contract/events";
import { Problem } from "@portcullis/contract/problem";
import { explained, isReason, reported } from "@portcullis/contract/reason";
import type { AlertDelivery, alertDeliveries } from "@portcullis/contract/subsystems/alert-channels";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { TextRow } from "../../ledger/text-store.ts";
import { pageByNumber } from "../resources.ts";
import type { StoredAlert } from "./alerts.machine.ts";
import type { Channel, Channels } from "./channels.service.ts";
import {
  afterAttempt,
  dueMs,
  excess,
  headOf,
  isQuietAt,
  type Outcome,
  outdated,
  rebased,
  retried,
  type StoredDelivery,
} from "./delivery.machine.ts";
import { createNotes, type StoredNote } from "./delivery-notes.ts";
import { messageOf } from "./messages.ts";
import type { Send } from "./senders.ts";

export interface DeliveryStore {
  readonly load: () => { readonly deliveries: readonly StoredDelivery[]; readonly notes: readonly StoredNote[] };
  readonly write: (rows: readonly TextRow[], removed: readonly string[]) => void;
}

interface Needs {
  readonly ledger: Ledger;
  readonly channels: Pick<Channels, "list" | "find" | "reveal">;
  readonly store: DeliveryStore;
  readonly send: Send;
  readonly announce: Announce;
  readonly nodeId: string;
  readonly nowMs: () => number;
}

type ListQuery = InputOf<typeof alertDeliveries.list>["query"];
export type Delivery = ReturnType<typeof deliveryService>;

/** The messages of one channel. */
interface Lane {
  /** In their order. */
  waiting: readonly StoredDelivery[];
  finished: readonly StoredDelivery[];
  active: string | undefined;
}

/** Messages about alerts: stored with the alert, and sent to each channel in their order until it accepts them. */
export function deliveryService({ ledger, channels, store, send, announce, nodeId, nowMs }: Needs) {
  const lanes = new Map<string, Lane>();
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let next = 1;

  const { deliveries, notes: storedNotes } = store.load();
  const notes = createNotes({ stored: storedNotes, write: (row) => store.write([row], []) });
  for (const it of deliveries.toSorted(byNumber)) {
    next = Math.max(next, it.number + 1);
    const lane = laneOf(it.channelId);
    if (it.finished) lane.finished = [...lane.finished, it];
    else lane.waiting = [...lane.waiting, it];
  }
  for (const lane of lanes.values()) lane.finished = lane.finished.toSorted(byEnd);
  ledger.watch(({ revision }) => revision !== undefined && wake());
  wake();

  function laneOf(channelId: string): Lane {
    const lane = lanes.get(channelId) ?? { waiting: [], finished: [], active: undefined };
    lanes.set(channelId, lane);
    return lane;
  }

  /** The rows of new messages. The caller writes them in the transaction of the alert. */
  function messagesAbout(alert: StoredAlert, event: "raised" | "resolved"): readonly TextRow[] {
    const receivers = channels.list().filter((it) => it.enabled && it.severities.includes(alert.severity));
    const now = nowMs();
    const rows = receivers.flatMap(({ id }) => {
      const added: StoredDelivery = {
        delivery: randomUUID(),
        number: next++,
        channelId: id,
        event,
        alert,
        createdMs: now,
        sinceMs: now,
        attempts: 0,
        lastMs: null,
        waitMs: 0,
        failure: null,
        finished: null,
      };
      const lane = laneOf(id);
      lane.waiting = [...lane.waiting, added];
      return rowOf(added);
    });
    if (rows.length > 0) wake();
    return rows;
  }

  /** After the current step, so that what is written meanwhile comes first. */
  function wake(afterMs = 0): void {
    if (stopping.signal.aborted) return;
    clearTimeout(timer);
    timer = setTimeout(round, afterMs);
    timer.unref();
  }

  /** Starts what is due, and removes what is too much or belongs to no channel. */
  function round(): void {
    const now = nowMs();
    const removed = new Set<string>();
    const forget = (all: readonly StoredDelivery[]) => {
      for (const it of all) removed.add(it.delivery);
    };
    let sleepMs = longestSleepMs;
    for (const [channelId, lane] of lanes) {
      const channel = channels.find(channelId);
      if (!channel) {
        forget([...lane.waiting, ...lane.finished]);
        lanes.delete(channelId);
        continue;
      }
      const dropped = excess(lane.waiting, lane.active);
      if (dropped.length > 0) notes.drop(channelId, dropped.length, now);
      forget([...dropped, ...outdated(lane.finished, now)]);
      lane.waiting = lane.waiting.filter((it) => !removed.has(it.delivery)).map((it) => rebased(it, now));
      lane.finished = lane.finished.filter((it) => !removed.has(it.delivery));
      if (!lane.active && channel.enabled) sleepMs = Math.min(sleepMs, start(channel, lane, now));
    }
    const gone = [...notes.ids()].filter((id) => !channels.find(id));
    store.write([], [...removed, ...notes.forget(gone)]);
    wake(sleepMs);
  }

  /** Starts the next message of a channel, or returns the time until it is due. */
  function start(channel: Channel, lane: Lane, now: number): number {
    const head = headOf(lane.waiting, isQuietAt(channel.quiet_hours, minuteOfDay(now)));
    if (!head) return longestSleepMs;
    if (dueMs(head) > now) return dueMs(head) - now;
    lane.active = head.delivery;
    const done = attempt(channel, head).finally(() => {
      running.delete(done);
      wake();
    });
    running.add(done);
    return longestSleepMs;
  }

  async function attempt(channel: Channel, tried: StoredDelivery): Promise<void> {
    const outcome = await outcomeOf(channel, tried);
    const lane = lanes.get(channel.id);
    if (lane) lane.active = undefined;
    // A message whose result is unknown is sent again by the next daemon, with the same id.
    if (stopping.signal.aborted || !lane || !channels.find(channel.id)) return;
    const now = nowMs();
    notes.ended(channel, outcome.kind, now);
    // It may have been changed or deleted meanwhile.
    const current = lane.waiting.find((it) => it.delivery === tried.delivery);
    if (current) save(lane, afterAttempt(rebased(current, now), outcome, now));
  }

  async function outcomeOf(channel: Channel, { delivery, event, alert }: StoredDelivery): Promise<Outcome> {
    try {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(attemptMs)]);
      const secret = await channels.reveal(channel);
      return await send({ channel, secret, message: messageOf({ delivery, event, alert }, nodeId), signal });
    } catch (error) {
      // What cannot be read or built now may be possible later, such as with the passphrase of the secrets.
      return { kind: "failed", reason: reported((error as Error).message) };
    }
  }

  function save(lane: Lane, changed: StoredDelivery): void {
    const isOther = (it: StoredDelivery) => it.delivery !== changed.delivery;
    const [waiting, finished] = [lane.waiting.filter(isOther), lane.finished.filter(isOther)];
    lane.waiting = changed.finished ? waiting : [...waiting, changed].toSorted(byNumber);
    lane.finished = changed.finished ? [...finished, changed] : finished;
    store.write([rowOf(changed)], []);
    if (changed.finished?.how === "given_up") {
      const { delivery: id, channelId: channel_id, alert } = changed;
      announce("alert.undelivered", { id, channel_id, rule: alert.rule, severity: alert.severity });
    }
  }

  function located(id: string): { readonly lane: Lane; readonly it: StoredDelivery } {
    for (const lane of lanes.values())
      for (const it of [...lane.waiting, ...lane.finished]) if (it.delivery === id) return { lane, it };
    throw new Problem("not_found", { id }, { message: "No message has this id" });
  }

  const named = (it: StoredDelivery) => ({ name: it.alert.resource?.name ?? "", rule: it.alert.rule, event: it.event });

  function shown(it: StoredDelivery): AlertDelivery {
    const { delivery, channelId, alert, event, attempts, failure, finished } = it;
    return {
      id: delivery,
      channel_id: channelId,
      channel_name: channels.find(channelId)?.name ?? "",
      alert_id: alert.id,
      rule: alert.rule,
      severity: alert.severity,
      resource_name: alert.resource?.name ?? "",
      event,
      state: finished?.how ?? "waiting",
      attempts,
      created_at: timestamp(it.createdMs),
      next_attempt_at: finished ? null : timestamp(dueMs(it)),
      finished_at: finished && timestamp(finished.ms),
      // A reason of another version has no text here.
      ...explained(failure && !isReason(failure) ? reported("") : failure),
    };
  }

  return {
    messagesAbout,
    wake: () => wake(),
    /** Records the result of a test. */
    tested: (channel: Channel, kind: Outcome["kind"]) => {
      if (channels.find(channel.id)) notes.ended(channel, kind, nowMs());
    },
    stateOf: (channel: Channel) => ({
      ...notes.of(channel),
      waiting: lanes.get(channel.id)?.waiting ?? [],
      givenUp: (lanes.get(channel.id)?.finished ?? []).filter((it) => it.finished!.how === "given_up"),
    }),
    list: ({ channel_id, state, ...page }: ListQuery): Page<AlertDelivery> => {
      const all = [...lanes].flatMap(([id, lane]) =>
        channel_id === undefined || channel_id === id ? [...lane.waiting, ...lane.finished] : [],
      );
      const wanted = all.filter((it) => state === undefined || (it.finished?.how ?? "waiting") === state);
      const newestFirst = wanted.toSorted((a, b) => b.number - a.number);
      const { items, ...rest } = pageByNumber(newestFirst, (it) => maxNumber - it.number, page);
      return { items: items.map(shown), ...rest };
    },
    retry: (cause: Cause, id: string): AlertDelivery => {
      const { lane, it } = located(id);
      if (it.finished?.how === "delivered")
        throw new Problem("conflict", { id }, { message: "It was delivered already" });
      ledger.change(cause, (draft) => draft.about(id, named(it)));
      const again = retried(it, nowMs());
      save(lane, again);
      wake();
      return shown(again);
    },
    remove: (cause: Cause, id: string): void => {
      const { lane, it } = located(id);
      ledger.change(cause, (draft) => draft.about(id, named(it)));
      lane.waiting = lane.waiting.filter((other) => other !== it);
      lane.finished = lane.finished.filter((other) => other !== it);
      store.write([], [id]);
      wake();
    },
    close: async (): Promise<void> => {
      stopping.abort();
      clearTimeout(timer);
      await Promise.all(running);
    },
  };
}

/** The bound of one attempt, and of a test. */
export const attemptMs = 15_000;
/** Quiet hours end, and clocks change, without an event. */
const longestSleepMs = 10_000;
const maxNumber = 1_000_000_000;

const byNumber = (a: StoredDelivery, b: StoredDelivery): number => a.number - b.number;
const byEnd = (a: StoredDelivery, b: StoredDelivery): number => a.finished!.ms - b.finished!.ms;
const rowOf = (it: StoredDelivery): TextRow => ({ key: it.delivery, text: JSON.stringify(it) });
const timestamp = (ms: number): string => new Date(ms).toISOString();

/** In the time zone of the gateway. */
function minuteOfDay(ms: number): number {
  const date = new Date(ms);
  return date.getHours() * 60 + date.getMinutes();
}
