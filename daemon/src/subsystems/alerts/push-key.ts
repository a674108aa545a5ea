import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { serial } from "../../system/async.ts";
import { newPushKey, publicPushKey } from "./web-push.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly vault: {
    readonly keep: <T>(value: string, write: (put: (secretId: string) => number) => T) => Promise<T>;
    readonly reveal: (secretId: string) => Promise<string>;
    readonly has: (secretId: string) => boolean;
  };
}

/** The key by which push services know this gateway. It is made with the first subscription, and sealed. */
export function pushKeys({ ledger, vault }: Needs) {
  const inTurn = serial();
  return {
    /** For messages: there is no subscription without a key. */
    reveal: (): Promise<string> => vault.reveal(keyName),
    /** For browsers. */
    open: (cause: Cause): Promise<string> =>
      inTurn(async () => {
        if (vault.has(keyName)) {
          const key = await vault.reveal(keyName);
          ledger.change(cause, (draft) => draft.about(keyName));
          return publicPushKey(key);
        }
        const fresh = newPushKey();
        await vault.keep(fresh, (put) =>
          ledger.change(cause, (draft) => {
            put(keyName);
            draft.about(keyName, { created: true });
          }),
        );
        return publicPushKey(fresh);
      }),
  };
}

const keyName = "web_push_key";
