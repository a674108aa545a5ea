import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { openLedger } from "../../ledger/ledger.ts";
import { type FallbackFile, openVault } from "./vault.ts";

const cause = { actor: "test", action: "set_passphrase", resourceType: "passphrase" };
const chosen = "the operator's own choice";

/** A vault on a ledger of its own, with a fallback file that can be made to fail. */
async function fixture() {
  const folder = temporaryFolder();
  const ledger = openLedger({
    path: join(folder.path, "ledger.db"),
    kinds: { secret: "at-once" },
    now: () => new Date(),
    refuse: (refusal) => new Error(refusal),
    keepRevisions: 10,
  });
  const disk = { text: undefined as string | undefined, broken: false };
  const touch = (text: string | undefined) => {
    if (disk.broken) throw new Error("EROFS");
    disk.text = text;
  };
  const file: FallbackFile = { read: () => disk.text, write: touch, remove: () => touch(undefined) };
  const warnings: string[] = [];
  const open = () => openVault({ ledger, file, warn: (sentence) => void warnings.push(sentence) });
  return {
    ledger,
    disk,
    warnings,
    open,
    vault: await open(),
    /** The passphrase is gone from both places. */
    lose: () => {
      ledger.database.run("DELETE FROM setting WHERE key = 'secrets_passphrase'");
      disk.text = undefined;
    },
    stored: () => ledger.database.all("SELECT secret_id, version, form, passphrase_id FROM sealed_value"),
    [Symbol.dispose]: () => {
      ledger.close();
      folder[Symbol.dispose]();
    },
  };
}

async function keepStaged(
  { ledger, vault }: Pick<Awaited<ReturnType<typeof fixture>>, "ledger" | "vault">,
  name: string,
) {
  const created = { actor: "test", action: "create", resourceType: "secret" };
  await vault.keep(`value of ${name}`, (put) =>
    ledger.change(created, (draft) => (draft.put("secret", { id: name }), put(name))),
  );
}

test("vault: what is kept comes back, by its newest version unless another is named", async () => {
  using it = await fixture();
  const { vault } = it;
  expect(vault.has("gate")).toBe(false);
  expect(await vault.keep("one", (put) => put("gate"))).toBe(1);
  expect(await vault.keep("two", (put) => put("gate"))).toBe(2);
  expect(vault.has("gate")).toBe(true);
  expect(await vault.reveal("gate")).toBe("two");
  expect(await vault.reveal("gate", 1)).toBe("one");
  await expect(vault.reveal("gate", 3)).rejects.toMatchObject({ code: "secrets_undecipherable" });
  await expect(vault.reveal("nothing")).rejects.toMatchObject({ code: "secrets_undecipherable" });
});

test("vault: a write that fails keeps nothing, and the next in the queue has its turn", async () => {
  using it = await fixture();
  const failing = it.vault.keep("lost", () => {
    throw new Error("no");
  });
  const next = it.vault.keep("kept", (put) => put("gate"));
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe(1);
  expect(it.stored()).toHaveLength(1);
});

test("vault: what is destroyed while a rotation runs stays destroyed", async () => {
  using it = await fixture();
  for (const name of ["old", "young"]) await it.vault.keep(name, (put) => put(name));
  const rotation = it.vault.setPassphrase(cause, chosen);
  await new Promise((resolve) => setImmediate(resolve)); // By now the rotation has read its rows and derives keys.
  it.vault.prune((secretId) => secretId === "young");
  await rotation;
  expect(it.stored()).toMatchObject([{ secret_id: "young" }]);
  expect(await it.vault.reveal("young")).toBe("young");
});

test("vault: a fallback file that cannot be written is reported and written at the next start", async () => {
  using it = await fixture();
  await it.vault.keep("value", (put) => put("gate"));
  it.disk.broken = true;
  await it.vault.setPassphrase(cause, chosen);
  expect(it.warnings).toHaveLength(1);
  it.disk.broken = false;
  expect(it.disk.text).not.toBe(chosen);
  expect(await (await it.open()).reveal("gate")).toBe("value");
  expect(it.disk.text).toBe(chosen);
});

test("vault: a fallback file that cannot be removed is reported and removed at the next start", async () => {
  using it = await fixture();
  await it.vault.keep("value", (put) => put("gate"));
  it.disk.broken = true;
  await it.vault.clearPassphrase(cause);
  expect(await (await it.open()).reveal("gate")).toBe("value");
  expect(it.warnings).toHaveLength(2);
  it.disk.broken = false;
  await it.open();
  expect(it.disk.text).toBeUndefined();
});

test("vault: a lost passphrase is noticed by its fingerprint; when the old one returns, values of the new one are lost", async () => {
  using it = await fixture();
  await keepStaged(it, "gate");
  const before = it.disk.text!;
  it.lose();
  const without = await it.open();
  expect(await without.health()).toMatchObject({
    status: "failed",
    message: expect.stringContaining("One secret ") as string,
  });
  await keepStaged({ ...it, vault: without }, "fence"); // Under the new passphrase.
  expect(await without.health()).toMatchObject({ message: expect.stringContaining("One secret ") as string });
  it.lose();
  it.disk.text = before;
  expect(await (await it.open()).health()).toMatchObject({ message: expect.stringContaining("One secret ") as string });
  expect(await (await it.open()).reveal("gate")).toBe("value of gate");
});

test("values without a fingerprint are tried: what opens gets one, what does not is lost", async () => {
  using it = await fixture();
  for (const name of ["gate", "fence"]) await keepStaged(it, name);
  const [{ passphrase_id: fingerprint } = {}] = it.stored();
  const forget = () => it.ledger.database.run("UPDATE sealed_value SET passphrase_id = NULL");
  forget();
  expect(await (await it.open()).health()).toMatchObject({ status: "ok" });
  expect(it.stored().map((row) => row["passphrase_id"])).toEqual([fingerprint, fingerprint]);
  forget();
  it.lose();
  const without = await it.open();
  expect(await without.health()).toMatchObject({
    status: "failed",
    message: expect.stringContaining("2 secrets ") as string,
  });
  await keepStaged({ ...it, vault: without }, "gate");
  expect(await without.health()).toMatchObject({ message: expect.stringContaining("One secret ") as string });
});

test("vault: values that open are not lost on a full disk, and the daemon goes on", async () => {
  using it = await fixture();
  await keepStaged(it, "gate");
  it.ledger.database.run("UPDATE sealed_value SET passphrase_id = NULL");
  it.ledger.database.run(
    "CREATE TRIGGER full BEFORE UPDATE ON sealed_value BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
  );
  const vault = await it.open();
  expect(await vault.health()).toMatchObject({ status: "ok" });
  expect(it.warnings).toEqual(["Not all secrets could be checked"]);
  expect(await vault.reveal("gate")).toBe("value of gate");
});
