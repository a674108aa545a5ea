import type { Device } from "@portcullis/contract/subsystems/devices";
import { StopDialog } from "../ui/floating.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAct } from "../api/reading.ts";
import { useFormat, useWords } from "../i18n/i18n.tsx";
import { renewedByDevice } from "./device-change.ts";
import { useMentions } from "./device-mentions.ts";

interface Props {
  readonly device: Device;
  readonly onClose: () => void;
  readonly onGone?: () => void;
}

/** Lists the entries that no longer match any device after the removal. */
export function DeviceRemoval({ device, onClose, onGone }: Props) {
  const { devices, kit } = useWords();
  const say = devices.removal;
  const [format, toast] = [useFormat(), useToast()];
  const remove = useAct("devices", "remove", { renews: renewedByDevice });
  const { mentions, isReady } = useMentions(device);
  const policies = mentions.filter(({ kind }) => kind === "policy").map(({ name }) => name);
  const names = mentions.length - policies.length;
  return (
    <StopDialog
      onClose={onClose}
      title={say.title(device.name)}
      says={
        <div className="stack tight">
          <p>{say.forgotten(device.name)}</p>
          {!isReady && <p className="quiet">{kit.loading}</p>}
          {policies.length > 0 && <p>{say.policies(policies.length, format.list(policies))}</p>}
          {names > 0 && <p>{say.names(names)}</p>}
          {device.state === "quarantined" && <p>{say.wasQuarantined}</p>}
        </div>
      }
      action={say.action}
      act={async () => {
        await remove.mutateAsync({ params: { id: device.id } });
        toast.done(say.done(device.name));
        onGone?.();
      }}
    />
  );
}
