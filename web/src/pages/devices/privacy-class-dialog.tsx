import type { PrivacyClass } from "@portcullis/contract/subsystems/classes";
import { useDraft } from "../../ui/draft.ts";
import { SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useSave } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** A strict default: a privacy class is created in order to protect. */
const fresh: Omit<PrivacyClass, "id" | "default_fail_policy"> = {
  name: "",
  description: "",
  dns_mode: "system",
  force_dns: true,
  block_doh: true,
  block_ipv6: false,
  block_webrtc: true,
  require_tunnel: true,
  log_level: "counts",
};
const switches = ["require_tunnel", "force_dns", "block_doh", "block_webrtc", "block_ipv6"] as const;

export function PrivacyClassDialog({
  of,
  onClose,
}: {
  readonly of: PrivacyClass | undefined;
  readonly onClose: () => void;
}) {
  const { devices, ui } = useTranslation();
  const t = devices.belongings;
  const [draft, set] = useDraft(withoutId(of) ?? fresh);
  const { save, ...saving } = useSave("privacyClasses", of?.id, {
    invalidates: ["devices", "policyViews", "dns"],
    onDone: onClose,
  });
  // The DNS mode takes precedence over the redirection of DNS.
  const rests = draft.dns_mode === "device" ? undefined : draft.dns_mode;
  return (
    <FormDialog
      needs={["privacyClasses", "update"]}
      title={of ? t.editTitle(of.name) : t.privacy.add}
      onClose={onClose}
      onSave={() => save(draft)}
      {...saving}
      action={of ? ui.save : ui.add}
    >
      <TextField label={t.name} name="name" value={draft.name} onChange={(name) => set({ name })} autoFocus />
      <TextField
        label={t.description}
        name="description"
        value={draft.description}
        onChange={(description) => set({ description })}
        optional
      />
      {switches.map((field) => (
        <SwitchField
          key={field}
          label={t.privacy.long[field]}
          hint={field === "force_dns" && rests ? t.privacy.forceRests[rests] : t.privacy.hints[field]}
          value={draft[field]}
          onChange={(value) => set({ [field]: value })}
        />
      ))}
      <SelectField
        label={t.privacy.dnsMode}
        hint={t.privacy.dnsModeHints[draft.dns_mode]}
        name="dns_mode"
        value={draft.dns_mode}
        onChange={(dns_mode) => set({ dns_mode })}
        options={optionsOf(t.privacy.dnsModes)}
      />
      <SelectField
        label={t.privacy.log}
        name="log_level"
        value={draft.log_level}
        onChange={(log_level) => set({ log_level })}
        options={optionsOf(t.privacy.logs)}
      />
    </FormDialog>
  );
}

const optionsOf = <V extends string>(messages: Readonly<Record<V, string>>) =>
  (Object.keys(messages) as V[]).map((value) => ({ value, label: messages[value] }));

function withoutId(of: PrivacyClass | undefined): typeof fresh | undefined {
  if (!of) return undefined;
  const { id: _, default_fail_policy: __, ...fields } = of;
  return fields;
}
