import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { Secret, secrets } from "@portcullis/contract/subsystems/secrets";
import type { Cause, Draft } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { found, given, newId, pageOf, refuseFull } from "../resources.ts";
import type { Vault } from "./vault.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly now: () => Date;
  readonly refuseInUse: (kind: string, id: string) => void;
}

/** A secret that belongs to another resource, with the name of that resource. */
interface Owned {
  readonly id: string | undefined;
  readonly purpose: "tunnel" | "proxy" | "dns_extfilter" | "alert_channel" | "mqtt";
  readonly name: string;
  readonly value: string;
}

export type Secrets = ReturnType<typeof secretService>;

/** Secrets of the inventory have UUIDs; the gateway's internal secrets, such as the session key, have names. */
const ids = /^[0-9a-f-]{36}$/;

/** The inventory of secrets: a secret is a published resource with a version number; its value is stored separately, sealed. */
export function secretService({ ledger, vault, now, refuseInUse }: Needs) {
  const collection = ledger.staged<Secret>("secret");

  const stored = (name: string): Secret | undefined =>
    collection.all().find((it) => it.purpose === "stored" && it.name === name);

  function own(id: string): Secret {
    const secret = found(collection, "secret", id);
    if (secret.purpose !== "stored")
      throw new Problem("conflict", { purpose: secret.purpose }, { message: "The gateway manages this secret itself" });
    return secret;
  }
  function refuseNameTaken(name: string, id?: string): void {
    const existing = stored(name);
    if (existing && existing.id !== id)
      throw new Problem(
        "conflict",
        { field: "name", existing_id: existing.id },
        { message: "Another secret has this name" },
      );
  }

  /**
   * Stores a new value as a new version; older versions are kept for the snapshots that refer to them. Sealing takes
   * time, so that `revise` runs afterwards: concurrent changes are kept.
   */
  function keep(cause: Cause, value: string, revise: () => Secret, known?: string): Promise<Secret> {
    return vault.keep(
      value,
      (put) =>
        ledger.change(cause, (draft) => {
          const secret = revise();
          if (secret.purpose === "stored") refuseNameTaken(secret.name, secret.id);
          const kept = inVersion(secret, put(secret.id));
          draft.put("secret", kept);
          draft.about(kept.id);
          return kept;
        }),
      known,
    );
  }
  const inVersion = (secret: Secret, version: number): Secret =>
    version === secret.version ? secret : { ...secret, version, updated_at: now().toISOString() };
  const blank = (name: string, purpose: Secret["purpose"], description = ""): Secret => {
    const at = now().toISOString();
    return { id: newId(), name, description, purpose, version: 0, created_at: at, updated_at: at };
  };

  return {
    list: (query: { limit?: number; cursor?: string }) => pageOf(collection, query),
    get: (id: string): Secret => found(collection, "secret", id),
    create: async (
      cause: Cause,
      { name, value, description }: InputOf<typeof secrets.create>["body"],
    ): Promise<Secret> => {
      refuseFull(collection, "secrets");
      refuseNameTaken(name);
      return keep(cause, value, () => blank(name, "stored", description));
    },
    update: async (
      cause: Cause,
      id: string,
      { value, ...rest }: InputOf<typeof secrets.update>["body"],
    ): Promise<Secret> => {
      const revise = () => ({ ...own(id), ...given(rest) });
      const secret = revise();
      if (value !== undefined) return keep(cause, value, revise, id);
      return ledger.change(cause, (draft) => {
        refuseNameTaken(secret.name, id);
        draft.put("secret", secret);
        return secret;
      });
    },
    remove: (cause: Cause, id: string): void => {
      own(id);
      refuseInUse("secret", id);
      ledger.change(cause, (draft) => draft.remove("secret", id));
    },

    /**
     * Seals a value that belongs to another resource and writes both in one transaction. Without an id the secret is
     * new.
     */
    keepFor: <T>(
      cause: Cause,
      { id, purpose, name, value }: Owned,
      write: (draft: Draft, secret: { readonly id: string; readonly version: number }) => T,
    ): Promise<T> =>
      vault.keep(
        value,
        (put) =>
          ledger.change(cause, (draft) => {
            const secret = (id === undefined ? undefined : collection.get(id)) ?? blank(name, purpose);
            const kept = inVersion({ ...secret, name }, put(secret.id));
            draft.put("secret", kept);
            return write(draft, { id: kept.id, version: kept.version });
          }),
        id,
      ),
    revealFor: ({ id, version }: { readonly id: string; readonly version: number }): Promise<string> =>
      vault.reveal(id, version),
    /** Renames the secret together with its resource, in the same transaction. */
    renameFor: (draft: Draft, id: string, name: string): void => {
      const secret = collection.get(id);
      if (secret) draft.put("secret", { ...secret, name } as Secret);
    },
    forgetFor: (draft: Draft, id: string): void => draft.remove("secret", id),
    /** After retention: destroys values that no document refers to, and replaced values of internal secrets. */
    prune: (): void => {
      const named = new Set(ledger.releases.versions("secret").map((it) => `${it.id} ${(it as Secret).version}`));
      vault.prune((id, version, newest) => (ids.test(id) ? named.has(`${id} ${version}`) : version === newest));
    },
  };
}
