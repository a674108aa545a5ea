import type { Device } from "@portcullis/contract/subsystems/devices";
import { useTranslation } from "../i18n/i18n.tsx";
import { EntryDialog } from "../ui/body-form.tsx";
import { useToast } from "../ui/toasts.tsx";
import { invalidatedByDevice } from "./device-change.ts";

interface Props {
  /** Absent: a device is added. */
  readonly device?: Device;
  /** For a device that is added: the MAC address that was seen on the LAN; empty: none. */
  readonly mac?: string;
  /** Only the identifying fields. Saving marks the device as known. */
  readonly brief?: boolean;
  readonly onClose: () => void;
}

type Field = "name" | "mac" | "hostname" | "vendor" | "ips" | "trust_class" | "privacy_class" | "group_ids" | "notes";

/** Adds or edits a device. Mounted only while it is open. */
export function DeviceDialog({ device, mac = "", brief = false, onClose }: Props) {
  const { ui, devices } = useTranslation();
  const t = devices.form;
  const toast = useToast();
  return (
    <EntryDialog<"devices", Field>
      of="devices"
      row={device}
      first={mac === "" ? {} : { mac }}
      onClose={onClose}
      invalidates={invalidatedByDevice}
      onDone={({ name = "" }) => toast.done(device ? t.saved(name) : t.added(name))}
      title={brief ? t.who : device ? t.edit(device.name) : t.add}
      action={brief ? t.known : device ? ui.save : ui.add}
      fields={[
        brief && device !== undefined && (
          <p key="traces" className="quiet wrap">
            {traces(device).join(" · ")}
          </p>
        ),
        brief ? "name" : ["name", "vendor"],
        !brief && ["mac", "hostname"],
        !brief && "ips",
        ["trust_class", "privacy_class"],
        "group_ids",
        !brief && "notes",
      ]}
      texts={({ ips = [] }) => ({
        name: t.name,
        mac: t.mac,
        hostname: t.hostname,
        vendor: t.vendor,
        ips: { label: t.addresses, hint: t.addressesHint(ips.length) },
        trust_class: t.trust,
        privacy_class: t.privacy,
        group_ids: t.groups,
        notes: t.notes,
      })}
      areas={["notes"]}
      examples={{ name: t.nameExample, mac: "02:00:00:00:00:01", ips: "10.0.0.20" }}
      // Identifying a device marks it as known, with or without other changes.
      body={() => (brief ? { state: "known" as const } : {})}
      alwaysSaves={brief}
    />
  );
}

/** What the network reports about a new device. */
const traces = ({ vendor, hostname, mac, ips }: Device): string[] =>
  [vendor, hostname, mac, ...ips.slice(0, 2)].filter((it) => it !== null);
