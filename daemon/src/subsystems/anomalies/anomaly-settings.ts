import type { InputOf } from "@portcullis/contract/endpoint";
import type { anomalies, AnomalySettings } from "@portcullis/contract/subsystems/anomalies";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { given } from "../resources.ts";

/** One resource, which exists once a setting was changed. */
const id = "anomaly_detection";

const defaults: AnomalySettings = { enabled: true, sensitivity: "medium", learning_days: 14 };

export function anomalySettings({ ledger }: { readonly ledger: Ledger }) {
  const collection = ledger.staged<{ readonly id: string } & Partial<AnomalySettings>>(id);
  const get = (): AnomalySettings => {
    const { id: _, ...stored } = collection.get(id) ?? { id };
    return { ...defaults, ...stored };
  };
  return {
    get,
    put: (cause: Cause, body: InputOf<typeof anomalies.updateSettings>["body"]): AnomalySettings => {
      ledger.change(cause, (draft) => draft.put(id, { ...collection.get(id), ...given(body), id }));
      return get();
    },
  };
}
