import { randomUUID } from "node:crypto";
import type { InputOf } from "@portcullis/contract/endpoint";
import type { Announce, EventName, EventPayload } from "@portcullis/contract/events";
import { Problem } from "@portcullis/contract/problem";
import { explained } from "@portcullis/contract/reason";
import type { Alert, AlertRuleName, alerts } from "@portcullis/contract/subsystems/alerts";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { TextRow } from "../../ledger/text-store.ts";
import { pageByNumber } from "../resources.ts";
import { isQuiet, onEnding, onOccurrence, restart, stateOf, type Step, type StoredAlert } from "./alerts.machine.ts";
import { alertRules } from "./alert-rules.ts";
import { type Occurrence, observedIn } from "./occurrences.ts";

/** Where alerts outlive the daemon. */
export interface AlertStore {
  readonly load: () => readonly StoredAlert[];
  /** `along`: rows that are written in the same transaction. */
  readonly write: (changed: readonly StoredAlert[], removed: readonly string[], along?: readonly TextRow[]) => void;
}

interface Needs {
  readonly ledger: Ledger;
  readonly store: AlertStore;
  readonly announce: Announce;
  /** The messages about it, which are stored with it. */
  readonly messagesAbout?: (alert: StoredAlert, event: "raised" | "resolved") => readonly TextRow[];
  readonly nowMs: () => number;
  readonly isWorking: Working;
}

/**
 * What alerts can be about whose state is read at any time, and whether one of them works now. Without the dataplane there are
 * no tunnels and policies.
 */
export type Working = Readonly<Partial<Record<ObservedKind, (id: string) => boolean>>>;
type ObservedKind = "tunnel" | "policy" | "resource" | "certificate";

type ListQuery = InputOf<typeof alerts.list>["query"];
export type AlertsService = ReturnType<typeof alertsService>;

/** Alerts: raised by events, resolved when their cause is over. One cause is one alert. */
export function alertsService({ ledger, store, announce, messagesAbout, nowMs, isWorking }: Needs) {
  const rules = alertRules({ ledger });
  const all = new Map<string, StoredAlert>();
  /** The latest alert of each cause. */
  const latest = new Map<string, string>();
  const recent = new Map<string, number[]>();
  let next = 1;

  for (const alert of store.load().toSorted((a, b) => a.number - b.number)) {
    next = Math.max(next, alert.number + 1);
    keep(alert);
  }
  for (const alert of all.values())
    if (alert.resolved === null && rules.get(alert.rule).ends === "event" && !observerOf(alert.rule))
      save({ alert: { ...alert, resolved: { ms: nowMs(), by: restart } }, event: "resolved" });

  function keep(alert: StoredAlert): void {
    all.set(alert.id, alert);
    latest.set(causeOf(alert), alert.id);
  }

  function save({ alert, event }: Step): void {
    if (!alert || all.get(alert.id) === alert) return;
    keep(alert);
    store.write([alert], [], event && messagesAbout?.(alert, event));
    if (event) announce(event === "raised" ? "alert.raised" : "alert.resolved", shortOf(alert));
  }

  function onEvent<N extends EventName>(name: N, payload: EventPayload<N>): void {
    for (const it of observedIn(name, payload)) {
      const known = all.get(latest.get(causeOf(it)) ?? "");
      if (it.kind === "over") {
        recent.delete(causeOf(it));
        save(onEnding(known, it, nowMs()));
      } else
        save(
          onOccurrence({
            latest: known,
            occurrence: it,
            rule: rules.get(it.rule),
            recent: counted(it),
            nowMs: nowMs(),
            created,
          }),
        );
    }
  }

  const created = () => ({ id: randomUUID(), number: next++ });

  /** Occurrences of the cause within the window of its rule. */
  function counted(it: Occurrence): number {
    const sinceMs = nowMs() - rules.get(it.rule).window_sec * 1000;
    const times = (recent.get(causeOf(it)) ?? []).filter((ms) => ms > sinceMs);
    for (let left = Math.min(it.count, maxCounted); left > 0; left -= 1) times.push(nowMs());
    recent.delete(causeOf(it));
    recent.set(causeOf(it), times.slice(-maxCounted));
    for (const oldest of recent.keys()) {
      if (recent.size <= maxCauses) break;
      recent.delete(oldest);
    }
    return times.length;
  }

  /** Resolves what is over without an event, and removes old alerts. */
  function round(): void {
    const now = nowMs();
    for (const alert of all.values()) {
      if (alert.resolved !== null) continue;
      if (isQuiet(alert, rules.get(alert.rule), now) || isBack(alert))
        save({ alert: { ...alert, resolved: { ms: now, by: "system" } }, event: "resolved" });
    }
    const resolved = [...all.values()].filter((it) => it.resolved !== null).toSorted((a, b) => b.number - a.number);
    const old = resolved.filter((it, index) => index >= maxResolved || now - it.resolved!.ms > keptMs);
    if (old.length === 0) return;
    for (const alert of old) {
      all.delete(alert.id);
      if (latest.get(causeOf(alert)) === alert.id) latest.delete(causeOf(alert));
    }
    store.write(
      [],
      old.map(({ id }) => id),
    );
  }

  /** What was removed or changed, or is back since no daemon ran, has no event of its end. */
  const isBack = ({ rule, key }: StoredAlert): boolean => observerOf(rule)?.(key) === true;

  function observerOf(rule: AlertRuleName): Working[ObservedKind] {
    const kind = observedKinds[rule];
    return kind && isWorking[kind];
  }

  function unresolved(id: string): StoredAlert {
    const alert = all.get(id);
    if (!alert) throw new Problem("not_found", { id }, { message: "No alert has this id" });
    if (alert.resolved !== null) throw new Problem("conflict", { id }, { message: "It is resolved already" });
    return alert;
  }

  function mark(cause: Cause, id: string, what: "acknowledged" | "resolved"): Alert {
    const alert = unresolved(id);
    const details = { rule: alert.rule, name: alert.resource?.name ?? "" };
    ledger.change(cause, (draft) => draft.about(id, details));
    const marked = { ...alert, [what]: { ms: nowMs(), by: cause.actor } };
    save({ alert: marked, event: what === "resolved" ? "resolved" : undefined });
    if (what === "resolved") recent.delete(causeOf(alert));
    return shown(marked);
  }

  const newestFirst = (): StoredAlert[] => [...all.values()].toSorted((a, b) => b.number - a.number);

  return {
    onEvent,
    round,
    rules,
    /** Whether the cause has an alert that is not resolved. */
    isOpen: (rule: AlertRuleName, key: string): boolean =>
      all.get(latest.get(causeOf({ rule, key })) ?? "")?.resolved === null,
    list: ({ state, severity, rule, ...page }: ListQuery) => {
      const wanted = newestFirst().filter(
        (it) =>
          (state === undefined || stateOf(it) === state) &&
          (severity === undefined || it.severity === severity) &&
          (rule === undefined || it.rule === rule),
      );
      const { items, ...rest } = pageByNumber(wanted, (it) => maxNumber - it.number, page);
      return { items: items.map(shown), ...rest };
    },
    states: (): Pick<Alert, "severity" | "state">[] =>
      [...all.values()].map((it) => ({ severity: it.severity, state: stateOf(it) })),
    active: (): Alert[] =>
      newestFirst()
        .filter((it) => it.resolved === null)
        .map(shown),
    acknowledge: (cause: Cause, id: string): Alert => mark(cause, id, "acknowledged"),
    resolve: (cause: Cause, id: string): Alert => mark(cause, id, "resolved"),
  };
}

/** What the alerts of a rule are about, if its state can be read at any time. */
const observedKinds: Readonly<Partial<Record<AlertRuleName, ObservedKind>>> = {
  "killswitch-engaged": "policy",
  "direct-fallback": "policy",
  "tunnel-down": "tunnel",
  "resource-exhaustion": "resource",
  "cert-expiry-critical": "certificate",
  "cert-expired": "certificate",
};

const causeOf = ({ rule, key }: { readonly rule: AlertRuleName; readonly key: string }): string => `${rule} ${key}`;

const shortOf = (it: StoredAlert) => ({
  id: it.id,
  rule: it.rule,
  severity: it.severity,
  name: it.resource?.name ?? "",
  ...explained(it.reason),
});

const timestamp = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

const shown = (it: StoredAlert): Alert => ({
  id: it.id,
  rule: it.rule,
  severity: it.severity,
  state: stateOf(it),
  resource_type: it.resource?.type ?? null,
  resource_id: it.resource?.id ?? null,
  resource_name: it.resource?.name ?? "",
  ...explained(it.reason),
  count: it.count,
  raised_at: timestamp(it.raisedMs)!,
  last_at: timestamp(it.lastMs)!,
  acknowledged_at: timestamp(it.acknowledged?.ms),
  acknowledged_by: it.acknowledged?.by ?? null,
  resolved_at: timestamp(it.resolved?.ms),
  resolved_by: it.resolved?.by ?? null,
});

const maxNumber = 1_000_000_000;
const maxCounted = 1000;
const maxCauses = 4096;
const maxResolved = 5000;
const keptMs = 90 * 86_400_000;
