import type { Bridge } from "@portcullis/contract/subsystems/bridges";
import { useState } from "react";
import { SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useSaving } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";

interface DialogProps {
  /** Absent: a new bridge. */
  readonly bridge?: Bridge | undefined;
  readonly onClose: () => void;
}

const listed = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

export function BridgeDialog({ bridge, onClose }: DialogProps) {
  const { bridges: say, kit } = useWords();
  const toast = useToast();
  const [name, setName] = useState(bridge?.name ?? "");
  const [link, setLink] = useState(bridge?.interface ?? "");
  const [members, setMembers] = useState(bridge?.members.join(", ") ?? "");
  const [addresses, setAddresses] = useState(bridge?.addresses.join(", ") ?? "");
  const [stp, setStp] = useState(bridge?.stp ?? false);
  const [enabled, setEnabled] = useState(bridge?.enabled ?? true);
  const { save, ...saving } = useSaving("bridges", bridge?.id, {
    onDone: (made) => {
      toast.done(say.saved(made.name));
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
      title={bridge ? say.editTitle(bridge.name) : say.addOne}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
      action={bridge ? kit.save : kit.add}
    >
      <TextField label={say.name} name="name" autoFocus value={name} onChange={setName} />
      <TextField
        label={say.members}
        name="members"
        hint={say.membersHint}
        placeholder="eth1, eth2"
        value={members}
        onChange={setMembers}
      />
      <TextField
        label={say.addresses}
        name="addresses"
        optional
        hint={say.addressesHint}
        placeholder="192.168.1.1/24"
        value={addresses}
        onChange={setAddresses}
      />
      <TextField
        label={say.interface}
        name="interface"
        optional
        hint={say.interfaceHint}
        value={link}
        onChange={setLink}
      />
      <SwitchField label={say.stp} hint={say.stpHint} value={stp} onChange={setStp} />
      <SwitchField label={say.enabled} hint={say.enabledHint} value={enabled} onChange={setEnabled} />
    </FormDialog>
  );
}
