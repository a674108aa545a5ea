import { Nullable, Reference } from "@portcullis/contract/values";
import Type from "typebox";
import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
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

/** Two devices and a group with references of every form. */
function fixture() {
  const ledger = ledgerInMemory({ device: "at-once", group: "at-once", policy: "at-once" });
  ledger.change({ actor: "ada", action: "make", resourceType: "fixture" }, (draft) => {
    const put = (kind: string, resource: { id: string; [field: string]: unknown }) => draft.put(kind, resource);
    put("policy", { id: "p", name: "Strict" });
    put("group", { id: "g", policy: "p" });
    put("device", { id: "tv", policy: "p", backup: "p", group_ids: ["g", "other"] });
    put("device", { id: "lamp", policy: null, backup: "p", group_ids: [] });
    put("device", { id: "phone", policy: "other", backup: null, group_ids: ["g"] });
  });
  return { ...referenceService({ ledger, kinds }), [Symbol.dispose]: () => ledger.close() };
}

test("references: a resource counts once however often it names another, under the plural of its kind", () => {
  using it = fixture();
  const expected = { type: "policy", id: "p", name: "Strict", referenced_by: { devices: 2, groups: 1 }, total: 3 };
  expect(it.show("policy", "p")).toEqual(expected);
  expect(it.show("policy", "Strict")).toEqual(expected);
});

test("references: lists of references count too", () => {
  using it = fixture();
  expect(it.show("group", "g")).toMatchObject({ referenced_by: { devices: 2 }, total: 2 });
});

test("references: what is named cannot go, unless those who name it go along", () => {
  using it = fixture();
  expect(() => it.refuseInUse("group", "g")).toThrow("Other resources still refer to this one");
  expect(() => it.refuseInUse("group", "g", ["device"])).not.toThrow();
  expect(() => it.refuseInUse("policy", "p", ["device"])).toThrow("Other resources still refer to this one");
  expect(() => it.refuseInUse("device", "tv")).not.toThrow();
});

/** A tunnel with hops by id, by name, and hops that do not count. */
function hopping() {
  const hops = Type.Array(Type.Object({ type: Type.String(), target: Type.String() }));
  const ledger = ledgerInMemory({ tunnel: "at-once", routing_policy: "on-apply", device: "at-once" });
  const cause = { actor: "ada", action: "make", resourceType: "fixture" };
  const put = (kind: string, resource: { id: string; [field: string]: unknown }) =>
    ledger.change(cause, (draft) => draft.put(kind, resource));
  put("tunnel", { id: "t", name: "Amsterdam" });
  put("device", { id: "d", name: "TV" });
  const schemas = {
    tunnel: Type.Object({ id: Type.String() }),
    routing_policy: Type.Object({ id: Type.String(), hops }),
    device: Type.Object({ id: Type.String() }),
  };
  return {
    ...referenceService({ ledger, kinds: schemas }),
    leads: (id: string, ...targets: [type: string, target: string][]) =>
      put("routing_policy", { id, hops: targets.map(([type, target]) => ({ type, target })) }),
    apply: (confirmWithinSec?: number) => ledger.releases.apply(cause, confirmWithinSec),
    confirm: () => ledger.releases.confirm(cause),
    [Symbol.dispose]: () => ledger.close(),
  };
}

test("references: hops refer by their type, and by id or name", () => {
  using it = hopping();
  it.leads("by id", ["vpn", "t"]);
  it.leads("by name and id", ["vpn", "Amsterdam"], ["vpn", "t"]);
  it.leads("to another", ["vpn", "Rotterdam"]);
  it.leads("to an interface", ["interface", "Amsterdam"], ["proxy", "t"]);
  expect(it.show("tunnel", "Amsterdam")).toMatchObject({ referenced_by: { routing_policies: 2 }, total: 2 });
  expect(it.show("device", "TV")).toMatchObject({ total: 0 });
  expect(() => it.refuseInUse("tunnel", "t")).toThrow("Other resources still refer to this one");
  expect(() => it.refuseNamed("tunnel", "Amsterdam")).toThrow("Hops refer to this one by its name");
  expect(() => it.refuseNamed("tunnel", "t2")).not.toThrow();
});

test("references: hops in force count like those that are staged, and each policy once", () => {
  using it = hopping();
  it.leads("p", ["vpn", "Amsterdam"]);
  expect(it.show("tunnel", "t").total).toBe(1);
  it.apply();
  expect(it.show("tunnel", "t").total).toBe(1);
  it.leads("p");
  expect(it.show("tunnel", "t").total).toBe(1);
  expect(() => it.refuseNamed("tunnel", "Amsterdam")).toThrow("Hops refer to this one by its name");
  it.apply();
  expect(it.show("tunnel", "t").total).toBe(0);
  expect(() => it.refuseNamed("tunnel", "Amsterdam")).not.toThrow();
});

test("references: hops that may come back count until the change is confirmed", () => {
  using it = hopping();
  it.leads("p", ["vpn", "Amsterdam"]);
  it.apply();
  it.leads("p");
  it.apply(60);
  expect(it.show("tunnel", "t").total).toBe(1);
  it.confirm();
  expect(it.show("tunnel", "t").total).toBe(0);
});

test.each([
  ["policy", "policies"],
  ["trust_class", "trust_classes"],
  ["device", "devices"],
])("references: the plural of %s is %s", (kind, plural) => {
  const ledger = ledgerInMemory({ [kind]: "at-once", target: "at-once" });
  ledger.change({ actor: "ada", action: "make", resourceType: "fixture" }, (draft) => {
    draft.put("target", { id: "t" });
    draft.put(kind, { id: "x", target: "t" } as { id: string });
  });
  const schema = Type.Object({ id: Type.String(), target: Reference("target") });
  const { show } = referenceService({ ledger, kinds: { [kind]: schema, target: Type.Object({ id: Type.String() }) } });
  expect(show("target", "t").referenced_by).toEqual({ [plural]: 1 });
  ledger.close();
});
