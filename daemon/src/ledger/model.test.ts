import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { announceSeed } from "../../../testing/seed.ts";
import { bucketOf, canonical, digestOf } from "./canonical.ts";
import { type Ledger, openLedger } from "./ledger.ts";

announceSeed("ledger");

const kinds = { device: "at-once", class: "at-once", policy: "on-apply", profile: "on-apply" } as const;
const names = Object.keys(kinds).toSorted() as (keyof typeof kinds)[];
const keepRevisions = 2;
/** Two of the three share a bucket of the digest tree. */
const ids = ["a", "b", Array.from({ length: 9999 }, (_, n) => `a${n}`).find((id) => bucketOf(id) === bucketOf("a"))!];
const cause = { actor: "ada", action: "change", resourceType: "thing" };

/** kind → id → text: the state of the ledger's seven tables as a plain value. */
type State = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The reference model of the ledger. */
interface Model {
  readonly staged: State;
  readonly revisions: readonly { readonly number: number; readonly state: State; readonly pinned: boolean }[];
  /** `before`: what stood staged, for a rollback; an apply does not change the staged resources. */
  readonly pending?: { revision: number; base: number; kinds: string[]; before: State | undefined } | undefined;
  readonly audited: number;
}

type Step =
  | { do: "write"; writes: { kind: keyof typeof kinds; id: string; text: string | undefined }[]; fails: boolean }
  | { do: "apply"; withinSec: number | undefined }
  | { do: "rollback"; pick: number; withinSec: number | undefined }
  | { do: "pin"; pick: number; pinned: boolean }
  | { do: "confirm" | "revert" | "retain" | "reopen" };

const withinSec = fc.constantFrom(undefined, 60);
const pick = fc.nat(1000);
const writes = fc.array(
  fc.record({
    kind: fc.constantFrom(...names),
    id: fc.constantFrom(...ids),
    text: fc.constantFrom(undefined, "x", "y"),
  }),
  { minLength: 1, maxLength: 4 },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("write" as const), writes, fails: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("apply" as const), withinSec }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("rollback" as const), pick, withinSec }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pin" as const), pick, pinned: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom("confirm", "revert", "retain", "reopen") }) },
);

test("ledger model: whatever is done to it, the ledger agrees with a model on paper", () =>
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 50 }), (steps) => {
      using fixture = openFixture();
      let model = fresh();
      for (const it of steps) {
        const expected = next(model, it);
        expect(perform(fixture, it, model)).toBe(expected.refusal);
        model = expected.model;
        expectAgreement(fixture.ledger, model);
      }
    }),
    { numRuns: 60 },
  ));

const fresh = (): Model => {
  const nothing = Object.fromEntries(names.map((kind) => [kind, {}]));
  return { staged: nothing, revisions: [{ number: 1, state: nothing, pinned: false }], audited: 0 };
};

/** What a step should lead to, and what the ledger should say when it refuses. */
function next(model: Model, it: Step): { model: Model; refusal?: string } {
  const { staged, revisions, pending, audited } = model;
  const now = revisions.at(-1)!;
  const noted = { ...model, audited: audited + 1 };
  switch (it.do) {
    case "write": {
      const after = it.writes.reduce(written, staged);
      const changed = differingKinds(after, staged);
      if (it.fails) return { model, refusal: "enough" };
      if (changed.some((kind) => pending?.kinds.includes(kind))) return { model, refusal: "change-pending" };
      if (changed.length === 0) return { model };
      return { model: published({ ...noted, staged: after }, overlaid(now.state, after, atOnce)) };
    }
    case "apply": {
      if (pending) return { model, refusal: "change-pending" };
      const state = overlaid(now.state, staged, onApply);
      if (canonical(state) === canonical(now.state)) return { model };
      const pendingKinds = differingKinds(state, now.state);
      return {
        model: published(noted, state, it.withinSec !== undefined && { kinds: pendingKinds, before: undefined }),
      };
    }
    case "rollback": {
      if (pending) return { model, refusal: "change-pending" };
      const { state } = picked(model, it.pick);
      const provisional = it.withinSec !== undefined && { kinds: [...names], before: staged };
      return { model: published({ ...noted, staged: state }, state, provisional) };
    }
    case "confirm":
      return pending ? { model: { ...noted, pending: undefined } } : { model, refusal: "nothing-pending" };
    case "revert": {
      if (!pending) return { model, refusal: "nothing-pending" };
      const base = revisions.find(({ number }) => number === pending.base)!.state;
      const settled = { ...noted, pending: undefined };
      const restored = { ...settled, staged: overlaid(staged, pending.before ?? staged, pending.kinds) };
      return { model: published(restored, overlaid(now.state, base, pending.kinds)) };
    }
    case "pin": {
      const target = picked(model, it.pick);
      if (target.pinned === it.pinned) return { model };
      const pinned = revisions.map((one) => (one === target ? { ...one, pinned: it.pinned } : one));
      return { model: { ...noted, revisions: pinned } };
    }
    case "retain": {
      const held = [pending?.base, pending?.revision];
      const kept = revisions.filter(
        ({ number, pinned }) => pinned || number > now.number - keepRevisions || held.includes(number),
      );
      return { model: { ...model, revisions: kept } };
    }
    case "reopen":
      return { model };
  }
}

const differingKinds = (a: State, b: State) => names.filter((kind) => canonical(a[kind]) !== canonical(b[kind]));

const atOnce = names.filter((kind) => kinds[kind] === "at-once");
const onApply = names.filter((kind) => kinds[kind] === "on-apply");

const overlaid = (below: State, above: State, which: readonly string[]): State => ({
  ...below,
  ...Object.fromEntries(which.map((kind) => [kind, above[kind]!])),
});

function written(state: State, { kind, id, text }: { kind: string; id: string; text: string | undefined }): State {
  const { [id]: _, ...others } = state[kind]!;
  return { ...state, [kind]: text === undefined ? others : { ...others, [id]: text } };
}

/** The next revision, unless it would equal the one before. */
function published(
  model: Model,
  state: State,
  provisional: false | { kinds: string[]; before: State | undefined } = false,
): Model {
  const { number: base, state: before } = model.revisions.at(-1)!;
  if (differingKinds(before, state).length === 0) return model;
  const revision = base + 1;
  const pending = provisional ? { revision, base, ...provisional } : model.pending;
  return { ...model, pending, revisions: [...model.revisions, { number: revision, state, pinned: false }] };
}

const picked = ({ revisions }: Model, pick: number) => revisions[pick % revisions.length]!;

/** The same step on the real ledger; answers what it said when it refused. */
function perform(fixture: ReturnType<typeof openFixture>, it: Step, model: Model): string | undefined {
  const { ledger } = fixture;
  const { releases } = ledger;
  try {
    switch (it.do) {
      case "write":
        ledger.change(cause, (draft) => {
          for (const { kind, id, text } of it.writes)
            if (text === undefined) draft.remove(kind, id);
            // Every other write comes with its fields in another order.
            else draft.put(kind, text === "x" ? resource(id, text) : Object.assign({ text }, { id }));
          if (it.fails) throw new Error("enough");
        });
        break;
      case "apply":
        releases.apply(cause, it.withinSec);
        break;
      case "rollback":
        releases.rollback(cause, picked(model, it.pick).number, it.withinSec);
        break;
      case "pin":
        releases.describe(cause, picked(model, it.pick).number, { pinned: it.pinned });
        break;
      case "confirm":
        releases.confirm(cause);
        break;
      case "revert":
        releases.revert(cause, "requested");
        break;
      case "retain":
        releases.retain();
        break;
      case "reopen":
        fixture.reopen();
        break;
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const resource = (id: string, text: string) => ({ id, text });
const resources = (byId: Readonly<Record<string, string>>) =>
  Object.entries(byId)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, text]) => resource(id, text));
const documentOf = (state: State) => Object.fromEntries(names.map((kind) => [kind, resources(state[kind]!)]));

function expectAgreement(ledger: Ledger, { staged, revisions, pending, audited }: Model): void {
  const { releases, database } = ledger;
  expect(ledger.revision()).toBe(revisions.at(-1)!.number);
  expect(releases.list({ limit: 1000 }).map(({ number, pinned }) => ({ number, pinned }))).toEqual(
    revisions.map(({ number, pinned }) => ({ number, pinned })).toReversed(),
  );
  const waiting = releases.pending();
  expect(waiting && [waiting.revision, waiting.base, waiting.kinds]).toEqual(
    pending && [pending.revision, pending.base, pending.kinds],
  );
  expect(database.get("SELECT count(*) AS entries FROM audit")).toEqual({ entries: audited });
  for (const kind of names) expectCollection(ledger, kind, resources(staged[kind]!));
  for (const { number, state } of revisions) expectPublished(ledger, number, state);
  expect(releases.document(ledger.revision())).toEqual(documentOf(revisions.at(-1)!.state));
  expect(releases.staged().map(({ kind, id }) => `${kind} ${id}`)).toEqual(
    onApply.flatMap((kind) => differing(revisions.at(-1)!.state[kind]!, staged[kind]!).map((id) => `${kind} ${id}`)),
  );
  expectNothingLeftOver(ledger);
}

function expectCollection(ledger: Ledger, kind: string, expected: readonly { id: string }[]): void {
  const collection = ledger.staged(kind);
  expect(collection.all()).toEqual(expected);
  expect(collection.count()).toBe(expected.length);
  expect(ids.map((id) => collection.get(id))).toEqual(ids.map((id) => expected.find((it) => it.id === id)));
  expect(ledger.database.all("SELECT body, digest FROM staged WHERE kind = ? ORDER BY id", kind)).toEqual(
    expected.map((it) => ({ body: canonical(it), digest: digestOf(canonical(it)) })),
  );
}

/** Document → digest and digest → document over every run of this test: equal ones are equal whatever led there. */
const digestsSeen = new Map<string, string>();
const documentsSeen = new Map<string, string>();

function expectPublished({ releases }: Ledger, number: number, state: State): void {
  const document = canonical(documentOf(state));
  expect(releases.export(number)).toBe(document);
  expectOneToOne(document, releases.find(number)!.digest);
  const kindDigests = releases.kindDigests(number);
  for (const kind of names) {
    const text = canonical(resources(state[kind]!));
    if (text === "[]") expect(kindDigests[kind]).toBeUndefined();
    else expectOneToOne(text, kindDigests[kind]!);
  }
}

function expectOneToOne(document: string, digest: string): void {
  expect(digestsSeen.get(document) ?? digest).toBe(digest);
  expect(documentsSeen.get(digest) ?? document).toBe(document);
  digestsSeen.set(document, digest);
  documentsSeen.set(digest, document);
}

const differing = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>) =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted().filter((id) => a[id] !== b[id]);

/** The live versions are the published document; others are there because some revision shows them. */
function expectNothingLeftOver(ledger: Ledger): void {
  const { database, releases } = ledger;
  const live = database.all("SELECT kind, id FROM version WHERE until IS NULL ORDER BY kind, id");
  const document = releases.document(ledger.revision());
  expect(live).toEqual(names.flatMap((kind) => document[kind]!.map(({ id }) => ({ kind, id }))));

  const revisions = releases.list({ limit: 1000 }).map(({ number }) => number);
  const isShown = (since: number, until: number) => revisions.some((it) => it >= since && it < until);
  for (const { since, until } of database.all("SELECT since, until FROM version"))
    expect(isShown(Number(since), Number(until ?? Infinity))).toBe(true);
  const digests = database.all("SELECT kind, revision FROM kind_digest ORDER BY kind, revision");
  for (const [place, { kind, revision: since }] of digests.entries()) {
    const later = digests.slice(place + 1).find((it) => it["kind"] === kind);
    expect(isShown(Number(since), Number(later?.["revision"] ?? Infinity))).toBe(true);
  }
}

function openFixture() {
  const folder = temporaryFolder();
  const open = () =>
    openLedger({
      path: join(folder.path, "ledger.db"),
      kinds,
      now: () => new Date("2030-01-01T00:00:00Z"),
      refuse: (refusal) => new Error(refusal),
      keepRevisions,
    });
  const fixture = {
    ledger: open(),
    reopen: () => {
      fixture.ledger.close();
      fixture.ledger = open();
    },
    [Symbol.dispose]: () => {
      fixture.ledger.close();
      folder[Symbol.dispose]();
    },
  };
  return fixture;
}
