import type { Bootstrap } from "./bootstrap/keys.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { authRoutes } from "./subsystems/auth/auth.routes.ts";
import { authService } from "./subsystems/auth/auth.service.ts";
import { authStore } from "./subsystems/auth/auth.store.ts";
import { openKeys } from "./subsystems/auth/keys.ts";
import { openSessions } from "./subsystems/auth/sessions.ts";
import type { Vault } from "./subsystems/secrets/vault.ts";

interface Needs {
  readonly access: Bootstrap["auth"];
  readonly ledger: Ledger;
  readonly vault: Vault;
  /** Somebody may not be who they were: whoever holds a line open is looked at again. */
  readonly onChange: () => void;
  readonly now: () => Date;
}

/** Who may come in: the account, its sessions, and the keys. */
export async function openDoor({ access, ledger, vault, onChange, now }: Needs) {
  const store = authStore(ledger.database);
  const keys = openKeys({ ledger, store, bootstrapKeys: access.api_keys, now });
  const sessions = await openSessions({ ledger, store, vault, usableKey: keys.find, onChange, now });
  const { enabled, local_net: localNet } = access;
  const auth = authService({ enabled, localNet, ledger, store, sessions, keys });
  return { auth, handlers: authRoutes({ service: auth, sessions, keys }) };
}
