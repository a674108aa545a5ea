import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import { useQuery } from "@tanstack/react-query";
import { useDraft } from "../../ui/draft.ts";
import { SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PickField } from "../../ui/pick.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { bodyOf, fieldsOf, type ProxyFields } from "./proxy-form.ts";

interface DialogProps {
  /** Absent: a new proxy. */
  readonly proxy?: Proxy | undefined;
  readonly onClose: () => void;
}

export function ProxyDialog({ proxy, onClose }: DialogProps) {
  const { proxies: t, ui } = useTranslation();
  const toast = useToast();
  const [fields, change] = useDraft(fieldsOf(proxy));
  const done = {
    invalidates: ["tproxy", "policyViews"] as const,
    onDone: ({ name }: Proxy) => {
      toast.done(t.saved(name));
      onClose();
    },
  };
  const create = useAction("proxies", "create", done);
  const update = useAction("proxies", "update", done);
  const act = proxy ? update : create;
  const submit = () =>
    proxy
      ? update.mutate({ params: { id: proxy.id }, body: bodyOf(fields, proxy) })
      : create.mutate({ body: { ...bodyOf(fields), name: fields.name.trim(), kind: fields.kind } });
  return (
    <FormDialog
      needs={["proxies", "update"]}
      title={proxy ? t.editTitle(proxy.name) : t.addOne}
      onClose={onClose}
      onSave={submit}
      busy={act.isPending}
      problem={act.error}
      action={proxy ? ui.save : ui.add}
    >
      <ProxyFieldset fields={fields} proxy={proxy} onChange={change} />
    </FormDialog>
  );
}

interface FieldsetProps {
  readonly fields: ProxyFields;
  readonly proxy: Proxy | undefined;
  readonly onChange: (changed: Partial<ProxyFields>) => void;
}

function ProxyFieldset({ fields, proxy, onChange }: FieldsetProps) {
  const { proxies: t } = useTranslation();
  const tunnels = useQuery(allRows("tunnels", "list")).data ?? [];
  const isLocal = fields.kind === "local";
  return (
    <>
      {!proxy && (
        <SelectField
          label={t.kind}
          name="kind"
          hint={t.kindHints[fields.kind]}
          value={fields.kind}
          onChange={(kind) => onChange({ kind })}
          options={[
            { value: "local", label: t.kinds.local },
            { value: "upstream", label: t.kinds.upstream },
          ]}
        />
      )}
      <TextField label={t.name} name="name" autoFocus value={fields.name} onChange={(name) => onChange({ name })} />
      <TextField
        label={isLocal ? t.listen : t.address}
        name={isLocal ? "listen" : "address"}
        hint={isLocal ? t.listenHint : t.addressHint}
        placeholder={isLocal ? "192.168.1.1:1080" : "203.0.113.9:1080"}
        value={fields.index}
        onChange={(index) => onChange({ index })}
      />
      {isLocal && (
        <PickField
          label={t.tunnel}
          name="tunnel_id"
          hint={fields.tunnelId === "" ? t.uplinkHint : t.tunnelHint}
          value={fields.tunnelId}
          onChange={(tunnelId) => onChange({ tunnelId })}
          options={[{ value: "", label: t.uplink }, ...tunnels.map(({ id, name }) => ({ value: id, label: name }))]}
        />
      )}
      <div className="proxies-two">
        <TextField
          label={t.username}
          name="username"
          optional={!isLocal || fields.tunnelId !== ""}
          value={fields.username}
          onChange={(username) => onChange({ username })}
        />
        <TextField
          label={t.password}
          name="password"
          type="password"
          autoComplete="new-password"
          {...(proxy?.has_password && { hint: t.passwordKept })}
          value={fields.password}
          onChange={(password) => onChange({ password })}
        />
      </div>
      <SwitchField label={t.enabled} value={fields.enabled} onChange={(enabled) => onChange({ enabled })} />
    </>
  );
}
