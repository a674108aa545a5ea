import type { InputOf } from "@portcullis/contract/endpoint";
import type { Device, devices } from "@portcullis/contract/subsystems/devices";
import { useQueryClient } from "@tanstack/react-query";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../api/queries.ts";

export type DeviceFields = InputOf<typeof devices.update>["body"];

/** Queries that a device change invalidates, besides the devices. */
export const invalidatedByDevice = ["policyViews", "deviceGroups", "audit", "discovery"] as const;

/**
 * Changes a device at once and offers an undo. The change is shown before the gateway has answered: with thousands of
 * devices, refetching them takes too long for a button.
 */
export function useDeviceChange(): (device: Device, fields: DeviceFields, done: string) => void {
  const [toast, queries] = [useToast(), useQueryClient()];
  const { mutateAsync } = useAction("devices", "update", { invalidates: invalidatedByDevice });
  const show = (id: string, fields: DeviceFields) => {
    const changed = (it: Device): Device => (it.id === id ? ({ ...it, ...fields } as Device) : it);
    queries.setQueriesData<Device[]>({ queryKey: ["devices", "list", "every row"] }, (all) => all?.map(changed));
    queries.setQueriesData<Device>({ queryKey: ["devices", "get"] }, (one) => one && changed(one));
  };
  const send = (id: string, fields: DeviceFields) => {
    show(id, fields);
    return mutateAsync({ params: { id }, body: fields }).catch((problem: Error) => {
      toast.failed(problem);
      void queries.invalidateQueries({ queryKey: ["devices"] });
    });
  };
  return (device, fields, done) => {
    const before = valuesBefore(device, fields);
    const sent = send(device.id, fields);
    toast.done(done, () => void sent.then(() => send(device.id, before)));
  };
}

/** The current values of the same fields. */
export const valuesBefore = (device: Device, fields: DeviceFields): DeviceFields =>
  Object.fromEntries(Object.keys(fields).map((field) => [field, device[field as keyof Device]]));
