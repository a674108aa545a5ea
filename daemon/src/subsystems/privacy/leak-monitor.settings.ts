import type { InputOf } from "@portcullis/contract/endpoint";
import type { LeakMonitorSettings, privacy, PublishedLeakMonitor } from "@portcullis/contract/subsystems/privacy";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { given, refuseField } from "../resources.ts";

/** One resource, which exists once a setting was changed. */
export const leakMonitorId = "leak_monitor";

/** Checks run automatically; foreign servers are contacted only if an operator sets them. */
export const defaultLeakMonitor: LeakMonitorSettings = {
  enabled: true,
  delay_sec: 5,
  address_echo_url: null,
  resolver_echo_name: null,
};

/** The settings of the leak monitor. */
export function leakMonitorSettings({ ledger }: { readonly ledger: Ledger }) {
  const collection = ledger.staged<PublishedLeakMonitor>("leak_monitor");
  const stored = (): PublishedLeakMonitor => collection.get(leakMonitorId) ?? { id: leakMonitorId };
  const get = (): LeakMonitorSettings => {
    const { id: _, ...settings } = stored();
    return { ...defaultLeakMonitor, ...settings };
  };
  return {
    get,
    /** Fields that are not given keep their value. */
    put: (cause: Cause, body: InputOf<typeof privacy.putLeakMonitor>["body"]): LeakMonitorSettings => {
      if (body.address_echo_url != null && URL.parse(body.address_echo_url) === null)
        refuseField("address_echo_url", "is not a valid URL");
      ledger.change(cause, (draft) => draft.put("leak_monitor", { ...stored(), ...given(body) }));
      return get();
    },
  };
}
