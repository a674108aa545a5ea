import type { Caller } from "@portcullis/contract/handler";
import { admits, type RequiredRole } from "@portcullis/contract/role";
import type { RolledBack } from "@portcullis/contract/subsystems/history";
import type { PublishedDnsList } from "@portcullis/contract/subsystems/dns-lists";
import type { Secret } from "@portcullis/contract/subsystems/secrets";
import { canonical } from "../../ledger/canonical.ts";
import type { Choose, Document } from "../../ledger/releases.ts";
import type { Resource } from "../../ledger/collection.ts";

/** Which kinds a caller may read: in history as at their own endpoint. */
export type Sees = (kind: string) => boolean;

/** What a caller may read and restore of published states. */
export interface Rights {
  readonly sees: Sees;
  readonly choose: Choose;
}

export const rightsOf = (caller: Pick<Caller, "role"> | undefined): Rights =>
  caller?.role === "admin"
    ? { sees: () => true, choose: (_, _now, then) => then }
    : {
        sees: (kind) => !(readBy[kind] && !(caller && admits(readBy[kind], caller.role))),
        choose: (kind, now, then) => (restricted[kind] ? restricted[kind](now, then) : then),
      };

/** Kinds that not every role may read. */
const readBy: Readonly<Record<string, RequiredRole>> = { secret: "admin", alert_channel: "operator", mqtt: "operator" };

/** Kinds with parts that only an admin may change: the result of a rollback for other roles. */
export const restricted: Readonly<Record<string, Restriction>> = {
  setting: (now) => now,
  alert_channel: (now) => now,
  mqtt: (now) => now,
  // Only an admin may set allow_private, and for one url.
  dns_list: (now, then) => {
    const [present, past] = [now, then] as (Partial<PublishedDnsList> | undefined)[];
    const isAllowed = present?.allow_private === true && present.url === past?.url;
    return past?.allow_private && !isAllowed ? ({ ...then, allow_private: false } as unknown as Resource) : then;
  },
  // Secrets of tunnels, proxies and the external filter follow their resources, which an operator may change.
  secret: (now, then) => (ownedPurposes.has(((then ?? now) as Secret).purpose) ? then : now),
};
type Restriction = (now: Resource | undefined, then: Resource | undefined) => Resource | undefined;

const ownedPurposes: ReadonlySet<Secret["purpose"]> = new Set(["tunnel", "proxy", "dns_extfilter"]);

/** The resources of a change between two documents that the caller may not restore. */
export function excludedBy({ sees, choose }: Rights, now: Document, then: Document): RolledBack["excluded"] {
  return Object.keys(restricted).flatMap((kind) => {
    const [present, past] = [byId(now[kind]), byId(then[kind])];
    const ids = [...new Set([...present.keys(), ...past.keys()])].toSorted();
    const kept = ids.filter((id) => !isSame(choose(kind, present.get(id), past.get(id)), past.get(id)));
    const names = sees(kind) ? kept.map((id) => nameOf((present.get(id) ?? past.get(id))!)) : [];
    return kept.length === 0 ? [] : [{ kind, count: kept.length, names }];
  });
}

const byId = (all: readonly Resource[] = []) => new Map(all.map((it) => [it.id, it]));

const nameOf = (resource: Resource): string => (resource as { name?: string }).name ?? resource.id;

const isSame = (a: Resource | undefined, b: Resource | undefined): boolean => canonical(a) === canonical(b);
