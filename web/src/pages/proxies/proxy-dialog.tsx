import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import { useQuery } from "@tanstack/react-query";
import { useDraft } from "../../ui/draft.ts";
import { SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PickField } from "../../ui/pick.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { everyRow, useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";
import { bodyOf, fieldsOf, type ProxyFields } from "./proxy-form.ts";

interface DialogProps {
  /** Absent: a new proxy. */
  readonly proxy?: Proxy | undefined;
  readonly onClose: () => void;
}

export function ProxyDialog({ proxy, onClose }: DialogProps) {
  const { proxies: say, kit } = useWords();
  const toast = useToast();
  const [fields, change] = useDraft(fieldsOf(proxy));
  const done = {
    renews: ["tproxy", "policyViews"] as const,
    onDone: ({ name }: Proxy) => {
      toast.done(say.saved(name));
      onClose();
    },
  };
  const create = useAct("proxies", "create", done);
  const update = useAct("proxies", "update", done);
  const act = proxy ? update : create;
  const submit = () =>
    proxy
      ? update.mutate({ params: { id: proxy.id }, body: bodyOf(fields, proxy) })
      : create.mutate({ body: { ...bodyOf(fields), name: fields.name.trim(), kind: fields.kind } });
  return (
    <FormDialog
      needs={["proxies", "update"]}
      title={proxy ? say.editTitle(proxy.name) : say.addOne}
      onClose={onClose}
      onSave={submit}
      busy={act.isPending}
      problem={act.error}
      action={proxy ? kit.save : kit.add}
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
  const { proxies: say } = useWords();
  const tunnels = useQuery(everyRow("tunnels", "list")).data ?? [];
  const isLocal = fields.kind === "local";
  return (
    <>
      {!proxy && (
        <SelectField
          label={say.kind}
          name="kind"
          hint={say.kindHints[fields.kind]}
          value={fields.kind}
          onChange={(kind) => onChange({ kind })}
          options={[
            { value: "local", label: say.kinds.local },
            { value: "upstream", label: say.kinds.upstream },
          ]}
        />
      )}
      <TextField label={say.name} name="name" autoFocus value={fields.name} onChange={(name) => onChange({ name })} />
      <TextField
        label={isLocal ? say.listen : say.address}
        name={isLocal ? "listen" : "address"}
        hint={isLocal ? say.listenHint : say.addressHint}
        placeholder={isLocal ? "192.168.1.1:1080" : "203.0.113.9:1080"}
        value={fields.place}
        onChange={(place) => onChange({ place })}
      />
      {isLocal && (
        <PickField
          label={say.tunnel}
          name="tunnel_id"
          hint={fields.tunnelId === "" ? say.uplinkHint : say.tunnelHint}
          value={fields.tunnelId}
          onChange={(tunnelId) => onChange({ tunnelId })}
          options={[{ value: "", label: say.uplink }, ...tunnels.map(({ id, name }) => ({ value: id, label: name }))]}
        />
      )}
      <div className="proxies-two">
        <TextField
          label={say.username}
          name="username"
          optional={!isLocal || fields.tunnelId !== ""}
          value={fields.username}
          onChange={(username) => onChange({ username })}
        />
        <TextField
          label={say.password}
          name="password"
          type="password"
          autoComplete="new-password"
          {...(proxy?.has_password && { hint: say.passwordKept })}
          value={fields.password}
          onChange={(password) => onChange({ password })}
        />
      </div>
      <SwitchField label={say.enabled} value={fields.enabled} onChange={(enabled) => onChange({ enabled })} />
    </>
  );
}
