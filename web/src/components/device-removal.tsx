import type { Device } from "@portcullis/contract/subsystems/devices";
import { StopDialog } from "../ui/floating.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../api/queries.ts";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";
import { invalidatedByDevice } from "./device-change.ts";
import { useMentions } from "./device-mentions.ts";

interface Props {
  readonly device: Device;
  readonly onClose: () => void;
  readonly onGone?: () => void;
}

/** Lists the entries that no longer match any device after the removal. */
export function DeviceRemoval({ device, onClose, onGone }: Props) {
  const { devices, ui } = useTranslation();
  const t = devices.removal;
  const [format, toast] = [useFormat(), useToast()];
  const remove = useAction("devices", "remove", { invalidates: invalidatedByDevice });
  const { mentions, isReady } = useMentions(device);
  const policies = mentions.filter(({ kind }) => kind === "policy").map(({ name }) => name);
  const names = mentions.length - policies.length;
  return (
    <StopDialog
      onClose={onClose}
      title={t.title(device.name)}
      text={
        <div className="stack tight">
          <p>{t.effect(device.name)}</p>
          {!isReady && <p className="quiet">{ui.loading}</p>}
          {policies.length > 0 && <p>{t.policies(policies.length, format.list(policies))}</p>}
          {names > 0 && <p>{t.names(names)}</p>}
          {device.state === "quarantined" && <p>{t.wasQuarantined}</p>}
        </div>
      }
      action={t.action}
      act={async () => {
        await remove.mutateAsync({ params: { id: device.id } });
        toast.done(t.done(device.name));
        onGone?.();
      }}
    />
  );
}
