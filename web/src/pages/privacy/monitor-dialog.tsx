import type { LeakMonitor } from "@portcullis/contract/subsystems/privacy";
import { useDraft } from "../../ui/draft.ts";
import { SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** When the monitor runs by itself, and which external services it may use. */
export function MonitorDialog({ monitor, onClose }: { readonly monitor: LeakMonitor; readonly onClose: () => void }) {
  const t = useTranslation().privacy.monitor;
  const toast = useToast();
  const [draft, set] = useDraft({
    enabled: monitor.enabled,
    settle: String(monitor.delay_sec),
    url: monitor.address_echo_url ?? "",
    name: monitor.resolver_echo_name ?? "",
  });
  const put = useAction("privacy", "putLeakMonitor", {
    invalidates: ["audit"],
    onDone: () => {
      toast.done(t.saved);
      onClose();
    },
  });
  const save = () =>
    put.mutate({
      body: {
        enabled: draft.enabled,
        delay_sec: Number(draft.settle),
        address_echo_url: draft.url.trim() || null,
        resolver_echo_name: draft.name.trim() || null,
      },
    });
  return (
    <FormDialog
      needs={["privacy", "putLeakMonitor"]}
      title={t.title}
      onClose={onClose}
      onSave={save}
      busy={put.isPending}
      problem={put.error}
    >
      <SwitchField
        label={t.enabled}
        hint={t.enabledHint}
        value={draft.enabled}
        onChange={(enabled) => set({ enabled })}
      />
      <TextField
        label={t.settle}
        hint={t.settleHint}
        name="delay_sec"
        type="number"
        min={0}
        max={300}
        value={draft.settle}
        onChange={(settle) => set({ settle })}
      />
      <p className="quiet fine">{t.outside}</p>
      <TextField
        label={t.url}
        hint={t.urlHint}
        name="address_echo_url"
        type="url"
        placeholder="https://ip.example/"
        value={draft.url}
        onChange={(url) => set({ url })}
        optional
      />
      <TextField
        label={t.name}
        hint={t.nameHint}
        name="resolver_echo_name"
        placeholder="whoami.example"
        value={draft.name}
        onChange={(name) => set({ name })}
        optional
      />
    </FormDialog>
  );
}
