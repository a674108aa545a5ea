import { explainedAs, type Reason } from "@portcullis/contract/reason";
import type { InputOf, Page } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import {
  type CataloguedDnsList,
  type DnsList,
  type DnsListCondition,
  dnsListLimits,
  type DnsListOffer,
  type dnsPresets,
  type DnsThreatFeed,
  type PublishedDnsList,
  threatCategories,
} from "@portcullis/contract/subsystems/dns-lists";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { requireWord } from "../lookup.ts";
import { found, given, newId, refuseField } from "../resources.ts";
import { entries, wanted } from "./entries.ts";
import { withSourceName } from "../source-names.ts";
import { everyone, sourceOf } from "./source.ts";

/** Stores an upload, which replaces the previous one; or returns why it is not a list. */
export type Upload = (
  id: string,
  text: string,
  format: PublishedDnsList["format"],
) => Promise<{ readonly digest: string } | { readonly reason: string }>;

interface Needs {
  readonly ledger: Ledger;
  /** The observed status of the lists, by id. */
  readonly states: () => ReadonlyMap<string, DnsListCondition>;
  /** Why no list is read; null: lists are read. */
  readonly listsOff: Reason | null;
  /** Refreshes a list; resolves when that has succeeded or failed. */
  readonly refreshList: (id: string) => Promise<void>;
  readonly upload: Upload;
  /** Well-known lists to choose from. */
  readonly catalog: readonly DnsListOffer[];
}

export type Lists = ReturnType<typeof listService>;

/** Filter lists, from a URL, a file or an upload. */
export function listService({ ledger, states, listsOff, refreshList, upload, catalog }: Needs) {
  type Create = InputOf<typeof dnsPresets.create>["body"];
  type Update = InputOf<typeof dnsPresets.update>["body"];
  type Query = InputOf<typeof dnsPresets.list>["query"];
  const collection = ledger.staged<PublishedDnsList>("dns_list");
  const conditionOf = ({ id }: PublishedDnsList): DnsListCondition =>
    states().get(id) ?? { ...unread, ...explainedAs("problem", listsOff) };
  const shown = (list: PublishedDnsList): DnsList => ({
    ...withSourceName(ledger)(list),
    allow_private: list.allow_private === true, // Lists from before this field have none.
    ...conditionOf(list),
  });

  function normalize(list: PublishedDnsList): PublishedDnsList {
    if (list.url !== null && list.path !== null) refuseField("path", "and url are two sources; a list has one");
    if (list.url !== null && URL.parse(list.url) === null) refuseField("url", "is not a valid URL");
    if (list.url !== null && /^https?:\/\/[^/?#]*@/i.test(list.url))
      refuseField("url", "must have no user name and password: it is stored and shown as it is");
    refuseTooMany(list);
    return list;
  }
  function refuseTooMany({ id, enabled }: PublishedDnsList): void {
    const others = collection.all().filter((it) => it.enabled && it.id !== id).length;
    if (enabled && others >= dnsListLimits.enabled)
      throw new Problem(
        "limit_reached",
        { limit: dnsListLimits.enabled, of: "enabled lists" },
        { message: `${dnsListLimits.enabled} lists are already enabled; disable one first` },
      );
  }
  /** The permission belongs to its url. An operator may send it unchanged. */
  function permitted(before: PublishedDnsList, body: Update, isAdmin: boolean): { allow_private: boolean } {
    const isSame = body.url === undefined || body.url === before.url;
    const allow_private = body.allow_private ?? (isSame && before.allow_private === true);
    if (allow_private && !isAdmin && !(isSame && before.allow_private))
      throw new Problem(
        "forbidden",
        { field: "allow_private" },
        { message: "Only an admin may let a list be fetched from a private address" },
      );
    return { allow_private };
  }
  const plain = entries<PublishedDnsList, Create, Update, Query>({
    ledger,
    kind: "dns_list",
    noun: "preset",
    limit: dnsListLimits.lists,
    create: (body) => normalize({ ...blank, ...body, ...sourceOf(ledger, everyone, body), id: newId() }),
    update: (before, body) => normalize({ ...before, ...given(body), ...sourceOf(ledger, before, body) }),
    contradiction: (one, other) => {
      if (one.name === other.name) return "Another preset has this name";
      return one.url !== null && one.url === other.url ? `The preset ${other.name} has the same url` : undefined;
    },
    matcher: ({ category, enabled, source_type }) =>
      wanted<PublishedDnsList>(given({ category, enabled, source_type })),
  });

  return {
    list: (query: Query): Page<DnsList> => {
      const { items, ...rest } = plain.list(query);
      return { items: items.map(shown), ...rest };
    },
    get: (id: string): DnsList => shown(plain.get(id)),
    create: (cause: Cause, body: Create, isAdmin: boolean): DnsList =>
      shown(plain.create(cause, { ...body, ...permitted({ ...blank, id: "", name: "", ...everyone }, body, isAdmin) })),
    update: (cause: Cause, id: string, body: Update, isAdmin: boolean): DnsList =>
      shown(plain.update(cause, id, { ...body, ...permitted(plain.get(id), body, isAdmin) })),
    remove: plain.remove,
    upload: async (cause: Cause, id: string, text: string): Promise<DnsList> => {
      const { url, path, format } = found(collection, "preset", id);
      if (url !== null || path !== null)
        throw new Problem("conflict", { id }, { message: "This list has a url or a path; it cannot be uploaded" });
      const outcome = await upload(id, text, format);
      if ("reason" in outcome) throw new Problem("invalid_request", { id }, { message: outcome.reason });
      const list = { ...found(collection, "preset", id), content_digest: outcome.digest };
      ledger.change(cause, (draft) => {
        draft.about(id, { bytes: Buffer.byteLength(text) });
        draft.put("dns_list", list);
      });
      return shown(list);
    },
    refresh: async (cause: Cause, id: string): Promise<DnsList> => {
      found(collection, "preset", id);
      ledger.change(cause, (draft) => draft.about(id));
      await refreshList(id);
      return shown(found(collection, "preset", id));
    },
    catalog: (): CataloguedDnsList[] =>
      catalog.map((offer) => ({
        ...offer,
        chosen_id: collection.all().find(({ url }) => url === offer.url)?.id ?? null,
      })),
    choose: (cause: Cause, name: string): DnsList => {
      const known = requireWord(
        "body.name",
        name,
        catalog.map((offer) => offer.name),
      );
      const { category, url, format, refresh_hours } = catalog.find((offer) => offer.name === known)!;
      return shown(plain.create(cause, { name: known, category, url, format, refresh_hours }));
    },
    threatFeeds: (): DnsThreatFeed[] =>
      collection
        .all()
        .filter(({ category }) => threatCategories.includes(category))
        .map((list) => toFeed({ ...list, enabled: list.enabled && listsOff === null }, conditionOf(list))),
  };
}

const blank = {
  enabled: true,
  category: "other",
  action: "block",
  format: "auto",
  url: null,
  path: null,
  allow_private: false,
  refresh_hours: 24,
  content_digest: null,
} as const;

const unread = { entries: 0, skipped: 0, bytes: 0, memory_bytes: 0, read_at: null };

function toFeed({ id, name, category, enabled }: PublishedDnsList, condition: DnsListCondition): DnsThreatFeed {
  return { id, name, category, status: feedStatus(enabled, condition), ...condition };
}

function feedStatus(enabled: boolean, { problem, read_at }: DnsListCondition): DnsThreatFeed["status"] {
  if (!enabled) return "off";
  if (problem !== "") return "failing";
  return read_at === null ? "waiting" : "ok";
}
