import { because } from "@portcullis/contract/reason";
import { join } from "node:path";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import type { Bootstrap } from "../../config/keys.ts";
import type { Live } from "../../http/live.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { GatewayHandlers } from "../module.ts";
import { privateFile } from "../private-file.ts";
import { authRoutes } from "../../subsystems/auth/auth.routes.ts";
import { authService } from "../../subsystems/auth/auth.service.ts";
import { authStore } from "../../subsystems/auth/auth.store.ts";
import { recordFailedLogins } from "../../subsystems/auth/failed-logins.ts";
import { openLoginThrottle } from "../../subsystems/auth/login-throttle.ts";
import { openKeys } from "../../subsystems/auth/keys.ts";
import { openSessions } from "../../subsystems/auth/sessions.ts";
import { openSetupCode } from "../../subsystems/auth/setup-code.ts";
import type { Vault } from "../../subsystems/secrets/vault.ts";
import type { System } from "../../system/system.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly system: System;
  readonly live: Live;
  readonly now: () => Date;
}

/** Access to the API: the admin account, its sessions, API keys, and the event stream. */
export async function openAccess({ bootstrap, ledger, vault, system, live, now }: Needs) {
  const { auth: access, paths, limits } = bootstrap;
  const store = authStore(ledger.database);
  const keys = openKeys({ ledger, store, bootstrapKeys: access.api_keys, now });
  // After a change of credentials the open streams are checked again.
  const sessions = await openSessions({ ledger, store, vault, usableKey: keys.find, onChange: live.review, now });
  const { enabled, local_net: localNet } = access;
  const setupCode = openSetupCode({
    file: privateFile(system, join(paths.state, "setup-code"), 0o600),
    isClaimed: () => store.admin() !== undefined || keys.hasAdmin(),
  });
  const nowMs = () => now().getTime();
  const throttle = openLoginThrottle({ free: limits.logins_per_minute, nowMs });
  const onFailure = recordFailedLogins({ ledger, announce: live.announce, nowMs });
  const auth = authService({ enabled, localNet, ledger, store, sessions, keys, setupCode, throttle, onFailure });
  return {
    auth,
    handlers: {
      auth: authRoutes({ service: auth, sessions, keys }),
      events: { stream: (_, { lastEventId, caller }) => live.listen(lastEventId, auth.listener(caller)) },
    } satisfies Partial<GatewayHandlers>,
    setupCode: setupCode.current,
    components: [(): Component => accessComponent(enabled, setupCode.current() !== undefined)],
  };
}

/** Reports in `GET /observer` that the gateway has no admin yet. */
function accessComponent(enabled: boolean, isUnclaimed: boolean): Component {
  if (!enabled) return component("access", "off", because("access_off"));
  if (!isUnclaimed) return component("access", "ok", because("access_owned"));
  return component("access", "degraded", because("access_unclaimed"));
}
