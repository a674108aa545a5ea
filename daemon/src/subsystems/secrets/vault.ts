import { because, type Reason, sentence } from "@portcullis/contract/reason";
import { randomBytes } from "node:crypto";
import { Problem } from "@portcullis/contract/problem";
import type { EncryptionStatus } from "@portcullis/contract/subsystems/secrets";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import type { Cause } from "../../ledger/change.ts";
import type { Attempt } from "../../ledger/attempt.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { serial } from "../../system/async.ts";
import { reconcile } from "./passphrase.ts";
import { attemptedValues } from "./attempted-values.ts";
import { createSealer, type Sealer, Undecipherable } from "./sealing.ts";
import { type SecretStore, secretStore, type StoredValue } from "./secrets.store.ts";

/** The second location of the passphrase: a file that only root can read. */
export interface FallbackFile {
  read(): string | undefined;
  write(text: string): void;
  remove(): void;
}

interface Needs {
  readonly ledger: Ledger;
  readonly file: FallbackFile;
  /** Reports that the file could not be updated, which is not an error. */
  readonly warn: (message: string, error: unknown) => void;
}

/** The only access to stored secrets. */
export interface Vault {
  /**
   * Seals `value`, then runs `write` exclusively of rotations. `put` stores it as the secret's next version. In an attempt the
   * value waits for the commit; one that is equal to the newest of `known` keeps its version.
   */
  keep<T>(value: string, write: (put: (secretId: string) => number) => T, known?: string): Promise<T>;
  /** Seals values of an attempt, then runs `write` exclusively of rotations. `store` stores them. */
  keepAttempted<T>(attempt: Attempt, write: (store: () => void) => T): Promise<T>;
  /** The newest version unless given. */
  reveal(secretId: string, version?: number): Promise<string>;
  has(secretId: string): boolean;
  setPassphrase(cause: Cause, passphrase: string): Promise<void>;
  clearPassphrase(cause: Cause): Promise<void>;
  status(): EncryptionStatus;
  health(): Promise<Component>;
  /** Destroys values that nothing refers to. */
  prune(isNamed: (secretId: string, version: number, newest: number) => boolean): void;
}

/** The mode of the vault: encrypting, plain text as the operator chose, or locked because the passphrase is lost. */
type Mode =
  | { readonly kind: "sealing"; readonly sealer: Sealer; readonly passphraseId: string }
  | { readonly kind: "plain" }
  | { readonly kind: "locked" };

export async function openVault({ ledger, file, warn }: Needs): Promise<Vault> {
  const store = secretStore(ledger.database);
  let mode: Mode = await start();
  /** Sequential: nothing may be sealed with a passphrase that a rotation is replacing. */
  const exclusively = serial();
  /** Values without a fingerprint that the passphrase does not decrypt. */
  const unreadable = new Set<string>();
  const checked = exclusively(check).catch((error: unknown) => warn("Not all secrets could be checked", error));

  async function start(): Promise<Mode> {
    const found = {
      stored: store.setting("secrets_passphrase"),
      file: file.read(),
      mode: store.setting("secrets_mode") as "user" | undefined,
    };
    const result = await reconcile(
      found,
      (passphrase) => opensOne(store, passphrase),
      () => randomBytes(32).toString("hex"),
    );
    if (result.kind === "ready") {
      if (found.stored !== result.passphrase || found.mode !== result.mode)
        ledger.database.transaction(() => storePassphrase(result.passphrase, result.mode));
      if (found.file !== result.passphrase) updateFile(() => file.write(result.passphrase));
      return sealing(result.passphrase);
    }
    if (result.kind === "plain" && found.file !== undefined) updateFile(() => file.remove());
    return { kind: result.kind };
  }

  async function sealing(passphrase: string): Promise<Mode & { kind: "sealing" }> {
    const sealer = createSealer(passphrase);
    return { kind: "sealing", sealer, passphraseId: await sealer.fingerprint(fingerprintSalt()) };
  }
  function fingerprintSalt(): Buffer {
    const stored = store.setting("secrets_fingerprint_salt");
    if (stored !== undefined) return Buffer.from(stored, "hex");
    const salt = randomBytes(16);
    ledger.database.transaction(() => store.setSetting("secrets_fingerprint_salt", salt.toString("hex")));
    return salt;
  }

  /**
   * A generated passphrase that is lost in both locations is replaced by a new one, which does not decrypt older values. The
   * fingerprint of a value's passphrase reveals that. Values without a fingerprint are tried; if they open, it is added.
   */
  async function check(): Promise<void> {
    if (mode.kind !== "sealing") return;
    const { sealer, passphraseId } = mode;
    const opened: StoredValue[] = [];
    for (const row of store.newestOfOthers(passphraseId).filter((it) => it.passphraseId === null))
      await sealer.open(row.value).then(
        () => opened.push({ ...row, passphraseId }),
        () => unreadable.add(keyOf(row)),
      );
    const count = lost(passphraseId);
    if (count > 0) warn(sentence(lostReason(count)), undefined);
    // Last: if the disk is full, the next start tries again, and nothing is reported as lost.
    if (opened.length > 0) ledger.database.transaction(() => opened.forEach((row) => store.replace(row)));
  }
  /** Without values that only snapshots refer to. */
  const lost = (passphraseId: string): number => {
    const secrets = ledger.staged("secret");
    const isLost = (row: StoredValue) => row.passphraseId !== null || unreadable.has(keyOf(row));
    return store.newestOfOthers(passphraseId).filter((row) => secrets.get(row.secretId) && isLost(row)).length;
  };

  function storePassphrase(passphrase: string | undefined, as: "generated" | "user" | "off"): void {
    store.setSetting("secrets_passphrase", passphrase);
    store.setSetting("secrets_mode", as);
  }
  /** The settings, which take precedence, have been changed already. */
  function updateFile(change: () => void): void {
    try {
      change();
    } catch (error) {
      warn("The passphrase's fallback file could not be changed; the next start tries again", error);
    }
  }

  const openValue = async ({ form, value }: StoredValue): Promise<string> => {
    if (form === "plain") return value;
    if (mode.kind !== "sealing") throw new Undecipherable("There is no passphrase");
    return mode.sealer.open(value);
  };

  /** Writes all rows in their new form together with the passphrase, in one transaction. */
  function rewrite(cause: Cause, rows: readonly StoredValue[], passphrase: string | undefined): void {
    ledger.change(cause, (draft) => {
      for (const row of rows) store.replace(row);
      storePassphrase(passphrase, passphrase === undefined ? "off" : "user");
      draft.about("secrets", { secrets: rows.length });
    });
  }

  async function setPassphrase(cause: Cause, passphrase: string): Promise<void> {
    const next = await sealing(passphrase);
    const { sealer: fresh, passphraseId } = next;
    const rows = store.all();
    // A locked vault is unlocked with the passphrase of its rows; it does not get a new one.
    if (mode.kind === "locked") {
      await openAll(rows, ({ form, value }) => (form === "plain" ? Promise.resolve(value) : fresh.open(value)));
      const opened = rows.map((row) => (row.form === "enc" ? { ...row, passphraseId } : row));
      rewrite(cause, opened, passphrase);
    } else {
      const values = await openAll(rows, openValue);
      const sealed = await inParallel(rows, async (row, index) => ({
        ...row,
        form: "enc" as const,
        value: await fresh.seal(values[index]!),
        passphraseId,
      }));
      rewrite(cause, sealed, passphrase);
    }
    mode = next;
    updateFile(() => file.write(passphrase));
    ledger.database.checkpoint();
  }

  async function clearPassphrase(cause: Cause): Promise<void> {
    const rows = store.all();
    const values = await openAll(rows, openValue);
    rewrite(
      cause,
      rows.map((row, index) => ({ ...row, form: "plain", value: values[index]!, passphraseId: null })),
      undefined,
    );
    mode = { kind: "plain" };
    updateFile(() => file.remove());
    ledger.database.checkpoint();
  }

  const attempted = attemptedValues();

  /** Runs exclusively. */
  async function seal(value: string): Promise<Omit<StoredValue, "secretId" | "version">> {
    if (mode.kind === "locked")
      throw new Problem("secrets_undecipherable", {}, { message: "The passphrase is lost; set it again first" });
    return mode.kind === "plain"
      ? { form: "plain", value, passphraseId: null }
      : { form: "enc", value: await mode.sealer.seal(value), passphraseId: mode.passphraseId };
  }
  async function keepLater<T>(
    attempt: Attempt,
    value: string,
    write: (put: (secretId: string) => number) => T,
    known: string | undefined,
  ): Promise<T> {
    const isSame = known !== undefined && (await isNewest(attempt, known, value));
    return write((secretId) =>
      isSame && secretId === known
        ? newest(attempt, secretId)
        : attempted.add(attempt, { secretId, version: newest(attempt, secretId) + 1, value }),
    );
  }
  const newest = (attempt: Attempt, secretId: string): number =>
    attempted.newest(attempt, secretId)?.version ?? store.lastVersion(secretId);
  const isNewest = async (attempt: Attempt, secretId: string, value: string): Promise<boolean> => {
    const waiting = attempted.newest(attempt, secretId);
    const row = waiting ? undefined : store.find(secretId, store.lastVersion(secretId));
    // A value that cannot be decrypted is replaced.
    return (waiting?.value ?? (row && (await openValue(row).catch(() => undefined)))) === value;
  };

  return {
    keep: (value, write, known) => {
      const attempt = ledger.attempting();
      if (attempt) return keepLater(attempt, value, write, known);
      return exclusively(async () => {
        const kept = await seal(value);
        return write((secretId) => {
          const version = store.lastVersion(secretId) + 1;
          store.add({ secretId, version, ...kept });
          return version;
        });
      });
    },
    keepAttempted: (attempt, write) =>
      exclusively(async () => {
        const rows = await inParallel(attempted.all(attempt), async ({ secretId, version, value }) => ({
          secretId,
          version,
          ...(await seal(value)),
        }));
        return write(() => rows.forEach((row) => store.add(row)));
      }),
    has: (secretId) => store.lastVersion(secretId) > 0,
    reveal: async (secretId, version = store.lastVersion(secretId)) => {
      const waiting = attempted.find(ledger.attempting(), secretId, version);
      if (waiting) return waiting.value;
      const row = store.find(secretId, version);
      if (!row) throw new Problem("secrets_undecipherable", { secret: secretId });
      try {
        return await openValue(row);
      } catch (cause) {
        throw new Problem("secrets_undecipherable", { secret: secretId }, { cause });
      }
    },
    setPassphrase: (cause, passphrase) => exclusively(() => setPassphrase(cause, passphrase)),
    clearPassphrase: (cause) => exclusively(() => clearPassphrase(cause)),
    status: () => {
      const forms = new Map<string, boolean>();
      for (const { secretId, form } of store.all())
        forms.set(secretId, form === "enc" && (forms.get(secretId) ?? true));
      return {
        encrypted: mode.kind !== "plain",
        total_secrets: forms.size,
        encrypted_count: [...forms.values()].filter(Boolean).length,
      };
    },
    health: async () => {
      await checked;
      const count = mode.kind === "sealing" ? lost(mode.passphraseId) : 0;
      if (count > 0) return component("secrets", "failed", lostReason(count));
      return components[mode.kind];
    },
    prune: (isNamed) => {
      const orphans = store
        .all()
        .filter(({ secretId, version }) => !isNamed(secretId, version, store.lastVersion(secretId)));
      if (orphans.length === 0) return;
      ledger.database.transaction(() => orphans.forEach((it) => store.remove(it.secretId, it.version)));
      ledger.database.checkpoint();
    },
  };
}

const keyOf = ({ secretId, version }: StoredValue): string => `${secretId} ${version}`;

const lostReason = (count: number): Reason =>
  count === 1 ? because("secret_lost") : because("secrets_lost", { secrets: count });

const components = {
  sealing: component("secrets", "ok", because("secrets_encrypted")),
  plain: component("secrets", "degraded", because("secrets_plain")),
  locked: component("secrets", "failed", because("secrets_locked")),
};

/** All values decrypted, or a problem with the number of failures; nothing has changed by then. */
async function openAll(rows: readonly StoredValue[], open: (row: StoredValue) => Promise<string>): Promise<string[]> {
  const failed: string[] = [];
  const values = await inParallel(rows, async (row) => {
    try {
      return await open(row);
    } catch (error) {
      if (!(error instanceof Undecipherable)) throw error;
      failed.push(row.secretId);
      return "";
    }
  });
  if (failed.length > 0)
    throw new Problem("secrets_undecipherable", { undecipherable: failed.length, secrets: failed.slice(0, 20) });
  return values;
}

/** Keys are derived in libuv's threads; more parallel tasks than threads only cost memory. */
async function inParallel<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index]!, index);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return results;
}

/** Whether a passphrase decrypts the stored values; true if there are none. */
async function opensOne(store: SecretStore, passphrase: string): Promise<boolean> {
  const sample = store.all().find(({ form }) => form === "enc");
  if (!sample) return true;
  return createSealer(passphrase)
    .open(sample.value)
    .then(
      () => true,
      () => false,
    );
}
