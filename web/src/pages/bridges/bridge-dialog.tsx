import type { Bridge } from "@portcullis/contract/subsystems/bridges";
import { EntryDialog } from "../../ui/body-form.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

interface DialogProps {
  /** Absent: a new bridge. */
  readonly bridge?: Bridge | undefined;
  readonly onClose: () => void;
}

export function BridgeDialog({ bridge, onClose }: DialogProps) {
  const { bridges: t } = useTranslation();
  const toast = useToast();
  return (
    <EntryDialog
      of="bridges"
      row={bridge}
      first={{ enabled: true }}
      onClose={onClose}
      onDone={({ name = "" }) => toast.done(t.saved(name))}
      title={bridge ? t.editTitle(bridge.name) : t.addOne}
      fields={["name", "members", "addresses", "interface", "stp", "enabled"]}
      texts={{
        name: t.name,
        members: { label: t.members, hint: t.membersHint, needed: true },
        addresses: { label: t.addresses, hint: t.addressesHint },
        interface: { label: t.interface, hint: t.interfaceHint },
        stp: { label: t.stp, hint: t.stpHint },
        enabled: { label: t.enabled, hint: t.enabledHint },
      }}
      examples={{ members: "eth1, eth2", addresses: "192.168.1.1/24" }}
    />
  );
}
