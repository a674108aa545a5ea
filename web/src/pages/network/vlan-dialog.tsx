import type { Vlan } from "@portcullis/contract/subsystems/vlans";
import { useTranslation } from "../../i18n/i18n.tsx";
import { EntryDialog } from "../../ui/body-form.tsx";
import { useToast } from "../../ui/toasts.tsx";

interface DialogProps {
  /** Absent: a new VLAN. */
  readonly vlan: Vlan | undefined;
  readonly onClose: () => void;
}

export function VlanDialog({ vlan, onClose }: DialogProps) {
  const { vlans: t } = useTranslation();
  const toast = useToast();
  return (
    <EntryDialog
      of="vlans"
      row={vlan}
      first={{ role: "lan", enabled: true }}
      onClose={onClose}
      onDone={({ name = "" }) => toast.done(t.saved(name))}
      title={vlan ? t.edit(vlan.name) : t.add}
      fields={["name", "parent", "vlan_id", "addresses", "role", "interface", "enabled"]}
      texts={{
        name: t.name,
        parent: { label: t.parent, hint: t.parentHint },
        vlan_id: { label: t.number, hint: t.numberHint },
        addresses: { label: t.addresses, hint: t.addressesHint },
        role: { label: t.role, hint: t.roleHint, options: t.roles },
        interface: { label: t.interface, hint: t.interfaceHint },
        enabled: { label: t.enabled, hint: t.enabledHint },
      }}
      examples={{ parent: "eth1", vlan_id: "10", addresses: "192.168.20.1/24" }}
    />
  );
}
