import type { Tunnel, TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import { isUp } from "../../components/tunnels/condition.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { EntryDialog } from "../../ui/body-form.tsx";
import { useToast } from "../../ui/toasts.tsx";

interface EditProps {
  readonly tunnel: Tunnel;
  readonly policies: readonly TunnelEgress[];
  readonly onClose: () => void;
}

/** The settings of the gateway; the others come from the imported file. */
export function EditDialog({ tunnel, policies, onClose }: EditProps) {
  const t = useTranslation().tunnels;
  const toast = useToast();
  const format = useFormat();
  return (
    <EntryDialog<"tunnels", "name" | "mtu" | "probe_target" | "enabled">
      of="tunnels"
      row={tunnel}
      onClose={onClose}
      invalidates={["policyViews"]}
      onDone={({ name = "" }) => toast.done(t.saved(name))}
      title={t.editTitle(tunnel.name)}
      fields={({ enabled }) => [
        "name",
        ["mtu", "probe_target"],
        "enabled",
        enabled === false && isUp(tunnel) && policies.length > 0 && (
          <p key="stops" className="problem" role="status">
            {t.editStops(format.list(policies.map(({ policy }) => policy)))}
          </p>
        ),
      ]}
      texts={{
        name: t.name,
        mtu: { label: t.mtu, hint: t.mtuHint },
        probe_target: { label: t.probeTarget, hint: t.probeHint },
        enabled: { label: t.enabledField, hint: t.enabledHint },
      }}
    />
  );
}
