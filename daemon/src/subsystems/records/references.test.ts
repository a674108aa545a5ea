import { Nullable, Reference } from "@portcullis/contract/values";
import Type from "typebox";
import { expect, test } from "vitest";
import { openLedger } from "../../ledger/ledger.ts";
import { referenceService } from "./references.service.ts";

const kinds = {
  device: Type.Object({
    id: Type.String(),
    policy: Nullable(Reference("policy")),
    backup: Nullable(Reference("policy")),
    group_ids: Type.Array(Reference("group")),
  }),
  group: Type.Object({ id: Type.String(), policy: Reference("policy") }),
  policy: Type.Object({ id: Type.String(), name: Type.String() }),
};

/** Two devices and a group, which name each other's like in every way there is. */
function house() {
  const ledger = openLedger({
    path: ":memory:",
    kinds: { device: "at-once", group: "at-once", policy: "at-once" },
    now: () => new Date(),
    refuse: (refusal) => new Error(refusal),
    keepRevisions: 10,
  });
  ledger.change({ actor: "ada", action: "make", resourceType: "house" }, (draft) => {
    const put = (kind: string, resource: { id: string; [field: string]: unknown }) => draft.put(kind, resource);
    put("policy", { id: "p", name: "Strict" });
    put("group", { id: "g", policy: "p" });
    put("device", { id: "tv", policy: "p", backup: "p", group_ids: ["g", "other"] });
    put("device", { id: "lamp", policy: null, backup: "p", group_ids: [] });
    put("device", { id: "phone", policy: "other", backup: null, group_ids: ["g"] });
  });
  return { ...referenceService({ ledger, kinds }), [Symbol.dispose]: () => ledger.close() };
}

test("a resource counts once however often it names another, under the plural of its kind", () => {
  using it = house();
  const expected = { type: "policy", id: "p", referenced_by: { devices: 2, groups: 1 }, total: 3 };
  expect(it.show("policy", "p")).toEqual(expected);
  expect(it.show("policy", "Strict")).toEqual(expected);
});

test("lists of references count too", () => {
  using it = house();
  expect(it.show("group", "g")).toMatchObject({ referenced_by: { devices: 2 }, total: 2 });
});

test("what is named cannot go, unless those who name it go along", () => {
  using it = house();
  expect(() => it.refuseInUse("group", "g")).toThrow("Other resources still refer to this one");
  expect(() => it.refuseInUse("group", "g", ["device"])).not.toThrow();
  expect(() => it.refuseInUse("policy", "p", ["device"])).toThrow("Other resources still refer to this one");
  expect(() => it.refuseInUse("device", "tv")).not.toThrow();
});

test.each([
  ["policy", "policies"],
  ["trust_class", "trust_classes"],
  ["device", "devices"],
])("the plural of %s is %s", (kind, plural) => {
  const ledger = openLedger({
    path: ":memory:",
    kinds: { [kind]: "at-once", target: "at-once" },
    now: () => new Date(),
    refuse: (refusal) => new Error(refusal),
    keepRevisions: 10,
  });
  ledger.change({ actor: "ada", action: "make", resourceType: "house" }, (draft) => {
    draft.put("target", { id: "t" });
    draft.put(kind, { id: "x", target: "t" } as { id: string });
  });
  const schema = Type.Object({ id: Type.String(), target: Reference("target") });
  const { show } = referenceService({ ledger, kinds: { [kind]: schema, target: Type.Object({ id: Type.String() }) } });
  expect(show("target", "t").referenced_by).toEqual({ [plural]: 1 });
  ledger.close();
});
