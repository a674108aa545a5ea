import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { openLedger } from "../../ledger/ledger.ts";
import { type FallbackFile, openVault } from "./vault.ts";

const cause = { actor: "test", action: "set_passphrase", resourceType: "passphrase" };
const chosen = "the operator's own choice";

/** A vault on a ledger of its own, with a fallback file that can be told to break. */
async function house() {
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
    stored: () => ledger.database.all("SELECT secret_id, version, form FROM sealed_value"),
    [Symbol.dispose]: () => {
      ledger.close();
      folder[Symbol.dispose]();
    },
  };
}

test("what is kept comes back, by its newest version unless another is named", async () => {
  using it = await house();
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

test("a write that fails keeps nothing, and the next in the queue has its turn", async () => {
  using it = await house();
  const failing = it.vault.keep("lost", () => {
    throw new Error("no");
  });
  const next = it.vault.keep("kept", (put) => put("gate"));
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe(1);
  expect(it.stored()).toHaveLength(1);
});

test("what is destroyed while a rotation runs stays destroyed", async () => {
  using it = await house();
  for (const name of ["old", "young"]) await it.vault.keep(name, (put) => put(name));
  const rotation = it.vault.setPassphrase(cause, chosen);
  await new Promise((resolve) => setImmediate(resolve)); // By now the rotation has read its rows and derives keys.
  it.vault.prune((secretId) => secretId === "young");
  await rotation;
  expect(it.stored()).toMatchObject([{ secret_id: "young" }]);
  expect(await it.vault.reveal("young")).toBe("young");
});

test("a fallback file that cannot be written is told of and written at the next start", async () => {
  using it = await house();
  await it.vault.keep("value", (put) => put("gate"));
  it.disk.broken = true;
  await it.vault.setPassphrase(cause, chosen);
  expect(it.warnings).toHaveLength(1);
  it.disk.broken = false;
  expect(it.disk.text).not.toBe(chosen);
  expect(await (await it.open()).reveal("gate")).toBe("value");
  expect(it.disk.text).toBe(chosen);
});

test("a fallback file that cannot be removed is told of and removed at the next start", async () => {
  using it = await house();
  await it.vault.keep("value", (put) => put("gate"));
  it.disk.broken = true;
  await it.vault.clearPassphrase(cause);
  expect(await (await it.open()).reveal("gate")).toBe("value");
  expect(it.warnings).toHaveLength(2);
  it.disk.broken = false;
  await it.open();
  expect(it.disk.text).toBeUndefined();
});
