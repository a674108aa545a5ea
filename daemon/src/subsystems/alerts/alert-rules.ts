import { type AlertRule, type AlertRuleName, alertRuleNames } from "@portcullis/contract/subsystems/alerts";
import type { InputOf } from "@portcullis/contract/endpoint";
import type { alerts } from "@portcullis/contract/subsystems/alerts";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { given } from "../resources.ts";

const hourSec = 3600;

type Defaults = Pick<AlertRule, "severity" | "window_sec" | "ends"> & { readonly cooldown_sec?: number };

const defaults: Readonly<Record<AlertRuleName, Defaults>> = {
  "leak-detected": { severity: "critical", window_sec: hourSec, ends: "event" },
  "killswitch-engaged": { severity: "critical", window_sec: hourSec, ends: "event" },
  "direct-fallback": { severity: "critical", window_sec: hourSec, ends: "event" },
  "tunnel-down": { severity: "warning", window_sec: hourSec, ends: "event" },
  "tunnel-flap": { severity: "warning", window_sec: hourSec, ends: "window" },
  "dns-plane-down": { severity: "critical", window_sec: hourSec, ends: "event" },
  "dns-bypass": { severity: "warning", window_sec: hourSec, ends: "window" },
  "port-scan": { severity: "warning", window_sec: hourSec, ends: "window" },
  "drift-detected": { severity: "warning", window_sec: hourSec, ends: "window" },
  "new-device": { severity: "info", window_sec: 24 * hourSec, ends: "window", cooldown_sec: 0 },
  "resource-exhaustion": { severity: "warning", window_sec: hourSec, ends: "event" },
  "cert-expiry-critical": { severity: "warning", window_sec: hourSec, ends: "event" },
  "cert-expired": { severity: "critical", window_sec: hourSec, ends: "event" },
};

/** A rule that was changed is a resource; the others have their defaults. */
type StoredRule = { readonly id: string } & Partial<Omit<AlertRule, "id" | "ends">>;

export function alertRules({ ledger }: { readonly ledger: Ledger }) {
  const collection = ledger.staged<StoredRule>("alert_rule");
  const get = (id: AlertRuleName): AlertRule => ({
    enabled: true,
    threshold: 1,
    cooldown_sec: 300,
    muted_until: null,
    muted_resources: [],
    ...defaults[id],
    ...collection.get(id),
    id,
  });
  return {
    get,
    list: (): AlertRule[] => alertRuleNames.map(get),
    update: (cause: Cause, id: AlertRuleName, body: InputOf<typeof alerts.updateRule>["body"]): AlertRule => {
      ledger.change(cause, (draft) => draft.put("alert_rule", { ...collection.get(id), ...given(body), id }));
      return get(id);
    },
  };
}
