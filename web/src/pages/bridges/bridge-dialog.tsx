import type { Bridge } from "@portcullis/contract/subsystems/bridges";
import { useState } from "react";
import { SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useSave } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

interface DialogProps {
  /** Absent: a new bridge. */
  readonly bridge?: Bridge | undefined;
  readonly onClose: () => void;
}

const listed = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

export function BridgeDialog({ bridge, onClose }: DialogProps) {
  const { bridges: t, ui } = useTranslation();
  const toast = useToast();
  const [name, setName] = useState(bridge?.name ?? "");
  const [link, setLink] = useState(bridge?.interface ?? "");
  const [members, setMembers] = useState(bridge?.members.join(", ") ?? "");
  const [addresses, setAddresses] = useState(bridge?.addresses.join(", ") ?? "");
  const [stp, setStp] = useState(bridge?.stp ?? false);
  const [enabled, setEnabled] = useState(bridge?.enabled ?? true);
  const { save, ...saving } = useSave("bridges", bridge?.id, {
    onDone: (made) => {
      toast.done(t.saved(made.name));
      onClose();
    },
  });
  const body = {
    name: name.trim(),
    ...(link.trim() !== "" && { interface: link.trim() }),
    members: listed(members),
    addresses: listed(addresses),
    stp,
    enabled,
  };
  return (
    <FormDialog
      needs={["bridges", "update"]}
      title={bridge ? t.editTitle(bridge.name) : t.addOne}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
      action={bridge ? ui.save : ui.add}
    >
      <TextField label={t.name} name="name" autoFocus value={name} onChange={setName} />
      <TextField
        label={t.members}
        name="members"
        hint={t.membersHint}
        placeholder="eth1, eth2"
        value={members}
        onChange={setMembers}
      />
      <TextField
        label={t.addresses}
        name="addresses"
        optional
        hint={t.addressesHint}
        placeholder="192.168.1.1/24"
        value={addresses}
        onChange={setAddresses}
      />
      <TextField label={t.interface} name="interface" optional hint={t.interfaceHint} value={link} onChange={setLink} />
      <SwitchField label={t.stp} hint={t.stpHint} value={stp} onChange={setStp} />
      <SwitchField label={t.enabled} hint={t.enabledHint} value={enabled} onChange={setEnabled} />
    </FormDialog>
  );
}
