import type { Device } from "@portcullis/contract/subsystems/devices";
import { useDraft } from "../ui/draft.ts";
import { AreaField, type Option, SelectField, SwitchField, TextField } from "../ui/form.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../api/queries.ts";
import { useTranslation } from "../i18n/i18n.tsx";
import { useBelongings } from "./device-belongings.ts";
import { invalidatedByDevice } from "./device-change.ts";
import { addressesIn, draftOf, fieldsOf } from "./device-draft.ts";

interface Props {
  /** Absent: a device is added. */
  readonly device?: Device;
  /** For a device that is added: the MAC address that was seen on the LAN; empty: none. */
  readonly mac?: string;
  /** Only the identifying fields. Saving marks the device as known. */
  readonly brief?: boolean;
  readonly onClose: () => void;
}

/** Adds or edits a device. Mounted only while it is open. */
export function DeviceDialog({ device, mac = "", brief = false, onClose }: Props) {
  const { ui, devices } = useTranslation();
  const t = devices.form;
  const toast = useToast();
  const [draft, set] = useDraft(draftOf(device, mac));
  const done = () => {
    toast.done(device ? t.saved(draft.name) : t.added(draft.name));
    onClose();
  };
  const add = useAction("devices", "create", { invalidates: invalidatedByDevice, onDone: done });
  const change = useAction("devices", "update", { invalidates: invalidatedByDevice, onDone: done });
  const act = device ? change : add;
  const save = () => {
    const fields = fieldsOf(draft, brief);
    if (device) change.mutate({ params: { id: device.id }, body: fields });
    else add.mutate({ body: { ...fields, name: draft.name } });
  };
  const lists = useChoices();
  const addresses = addressesIn(draft.ips);
  return (
    <FormDialog
      needs={["devices", "update"]}
      title={brief ? t.who : device ? t.edit(device.name) : t.add}
      onClose={onClose}
      onSave={save}
      busy={act.isPending}
      problem={act.error}
      action={brief ? t.known : device ? ui.save : ui.add}
    >
      {brief && device && <p className="quiet wrap">{traces(device).join(" · ")}</p>}
      <TextField
        label={t.name}
        name="name"
        value={draft.name}
        onChange={(name) => set({ name })}
        placeholder={t.nameExample}
        autoFocus
      />
      {!brief && (
        <div className="grid small">
          <TextField
            label={t.mac}
            name="mac"
            value={draft.mac}
            onChange={(mac) => set({ mac })}
            placeholder="02:00:00:00:00:01"
            optional
          />
          <TextField
            label={t.hostname}
            name="hostname"
            value={draft.hostname}
            onChange={(hostname) => set({ hostname })}
            optional
          />
          <TextField
            label={t.vendor}
            name="vendor"
            value={draft.vendor}
            onChange={(vendor) => set({ vendor })}
            optional
          />
        </div>
      )}
      {!brief && (
        <TextField
          label={t.addresses}
          hint={t.addressesHint(addresses.length)}
          name="ips"
          value={draft.ips}
          onChange={(ips) => set({ ips })}
          placeholder="10.0.0.20, fd00::20"
          optional
        />
      )}
      <div className="grid small">
        <SelectField
          label={t.trust}
          name="trust_class"
          value={draft.trust_class}
          onChange={(trust_class) => set({ trust_class })}
          options={lists.trust}
        />
        <SelectField
          label={t.privacy}
          name="privacy_class"
          value={draft.privacy_class}
          onChange={(privacy_class) => set({ privacy_class })}
          options={lists.privacy}
        />
      </div>
      {lists.groups.length > 0 && (
        <fieldset className="stack tight">
          <legend className="fine strong">{t.groups}</legend>
          <div className="grid small">
            {lists.groups.map(({ value, label }) => (
              <SwitchField
                key={value}
                label={label}
                value={draft.group_ids.includes(value)}
                onChange={(isIn) =>
                  set({
                    group_ids: isIn ? [...draft.group_ids, value] : draft.group_ids.filter((it) => it !== value),
                  })
                }
              />
            ))}
          </div>
        </fieldset>
      )}
      {!brief && (
        <AreaField label={t.notes} name="notes" value={draft.notes} onChange={(notes) => set({ notes })} optional />
      )}
    </FormDialog>
  );
}

/** What the network reports about a new device. */
const traces = ({ vendor, hostname, mac, ips }: Device): string[] =>
  [vendor, hostname, mac, ...ips.slice(0, 2)].filter((it) => it !== null);

function useChoices() {
  const t = useTranslation().devices.form;
  const { trust, privacy, groups } = useBelongings();
  const named = (all: Iterable<{ readonly id: string; readonly name: string }>): Option[] =>
    [...all].map(({ id, name }) => ({ value: id, label: name }));
  const orNone = (options: Option[]): Option[] => [{ value: "", label: t.none }, ...options];
  return {
    trust: orNone(named(trust.values())),
    privacy: orNone(named(privacy.values())),
    groups: named(groups.values()),
  };
}
