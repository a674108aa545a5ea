import { formatNetwork } from "../../net/addresses.ts";
import { pageLimit } from "@portcullis/contract/collection";
import type { InputOf, Page } from "@portcullis/contract/endpoint";
import type { Announce } from "@portcullis/contract/events";
import { Problem } from "@portcullis/contract/problem";
import {
  type Exception,
  exceptionMinutes,
  type exceptions,
  type ExceptionType,
} from "@portcullis/contract/subsystems/exceptions";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Resource } from "../../ledger/collection.ts";
import { decodeId, encodeCursor, newId, resolve } from "../resources.ts";
import { openExpiryTimes } from "./expiry-times.ts";
import type { ExceptionStore, StoredException } from "./exceptions.store.ts";

type CreateBody = InputOf<typeof exceptions.create>["body"];
type ListQuery = InputOf<typeof exceptions.list>["query"];

interface Device extends Resource {
  readonly name: string;
  readonly mac: string | null;
  readonly ips: readonly string[];
}

interface Needs {
  readonly ledger: Ledger;
  readonly store: ExceptionStore;
  readonly now: () => Date;
  /** A monotonic clock. */
  readonly monotonicMs: () => number;
  readonly announce: Announce;
  /** Called when an exception starts or ends, for the engines. */
  readonly onChange: () => void;
}

export type Exceptions = ReturnType<typeof exceptionService>;

/** Bypasses and quarantines that take effect immediately and expire by themselves. They are records: no revision, no apply, no rollback. */
export function exceptionService({ ledger, store, now, monotonicMs, announce, onChange }: Needs) {
  const expiryTimes = openExpiryTimes({ now, monotonicMs });
  const withCurrentExpiry = (it: StoredException): StoredException =>
    it.ended_at === null ? { ...it, expires_at: expiryTimes.of(it) } : it;
  const isActive = ({ ended_at, expires_at }: StoredException): boolean =>
    ended_at === null && expires_at > now().toISOString();
  const shown = (stored: StoredException): Exception => {
    const it = withCurrentExpiry(stored);
    const device_name = ledger.staged<Device>("device").get(it.device_id)?.name ?? null;
    return { ...it, device_name, active: isActive(it) };
  };
  const unended = (): StoredException[] => store.running().map(withCurrentExpiry);
  const running = (): StoredException[] => unended().filter(isActive);

  function end(cause: Cause, it: StoredException, reason: "expired" | "removed"): void {
    const at = now().toISOString();
    ledger.change(cause, (draft) => {
      store.end(it.id, reason === "expired" ? it.expires_at : at);
      draft.about(it.id, { type: it.type, device_id: it.device_id, reason });
    });
    expiryTimes.forget(it.id);
    announce("exception.ended", { id: it.id, type: it.type, device_id: it.device_id, reason });
  }

  return {
    list: ({ limit = pageLimit.default, cursor, type, device_id }: ListQuery): Page<Exception> => {
      const before = cursor === undefined ? undefined : decodeId(cursor);
      const { items, total } = store.search({ type, device_id, before, limit: limit + 1 });
      const page = items.slice(0, limit).map(shown);
      return { items: page, total, next: items.length > limit ? encodeCursor(page.at(-1)!.id) : undefined };
    },
    active: (): Exception[] => running().map(shown),
    get: (id: string): Exception => shown(found(store, id)),
    /** `answers`: names that the gateway answers to the device meanwhile. */
    create: (cause: Cause, body: CreateBody, answers: Exception["answers"] = []): Exception => {
      if (running().length >= maxActive)
        throw new Problem("limit_reached", { limit: maxActive, of: "active exceptions" });
      const at = now();
      const minutes = Math.min(body.duration_min ?? exceptionMinutes.default, exceptionMinutes.maximum);
      const exception: StoredException = {
        id: newId(),
        type: body.type,
        device_id: recognisable(ledger, body.device_id),
        allow_direct: directness(body.type, body.allow_direct),
        duration_min: minutes,
        reason: body.reason ?? "",
        destinations: destinationsOf(body.type, body.destinations ?? []),
        answers,
        actor: cause.actor,
        created_at: at.toISOString(),
        expires_at: new Date(at.getTime() + minutes * 60_000).toISOString(),
        ended_at: null,
      };
      ledger.change(cause, (draft) => {
        store.add(exception);
        const { id, type, device_id, destinations, expires_at, reason } = exception;
        const names = answers.map(({ name }) => name);
        draft.about(id, { type, device_id, destinations, ...(names.length > 0 && { names }), expires_at, reason });
      });
      const { id, type, device_id, expires_at } = exception;
      announce("exception.started", { id, type, device_id, expires_at });
      onChange();
      return shown(exception);
    },
    remove: (cause: Cause, id: string): void => {
      const exception = withCurrentExpiry(found(store, id));
      if (!isActive(exception)) throw new Problem("not_found", { id }, { message: "This exception has ended already" });
      end(cause, exception, "removed");
      onChange();
    },
    /** Ends expired exceptions. Returns when the next one expires. */
    sweep: (): Date | undefined => {
      const over = unended().flatMap((it) => {
        const reason = overBecause(it, now(), ledger.staged("device").get(it.device_id) !== undefined);
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

const maxActive = 1000;
const maxEnded = 10_000;
const keptMs = 30 * 24 * 3_600_000;

const systemEnds: Cause = { actor: "system", action: "end_exception", resourceType: "exception" };

/**
 * Why a running exception has to end; undefined if it continues. A bypass ends with its device, and if the clock is before
 * its start, because its end is unknown then. A quarantine survives both: it applies when the device returns.
 */
function overBecause(it: StoredException, now: Date, deviceExists: boolean): "expired" | "removed" | undefined {
  if (it.expires_at <= now.toISOString()) return "expired";
  if (!it.allow_direct) return undefined;
  if (now.getTime() < Date.parse(it.created_at) - clockSlackMs) return "expired";
  return deviceExists ? undefined : "removed";
}

/** NTP may set the clock back a little. */
const clockSlackMs = 60_000;

function found(store: ExceptionStore, id: string): StoredException {
  const exception = store.get(id);
  if (!exception) throw new Problem("not_found", { id }, { message: "No exception has this id" });
  return exception;
}

/** The device must have a MAC address or an IP address, because its packets could not be identified otherwise. */
function recognisable(ledger: Ledger, word: string): string {
  const collection = ledger.staged<Device>("device");
  const id = resolve(collection, "device_id", word);
  const { mac, ips } = collection.get(id)!;
  return mac === null && ips.length === 0 ? refuse("device_id", "is a device without MAC address and IP address") : id;
}

function directness(type: ExceptionType, given: boolean | undefined): boolean {
  const follows = type !== "quarantine";
  return given === undefined || given === follows ? follows : refuse("allow_direct", `is ${follows} for a ${type}`);
}

function destinationsOf(type: ExceptionType, destinations: readonly string[]): string[] {
  const limited = type === "service-allowlist" || type === "captive-portal";
  if (limited && destinations.length === 0) return refuse("destinations", `are required for a ${type}`);
  if (!limited && destinations.length > 0)
    return refuse("destinations", `are not allowed for a ${type}, which applies to every destination`);
  const normalized = destinations.map(
    (it) => formatNetwork(it) ?? refuse("destinations", "must be addresses, or networks such as 192.0.2.0/24"),
  );
  return [...new Set(normalized)];
}

function refuse(field: string, problem: string): never {
  throw new Problem(
    "invalid_request",
    { fields: [{ field: `body.${field}`, problem }] },
    { message: `body.${field}: ${problem}` },
  );
}
