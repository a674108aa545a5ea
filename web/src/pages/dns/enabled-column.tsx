import { RowSwitch } from "../../ui/row-switch.tsx";
import type { Column } from "../../ui/table.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

interface Switched {
  readonly id: string;
  readonly enabled: boolean;
}

/** Enables and disables an entry in its row. */
export function useEnabledColumn<T extends Switched>(
  subsystem: "dnsFilterRules" | "dnsRewrites" | "dnsForwarders" | "dnsZones",
  nameOf: (row: T) => string,
): Column<T> {
  const t = useTranslation().dns.rules;
  const toast = useToast();
  const update = useAction(subsystem, "update", { invalidates: ["dns"] });
  return {
    key: "enabled",
    title: t.enabled,
    width: "5rem",
    cell: (row) => (
      <RowSwitch
        label={t.enabledFor(nameOf(row))}
        needs={[subsystem, "update"]}
        value={row.enabled}
        onChange={(enabled) => update.mutate({ params: { id: row.id }, body: { enabled } }, { onError: toast.failed })}
      />
    ),
  };
}
