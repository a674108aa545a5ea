import type { SplittingEndpoint } from "@portcullis/contract/subsystems/splitting";
import { useTranslation } from "../../i18n/i18n.tsx";
import { EntryDialog } from "../../ui/body-form.tsx";
import { SelectField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toasts.tsx";

interface DialogProps {
  /** Absent: a new endpoint. */
  readonly endpoint?: SplittingEndpoint | undefined;
  readonly onClose: () => void;
}

export function EndpointDialog({ endpoint, onClose }: DialogProps) {
  const { splitting: t } = useTranslation();
  const toast = useToast();
  return (
    <EntryDialog<"splittingEndpoints", "tunnel_id" | "weight" | "target" | "bytes_per_second" | "name" | "enabled">
      of="splittingEndpoints"
      row={endpoint}
      first={{ role: "member", enabled: true }}
      onClose={onClose}
      invalidates={["splitting"]}
      onDone={() => toast.done(t.saved)}
      title={endpoint ? t.editOne : t.addOne}
      fields={({ role = "member" }, set) => [
        "tunnel_id",
        <SelectField
          key="role"
          label={t.role}
          name="role"
          hint={t.roleHints[role]}
          value={role}
          // Cover traffic starts only when it is enabled explicitly.
          onChange={(next) => set({ role: next, enabled: next === "member" })}
          options={[
            { value: "member", label: t.roles.member },
            { value: "cover", label: t.roles.cover },
          ]}
        />,
        role === "member" && "weight",
        role === "cover" && "target",
        role === "cover" && "bytes_per_second",
        "name",
        "enabled",
      ]}
      texts={{
        tunnel_id: t.tunnel,
        weight: { label: t.weight, hint: t.weightHint },
        target: { label: t.target, hint: t.targetHint, needed: true },
        bytes_per_second: t.rate,
        name: t.name,
        enabled: t.enabled,
      }}
      examples={{ target: "192.0.2.1" }}
    />
  );
}
