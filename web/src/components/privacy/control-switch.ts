import type { Control } from "@portcullis/contract/privacy-controls";
import type { ControlState } from "@portcullis/contract/subsystems/privacy";
import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";

interface Turn {
  readonly control: Control;
  /** null: the device's own setting is removed. */
  readonly enabled: boolean | null;
  /** The previous value, for undo. */
  readonly before: boolean | null;
  /** Absent: the default for all devices. */
  readonly device?: { readonly id: string; readonly name: string };
}

/** Sets one control, for a device or for all devices. Takes effect with the response, and can be undone. */
export function useControlSwitch(): (turn: Turn) => void {
  const { privacy: say, devices } = useWords();
  const toast = useToast();
  const renewed = { renews: ["devices", "policyViews", "audit"] } as const;
  const acts = {
    force_dns: useAct("privacy", "forceDns", renewed),
    block_doh: useAct("privacy", "blockDoh", renewed),
    block_ipv6: useAct("privacy", "blockIpv6", renewed),
    block_webrtc: useAct("privacy", "blockWebrtc", renewed),
  } satisfies Record<Control, unknown>;
  const send = ({ control, enabled, device }: Turn, onSuccess?: (state: ControlState) => void) =>
    acts[control].mutate(
      { body: { enabled, ...(device && { device_id: device.id }) } },
      { onError: toast.failed, ...(onSuccess && { onSuccess }) },
    );
  const turn = (wanted: Turn) => {
    const { control, enabled, before, device } = wanted;
    const label = devices.belongings.privacy.long[control];
    const done =
      enabled === null
        ? say.switchedBack(label, device?.name ?? "")
        : say.switched(label, enabled, device?.name ?? null);
    const back = () => send({ ...wanted, enabled: before });
    send(wanted, ({ enforced }) => toast.done(enforced ? done : say.unenforced(done), back));
  };
  return turn;
}
