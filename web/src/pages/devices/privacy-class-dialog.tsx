import type { PrivacyClass } from "@portcullis/contract/subsystems/classes";
import { useDraft } from "../../ui/draft.ts";
import { SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useSaving } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";

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
  const { devices, kit } = useWords();
  const say = devices.belongings;
  const [draft, set] = useDraft(withoutId(of) ?? fresh);
  const { save, ...saving } = useSaving("privacyClasses", of?.id, {
    renews: ["devices", "policyViews", "dns"],
    onDone: onClose,
  });
  // The DNS mode takes precedence over the redirection of DNS.
  const rests = draft.dns_mode === "device" ? undefined : draft.dns_mode;
  return (
    <FormDialog
      needs={["privacyClasses", "update"]}
      title={of ? say.editTitle(of.name) : say.privacy.add}
      onClose={onClose}
      onSave={() => save(draft)}
      {...saving}
      action={of ? kit.save : kit.add}
    >
      <TextField label={say.name} name="name" value={draft.name} onChange={(name) => set({ name })} autoFocus />
      <TextField
        label={say.description}
        name="description"
        value={draft.description}
        onChange={(description) => set({ description })}
        optional
      />
      {switches.map((field) => (
        <SwitchField
          key={field}
          label={say.privacy.long[field]}
          hint={field === "force_dns" && rests ? say.privacy.forceRests[rests] : say.privacy.hints[field]}
          value={draft[field]}
          onChange={(value) => set({ [field]: value })}
        />
      ))}
      <SelectField
        label={say.privacy.dnsMode}
        hint={say.privacy.dnsModeHints[draft.dns_mode]}
        name="dns_mode"
        value={draft.dns_mode}
        onChange={(dns_mode) => set({ dns_mode })}
        options={optionsOf(say.privacy.dnsModes)}
      />
      <SelectField
        label={say.privacy.log}
        name="log_level"
        value={draft.log_level}
        onChange={(log_level) => set({ log_level })}
        options={optionsOf(say.privacy.logs)}
      />
    </FormDialog>
  );
}

const optionsOf = <V extends string>(words: Readonly<Record<V, string>>) =>
  (Object.keys(words) as V[]).map((value) => ({ value, label: words[value] }));

function withoutId(of: PrivacyClass | undefined): typeof fresh | undefined {
  if (!of) return undefined;
  const { id: _, default_fail_policy: __, ...fields } = of;
  return fields;
}
