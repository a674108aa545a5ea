import type { Device } from "@portcullis/contract/subsystems/devices";
import { useDeviceChange } from "../../components/device-change.ts";
import type { Belongings } from "../../components/effective-class.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import type { MenuItem } from "../../ui/floating.tsx";
import type { DeviceAction } from "./actions.ts";

/** With more options than this, the dialog is used: a menu of hundreds is not usable. */
const maxChoices = 10;

/** The actions of one device. */
export function useMenuItems(belongings: Belongings, onAction: (action: DeviceAction) => void) {
  const { devices: t, ui } = useTranslation();
  const change = useDeviceChange();
  const needs = ["devices", "update"] as const;
  const few = <T>(all: ReadonlyMap<string, T>): T[] => (all.size > maxChoices ? [] : [...all.values()]);
  const [trust, privacy, groups] = [few(belongings.trust), few(belongings.privacy), few(belongings.groups)];
  return (device: Device): (MenuItem | { readonly title: string } | false)[] => {
    const { name, state, group_ids } = device;
    const classItem = (it: { id: string; name: string }, field: "privacy_class" | "trust_class"): MenuItem => {
      const isIt = device[field] === it.id;
      return {
        label: field === "privacy_class" ? t.menu.privacy(it.name) : t.menu.trust(it.name),
        ...(isIt && { icon: "check" }),
        needs,
        onPress: () =>
          change(
            device,
            { [field]: isIt ? null : it.id },
            isIt ? t.done.outOf(name, it.name) : t.done.inClass(name, it.name),
          ),
      };
    };
    const groupItem = (it: { id: string; name: string }): MenuItem => {
      const isIn = group_ids.includes(it.id);
      return {
        label: t.menu.group(it.name),
        ...(isIn && { icon: "check" }),
        needs,
        onPress: () =>
          change(
            device,
            { group_ids: isIn ? group_ids.filter((id) => id !== it.id) : [...group_ids, it.id] },
            isIn ? t.done.outOf(name, it.name) : t.done.inGroup(name, it.name),
          ),
      };
    };
    return [
      { label: ui.edit, icon: "edit", needs, onPress: () => onAction({ kind: "edit", device }) },
      state === "quarantined"
        ? {
            label: t.menu.release,
            needs,
            onPress: () => change(device, { state: "known" }, t.done.released(name)),
          }
        : {
            label: t.menu.quarantine,
            needs,
            onPress: () => change(device, { state: "quarantined" }, t.done.quarantined(name)),
          },
      state === "new" && {
        label: t.menu.known,
        icon: "check",
        needs,
        onPress: () => change(device, { state: "known" }, t.done.known(name)),
      },
      privacy.length + trust.length > 0 && { title: t.classes },
      ...privacy.map((it) => classItem(it, "privacy_class")),
      ...trust.map((it) => classItem(it, "trust_class")),
      groups.length > 0 && { title: t.groups },
      ...groups.map(groupItem),
      {
        label: t.menu.remove,
        icon: "remove",
        danger: true,
        needs: ["devices", "remove"],
        onPress: () => onAction({ kind: "remove", device }),
      },
    ];
  };
}
