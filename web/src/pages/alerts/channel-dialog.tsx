import type { AlertChannel } from "@portcullis/contract/subsystems/alert-channels";
import { useState } from "react";
import { EntryDialog } from "../../ui/body-form.tsx";
import { SelectField, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

interface Props {
  /** Absent: a new channel. */
  readonly row: AlertChannel | undefined;
  readonly onClose: () => void;
}

export function ChannelDialog({ row, onClose }: Props) {
  const { alerts, ui } = useTranslation();
  const t = alerts.channels;
  const toast = useToast();
  const [from, setFrom] = useState(row?.quiet_hours?.from ?? "");
  const [to, setTo] = useState(row?.quiet_hours?.to ?? "");
  const [encryption, setEncryption] = useState<"tls" | "none">(row?.security === "none" ? "none" : "tls");
  const kept = row?.has_secret ? { hint: ui.secretKept } : {};
  return (
    <EntryDialog
      of="alertChannels"
      row={row}
      first={{ type: "webhook", enabled: true, severities: ["critical", "warning"], security: "starttls" }}
      onClose={onClose}
      invalidates={["alertWebhook", "alertDeliveries", "settings", "status"]}
      onDone={({ name = "" }) => toast.done(t.saved(name))}
      title={row ? t.edit(row.name) : t.add}
      alwaysSaves
      fields={({ type = row?.type ?? "webhook" }) => [
        !row && "type",
        "name",
        ...fieldsOf[type],
        type === "mqtt" && (
          <SelectField
            key="security"
            name="security"
            label={t.fields.security.label}
            value={encryption}
            onChange={setEncryption}
            options={(["tls", "none"] as const).map((it) => ({ value: it, label: t.fields.security.options[it] }))}
          />
        ),
        "severities",
        [
          <TextField
            key="from"
            name="quiet_hours.from"
            label={t.quietFrom}
            hint={t.quietHint}
            optional
            value={from}
            onChange={setFrom}
            placeholder="22:00"
          />,
          <TextField
            key="to"
            name="quiet_hours.to"
            label={t.quietTo}
            optional
            value={to}
            onChange={setTo}
            placeholder="07:00"
          />,
        ],
        "enabled",
      ]}
      // A browser makes its channel itself.
      options={{ type: madeHere.map((it) => ({ value: it, label: t.types[it] })) }}
      areas={["ca"]}
      texts={({ type = row?.type }) => ({
        ...t.fields,
        ...Object.fromEntries(neededFields.map((it) => [it, { label: t.fields[it], needed: true }])),
        ...(type === "web_push" && { from: { label: t.contact } }),
        ...(type === "mqtt" && { host: { label: t.broker, needed: true } }),
        type: { label: t.type, options: t.types },
        name: t.name,
        severities: { label: t.severities, options: alerts.severities },
        secret: { label: t.fields.secret, ...kept },
        bot_token: { label: t.fields.bot_token, needed: !row?.has_secret, ...kept },
        password: { label: t.fields.password, ...kept },
        token: { label: t.fields.token, ...kept },
      })}
      examples={({ type = row?.type }) => ({
        url: "https://receiver.example/hook",
        chat_id: "-1001234567890",
        api_url: "https://api.telegram.org",
        host: type === "mqtt" ? "broker.example" : "mail.example.net",
        topic: type === "mqtt" ? "house/alerts" : "",
        from: "gateway@example.net",
        to: "admin@example.net",
      })}
      body={({ username, type = row?.type }) => ({
        ...(type === "mqtt" && { security: encryption }),
        quiet_hours: from.trim() === "" && to.trim() === "" ? null : { from: from.trim(), to: to.trim() },
        // There is no password without a user.
        ...((row?.type === "email" || row?.type === "mqtt") &&
          row.has_secret &&
          username === null && { password: null }),
      })}
    />
  );
}

const madeHere = ["webhook", "telegram", "email", "ntfy", "mqtt"] as const;

const neededFields = ["url", "chat_id", "host", "from", "to", "topic"] as const;

const fieldsOf = {
  webhook: ["url", "secret"],
  telegram: ["bot_token", "chat_id", "api_url"],
  email: [["host", "port"], "security", ["username", "password"], "from", "to"],
  ntfy: ["url", "topic", "token"],
  mqtt: [["host", "port"], "topic", ["username", "password"], "ca"],
  web_push: ["from"],
} as const;
