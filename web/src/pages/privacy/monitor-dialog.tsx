import type { LeakMonitor } from "@portcullis/contract/subsystems/privacy";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { rulesOf } from "../../api/rules.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** When the monitor runs by itself, and which external services it may use. */
export function MonitorDialog({ monitor, onClose }: { readonly monitor: LeakMonitor; readonly onClose: () => void }) {
  const t = useTranslation().privacy.monitor;
  const toast = useToast();
  const form = useBody(rulesOf("privacy", "putLeakMonitor"), { stored: monitor });
  const put = useAction("privacy", "putLeakMonitor", {
    invalidates: ["audit"],
    onDone: () => {
      toast.done(t.saved);
      onClose();
    },
  });
  return (
    <BodyDialog
      form={form}
      title={t.title}
      needs={["privacy", "putLeakMonitor"]}
      onClose={onClose}
      onSave={(body) => put.mutate({ body })}
      busy={put.isPending}
      problem={put.error}
      fields={[
        "enabled",
        "delay_sec",
        <p key="outside" className="quiet fine">
          {t.outside}
        </p>,
        "address_echo_url",
        "resolver_echo_name",
      ]}
      texts={{
        enabled: { label: t.enabled, hint: t.enabledHint },
        delay_sec: { label: t.settle, hint: t.settleHint },
        address_echo_url: { label: t.url, hint: t.urlHint },
        resolver_echo_name: { label: t.name, hint: t.nameHint },
      }}
      examples={{ address_echo_url: "https://ip.example/", resolver_echo_name: "whoami.example" }}
    />
  );
}
