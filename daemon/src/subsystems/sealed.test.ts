import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../testing/ledger.ts";
import { type SecretPlace, sealedResource } from "./sealed.ts";
import { secretService } from "./secrets/secrets.service.ts";
import { openVault } from "./secrets/vault.ts";

const cause = { actor: "ada", action: "update_tunnel", resourceType: "tunnel" };

interface Tunnel {
  readonly id: string;
  readonly name: string;
  readonly secret: SecretPlace | null;
}
const tunnel = (name: string): Tunnel => ({ id: "t", name, secret: null });
const seal = (value: string) => ({ kind: "seal" as const, value });

/** Tunnels in a real ledger, with a real vault. */
async function fixture() {
  const ledger = ledgerInMemory({ secret: "at-once", tunnel: "at-once" });
  const absent = { read: () => undefined, write: () => {}, remove: () => {} };
  const vault = await openVault({ ledger, file: absent, warn: () => {} });
  const secrets = secretService({ ledger, vault, now: () => new Date(), refuseInUse: () => {} });
  return {
    ledger,
    secrets,
    ...sealedResource<Tunnel>({ ledger, secrets, kind: "tunnel" }),
    names: () => secrets.list({}).items.map(({ name, version }) => `${name} ${version}`),
    values: () => ledger.database.all("SELECT version FROM sealed_value").length,
    [Symbol.dispose]: () => ledger.close(),
  };
}

test("sealed resources: a resource and its secret are one revision and one audit entry, of the resource", async () => {
  using it = await fixture();
  const before = it.ledger.revision();
  const made = await it.put(cause, undefined, tunnel("Amsterdam"), seal("key"));
  expect(it.ledger.revision()).toBe(before + 1);
  expect(it.ledger.records.searchAudit({ limit: 10 }).map(({ resource_id }) => resource_id)).toEqual(["t"]);
  expect(await it.secrets.revealFor(made.secret!)).toBe("key");

  const renamed = await it.put(cause, made, { ...made, name: "Leiden" }, { kind: "keep" });
  expect([renamed.secret, it.names()]).toEqual([made.secret, ["Leiden 1"]]);
  const changed = await it.put(cause, renamed, renamed, seal("next"));
  expect([changed.secret, it.names()]).toEqual([{ id: made.secret!.id, version: 2 }, ["Leiden 2"]]);
  expect(await it.secrets.revealFor(changed.secret!)).toBe("next");
  const bare = await it.put(cause, changed, changed, { kind: "forget" });
  expect([bare.secret, it.names()]).toEqual([null, []]);
});

test("sealed resources: what goes takes its secret along", async () => {
  using it = await fixture();
  await it.put(cause, undefined, tunnel("Amsterdam"), seal("key"));
  it.remove(cause, "t");
  expect([it.names(), it.ledger.staged("tunnel").count()]).toEqual([[], 0]);
});

test("sealed resources: a change that another change overtook during sealing leaves no trace", async () => {
  using it = await fixture();
  const made = await it.put(cause, undefined, tunnel("Amsterdam"), seal("key"));
  const overtaken = it.put(cause, made, { ...made, name: "Rotterdam" }, seal("next"));
  it.ledger.change(cause, (draft) => draft.put("tunnel", { ...made, name: "Leiden" } as Tunnel));
  await expect(overtaken).rejects.toThrow("was changed meanwhile");
  expect([it.names(), it.values()]).toEqual([["Amsterdam 1"], 1]);
  expect(it.ledger.staged<Tunnel>("tunnel").get("t")).toEqual({ ...made, name: "Leiden" });
});

test("sealed resources: a name that was taken while a secret was sealed is refused, and no secret is left over", async () => {
  using it = await fixture();
  const both = [tunnel("Amsterdam"), { ...tunnel("Amsterdam"), id: "u" }];
  const done = await Promise.allSettled(both.map((one) => it.put(cause, undefined, one, seal("key"))));
  expect(done.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect([it.names(), it.values()]).toEqual([["Amsterdam 1"], 1]);
});
