import type { Control } from "@portcullis/contract/privacy-controls";
import type { ControlState } from "@portcullis/contract/subsystems/privacy";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

interface ControlChange {
  readonly control: Control;
  /** null: the device's own setting is removed. */
  readonly enabled: boolean | null;
  /** The previous value, for undo. */
  readonly before: boolean | null;
  /** Absent: the default for all devices. */
  readonly device?: { readonly id: string; readonly name: string };
}

/** Sets one control, for a device or for all devices. Takes effect with the response, and can be undone. */
export function useControlSwitch(): (setControl: ControlChange) => void {
  const { privacy: t, devices } = useTranslation();
  const toast = useToast();
  const invalidated = { invalidates: ["devices", "policyViews", "audit"] } as const;
  const acts = {
    force_dns: useAction("privacy", "forceDns", invalidated),
    block_doh: useAction("privacy", "blockDoh", invalidated),
    block_ipv6: useAction("privacy", "blockIpv6", invalidated),
    block_webrtc: useAction("privacy", "blockWebrtc", invalidated),
  } satisfies Record<Control, unknown>;
  const send = ({ control, enabled, device }: ControlChange, onSuccess?: (state: ControlState) => void) =>
    acts[control].mutate(
      { body: { enabled, ...(device && { device_id: device.id }) } },
      { onError: toast.failed, ...(onSuccess && { onSuccess }) },
    );
  const setControl = (wanted: ControlChange) => {
    const { control, enabled, before, device } = wanted;
    const label = devices.belongings.privacy.long[control];
    const done =
      enabled === null ? t.switchedBack(label, device?.name ?? "") : t.switched(label, enabled, device?.name ?? null);
    const back = () => send({ ...wanted, enabled: before });
    send(wanted, ({ enforced }) => toast.done(enforced ? done : t.unenforced(done), back));
  };
  return setControl;
}
