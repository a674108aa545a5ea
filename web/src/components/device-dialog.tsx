import type { Device } from "@portcullis/contract/subsystems/devices";
import { useDraft } from "../ui/draft.ts";
import { AreaField, type Option, SelectField, SwitchField, TextField } from "../ui/form.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAct } from "../api/reading.ts";
import { useWords } from "../i18n/i18n.tsx";
import { useBelongings } from "./device-belongings.ts";
import { renewedByDevice } from "./device-change.ts";
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
  const { kit, devices } = useWords();
  const say = devices.form;
  const toast = useToast();
  const [draft, set] = useDraft(draftOf(device, mac));
  const done = () => {
    toast.done(device ? say.saved(draft.name) : say.added(draft.name));
    onClose();
  };
  const add = useAct("devices", "create", { renews: renewedByDevice, onDone: done });
  const change = useAct("devices", "update", { renews: renewedByDevice, onDone: done });
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
      title={brief ? say.who : device ? say.edit(device.name) : say.add}
      onClose={onClose}
      onSave={save}
      busy={act.isPending}
      problem={act.error}
      action={brief ? say.known : device ? kit.save : kit.add}
    >
      {brief && device && <p className="quiet wrap">{traces(device).join(" · ")}</p>}
      <TextField
        label={say.name}
        name="name"
        value={draft.name}
        onChange={(name) => set({ name })}
        placeholder={say.nameExample}
        autoFocus
      />
      {!brief && (
        <div className="grid small">
          <TextField
            label={say.mac}
            name="mac"
            value={draft.mac}
            onChange={(mac) => set({ mac })}
            placeholder="02:00:00:00:00:01"
            optional
          />
          <TextField
            label={say.hostname}
            name="hostname"
            value={draft.hostname}
            onChange={(hostname) => set({ hostname })}
            optional
          />
          <TextField
            label={say.vendor}
            name="vendor"
            value={draft.vendor}
            onChange={(vendor) => set({ vendor })}
            optional
          />
        </div>
      )}
      {!brief && (
        <TextField
          label={say.addresses}
          hint={say.addressesHint(addresses.length)}
          name="ips"
          value={draft.ips}
          onChange={(ips) => set({ ips })}
          placeholder="10.0.0.20, fd00::20"
          optional
        />
      )}
      <div className="grid small">
        <SelectField
          label={say.trust}
          name="trust_class"
          value={draft.trust_class}
          onChange={(trust_class) => set({ trust_class })}
          options={lists.trust}
        />
        <SelectField
          label={say.privacy}
          name="privacy_class"
          value={draft.privacy_class}
          onChange={(privacy_class) => set({ privacy_class })}
          options={lists.privacy}
        />
      </div>
      {lists.groups.length > 0 && (
        <fieldset className="stack tight">
          <legend className="fine strong">{say.groups}</legend>
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
        <AreaField label={say.notes} name="notes" value={draft.notes} onChange={(notes) => set({ notes })} optional />
      )}
    </FormDialog>
  );
}

/** What the network reports about a new device. */
const traces = ({ vendor, hostname, mac, ips }: Device): string[] =>
  [vendor, hostname, mac, ...ips.slice(0, 2)].filter((it) => it !== null);

function useChoices() {
  const say = useWords().devices.form;
  const { trust, privacy, groups } = useBelongings();
  const named = (all: Iterable<{ readonly id: string; readonly name: string }>): Option[] =>
    [...all].map(({ id, name }) => ({ value: id, label: name }));
  const orNone = (options: Option[]): Option[] => [{ value: "", label: say.none }, ...options];
  return {
    trust: orNone(named(trust.values())),
    privacy: orNone(named(privacy.values())),
    groups: named(groups.values()),
  };
}
