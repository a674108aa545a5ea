import type { Vlan } from "@portcullis/contract/subsystems/vlans";
import { useState } from "react";
import { useSave } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";

interface DialogProps {
  /** Absent: a new VLAN. */
  readonly vlan: Vlan | undefined;
  readonly onClose: () => void;
}

const roles = ["lan", "uplink"] as const;
const listed = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

export function VlanDialog({ vlan, onClose }: DialogProps) {
  const { vlans: t, ui } = useTranslation();
  const toast = useToast();
  const [name, setName] = useState(vlan?.name ?? "");
  const [parent, setParent] = useState(vlan?.parent ?? "");
  const [number, setNumber] = useState(vlan ? String(vlan.vlan_id) : "");
  const [link, setLink] = useState(vlan?.interface ?? "");
  const [addresses, setAddresses] = useState(vlan?.addresses.join(", ") ?? "");
  const [role, setRole] = useState<Vlan["role"]>(vlan?.role ?? "lan");
  const [enabled, setEnabled] = useState(vlan?.enabled ?? true);
  const { save, ...saving } = useSave("vlans", vlan?.id, {
    onDone: (made) => {
      toast.done(t.saved(made.name));
      onClose();
    },
  });
  const body = {
    name: name.trim(),
    parent: parent.trim(),
    vlan_id: Number(number),
    ...(link.trim() !== "" && { interface: link.trim() }),
    addresses: listed(addresses),
    role,
    enabled,
  };
  return (
    <FormDialog
      needs={["vlans", "update"]}
      title={vlan ? t.edit(vlan.name) : t.add}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
      action={vlan ? ui.save : ui.add}
    >
      <TextField label={t.name} name="name" autoFocus value={name} onChange={setName} />
      <TextField
        label={t.parent}
        name="parent"
        hint={t.parentHint}
        placeholder="eth1"
        value={parent}
        onChange={setParent}
      />
      <TextField
        label={t.number}
        name="vlan_id"
        type="number"
        hint={t.numberHint}
        placeholder="10"
        value={number}
        onChange={setNumber}
      />
      <TextField
        label={t.addresses}
        name="addresses"
        optional
        hint={t.addressesHint}
        placeholder="192.168.20.1/24"
        value={addresses}
        onChange={setAddresses}
      />
      <SelectField
        label={t.role}
        name="role"
        hint={t.roleHint}
        value={role}
        onChange={setRole}
        options={roles.map((value) => ({ value, label: t.roles[value] }))}
      />
      <TextField label={t.interface} name="interface" optional hint={t.interfaceHint} value={link} onChange={setLink} />
      <SwitchField label={t.enabled} hint={t.enabledHint} value={enabled} onChange={setEnabled} />
    </FormDialog>
  );
}
