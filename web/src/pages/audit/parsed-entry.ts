import type { AuditEntry } from "@portcullis/contract/subsystems/records";

/** An audit entry, parsed for a sentence. */
export interface ParsedEntry {
  readonly actor: Actor;
  readonly action: string;
  readonly verb: string;
  readonly kind: string;
  /** Readable name of the resource; empty if the kind has one instance only or no name is known. */
  readonly name: string;
  /** Domains that the entry refers to. */
  readonly domains: readonly string[];
}

export type Actor =
  | { readonly kind: "person"; readonly name: string }
  | { readonly kind: "key"; readonly name: string }
  | { readonly kind: "gateway" }
  | { readonly kind: "anonymous" };

type Details = AuditEntry["details"];
type EntryFields = Pick<AuditEntry, "actor" | "action" | "resource_type" | "resource_id" | "details">;

export function parseEntry({ actor, action, resource_type, resource_id, details }: EntryFields): ParsedEntry {
  const tail = `_${resource_type}`;
  const verb = action.endsWith(tail) ? action.slice(0, -tail.length) : action;
  return {
    actor: actorOf(actor),
    action,
    verb,
    kind: resource_type,
    name: nameOf(resource_type, resource_id, details),
    domains: domainsOf(details),
  };
}

export function actorOf(actor: string): Actor {
  if (actor === "system") return { kind: "gateway" };
  if (actor === "anonymous" || actor === "") return { kind: "anonymous" };
  return actor.startsWith("key:") ? { kind: "key", name: actor.slice(4) } : { kind: "person", name: actor };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** The resource's own name; else its id if that is a name the operator chose. */
function nameOf(kind: string, id: string, { name }: Details): string {
  const called = typeof name === "string" && name !== "" ? name : id;
  // Kinds with one instance: the name would repeat the kind.
  return uuid.test(called) || called === kind || id === "privacy" || kind === `dns_${called}` ? "" : called;
}

const domainsOf = ({ domains }: Details): string[] =>
  Array.isArray(domains) ? domains.filter((it) => typeof it === "string") : [];

interface Field {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Fields before and after. Fields that are empty on both sides are omitted. */
export function fieldsOf({ fields }: Details): Field[] {
  if (!Array.isArray(fields)) return [];
  return fields
    .filter((it): it is Field => typeof it === "object" && it !== null && typeof it.field === "string")
    .filter(({ before, after }) => !isNothing(before) || !isNothing(after));
}

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

const shownOtherwise = new Set(["name", "change", "fields", "also", "also_changed"]);

/** Further details: a reason, blocked domains. */
export const remarksOf = (details: Details): [string, unknown][] =>
  Object.entries(details).filter(([key, value]) => !shownOtherwise.has(key) && value !== null);

/** Pages on which a resource of a kind can be opened. */
const pages: Readonly<Record<string, (id: string) => string>> = {
  device: (id) => `/devices/${id}`,
  device_group: () => "/devices",
  trust_class: () => "/devices",
  privacy_class: () => "/devices",
  exception: () => "/devices",
  schedule: () => "/dns?tab=rules",
  pause: () => "/dns",
  routing_policy: (id) => `/routing?open=${id}`,
  routing_policies: () => "/routing",
  profile: () => "/routing",
  chain: () => "/routing",
  change: () => "/changes",
  snapshot: () => "/changes",
  tunnel: (id) => `/tunnels?open=${id}`,
  proxy: (id) => `/proxies?open=${id}`,
  bridge: (id) => `/bridges?open=${id}`,
  splitting: () => "/splitting",
  splitting_endpoint: () => "/splitting",
  uplinks: () => "/network",
  vlan: () => "/network",
  enforcement: () => "/network",
  setting: () => "/settings",
  settings: () => "/settings",
  secret: () => "/settings",
  passphrase: () => "/settings",
  api_key: () => "/access",
  session: () => "/access",
  password: () => "/access",
  dns_list: () => "/dns?tab=lists",
  dns_service: () => "/dns?tab=services",
  dns_log: () => "/dns?tab=log",
};

/** The address of the resource; a deleted one has none. */
export function linkOf({ resource_type, resource_id, action }: EntryFields): string | undefined {
  if (action.startsWith("delete_")) return undefined;
  const page = Object.hasOwn(pages, resource_type) ? pages[resource_type] : undefined;
  return page?.(encodeURIComponent(resource_id)) ?? (resource_type.startsWith("dns_") ? "/dns" : undefined);
}

/** Entries by day in the reader's time zone, newest first. */
export function byDay<E extends Pick<AuditEntry, "timestamp">>(entries: readonly E[]): [Date, E[]][] {
  const days: [Date, E[]][] = [];
  for (const entry of entries) {
    const at = new Date(entry.timestamp);
    const last = days.at(-1);
    if (last && last[0].toDateString() === at.toDateString()) last[1].push(entry);
    else days.push([at, [entry]]);
  }
  return days;
}
