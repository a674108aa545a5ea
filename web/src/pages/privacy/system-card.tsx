import { type Control, controls } from "@portcullis/contract/privacy-controls";
import type { PrivacyStatus } from "@portcullis/contract/subsystems/privacy";
import { useMemo } from "react";
import { LinkButton } from "../../ui/button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { SelectField, SwitchField } from "../../ui/form.tsx";
import { Card } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useControlSwitch } from "../../components/privacy/control-switch.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { countUsingDefaults } from "./device-rows.ts";

const modes = ["system", "device", "off"] as const;

/** Defaults for devices without a class and without settings of their own. */
export function SystemCard({ status }: { readonly status: PrivacyStatus }) {
  const { privacy: messages, devices, ui } = useTranslation();
  const t = messages.system;
  const labels = devices.belongings.privacy;
  const may = useMay();
  const following = useMemo(() => countUsingDefaults(status.devices), [status.devices]);
  return (
    <Card
      title={t.title}
      actions={
        <LinkButton kind="quiet" to="/devices?tab=groups">
          {t.classesElsewhere}
        </LinkButton>
      }
    >
      <p className="quiet fine">{t.appliesTo(following, status.devices.length)}</p>
      {may(["privacy", "putDnsMode"]) ? (
        <>
          <DnsModeField mode={status.dns_mode} />
          <Switches status={status} />
        </>
      ) : (
        <Facts
          all={[
            [labels.dnsMode, labels.dnsModes[status.dns_mode]],
            ...controls.map((it) => [labels.long[it], status[it] ? ui.on : ui.off] as const),
          ]}
        />
      )}
    </Card>
  );
}

function DnsModeField({ mode }: { readonly mode: PrivacyStatus["dns_mode"] }) {
  const { privacy: messages, devices } = useTranslation();
  const labels = devices.belongings.privacy;
  const toast = useToast();
  const put = useAction("privacy", "putDnsMode", { invalidates: ["audit"] });
  const send = (wanted: PrivacyStatus["dns_mode"], onSuccess?: (done: { readonly enforced: boolean }) => void) =>
    put.mutate({ body: { mode: wanted } }, { onError: toast.failed, ...(onSuccess && { onSuccess }) });
  return (
    <SelectField
      label={labels.dnsMode}
      hint={messages.system.dnsHints[mode]}
      value={mode}
      options={modes.map((value) => ({ value, label: labels.dnsModes[value] }))}
      onChange={(wanted) =>
        send(wanted, ({ enforced }) =>
          toast.done(enforced ? messages.dnsModeSet : messages.unenforced(messages.dnsModeSet), () => send(mode)),
        )
      }
    />
  );
}

function Switches({ status }: { readonly status: PrivacyStatus }) {
  const { privacy: messages, devices } = useTranslation();
  const setControl = useControlSwitch();
  const { dns_mode: mode } = status;
  const ruled = (control: Control) => (control === "force_dns" && mode !== "device" ? mode : undefined);
  return controls.map((control) => {
    const rule = ruled(control);
    return (
      <SwitchField
        key={control}
        label={devices.belongings.privacy.long[control]}
        hint={rule ? messages.system.ruled[rule] : messages.system.hints[control]}
        value={rule ? rule === "system" : status[control]}
        disabled={rule !== undefined}
        onChange={(enabled) => setControl({ control, enabled, before: !enabled })}
      />
    );
  });
}
