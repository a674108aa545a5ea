import type { Setting } from "@portcullis/contract/subsystems/settings";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** Settings with a card of their own, or that never change. */
const shownElsewhere: ReadonlySet<string> = new Set(["node_id", "pq_crypto_mode"]);

/** Settings that the gateway stores and applies at once. */
export function StoredCard() {
  const { settings: t } = useTranslation();
  const query = useQuery(apiQuery("settings", "list"));
  const [open, setOpen] = useSearchParam("setting");
  const [leaving, setLeaving] = useState<Setting>();
  // Settings without a consumer are not offered.
  if (query.data && !query.data.some(({ writable }) => writable)) return null;
  return (
    <LoadedCard title={t.stored} query={query}>
      {(all) => {
        const stored = all.filter(({ key, writable }) => writable && !shownElsewhere.has(key));
        const edited = stored.find(({ key }) => key === open);
        return (
          <>
            <ul className="settings-list">
              {stored.map((setting) => (
                <li key={setting.key}>
                  <Row setting={setting} onChange={() => setOpen(setting.key)} onUnset={() => setLeaving(setting)} />
                </li>
              ))}
            </ul>
            {edited && <ChangeDialog key={edited.key} setting={edited} onClose={() => setOpen("")} />}
            {leaving && <UnsetDialog setting={leaving} onClose={() => setLeaving(undefined)} />}
          </>
        );
      }}
    </LoadedCard>
  );
}

function useNamed(): (setting: Setting) => { readonly name: string; readonly about: string } {
  const { settings: t } = useTranslation();
  return ({ key, description }) => t.known[key] ?? { name: key, about: description };
}

interface RowProps {
  readonly setting: Setting;
  readonly onChange: () => void;
  readonly onUnset: () => void;
}

function Row({ setting, onChange, onUnset }: RowProps) {
  const { settings: t } = useTranslation();
  const toast = useToast();
  const { key, value, is_set, secret } = setting;
  const { name, about } = useNamed()(setting);
  const put = useAction("settings", "put");
  const remove = useAction("settings", "remove");
  const unset = () => {
    const back = () => put.mutate({ params: { key }, body: { value: String(value) } }, { onError: toast.failed });
    remove.mutate({ params: { key } }, { onSuccess: () => toast.done(t.unsetDone(name), back), onError: toast.failed });
  };
  const isSetHere = is_set && setting.source === "store";
  return (
    <>
      <span>
        <span className="strong">{name}</span>
        <br />
        <span className="quiet fine">{about}</span>
      </span>
      <span className={is_set ? "wrap" : "quiet"}>{!is_set ? t.notSet : secret ? t.isSecret : String(value)}</span>
      <span className="row">
        <Button kind="quiet" needs={["settings", "put"]} label={t.changeTitle(name)} onPress={onChange}>
          {t.change}
        </Button>
        {isSetHere && (
          <Button
            kind="quiet"
            needs={["settings", "remove"]}
            label={t.unsetTitle(name)}
            busy={remove.isPending}
            onPress={secret ? onUnset : unset}
          >
            {t.unset}
          </Button>
        )}
      </span>
    </>
  );
}

function ChangeDialog({ setting, onClose }: { readonly setting: Setting; readonly onClose: () => void }) {
  const t = useTranslation().settings;
  const toast = useToast();
  const { key, secret } = setting;
  const { name, about } = useNamed()(setting);
  const [value, setValue] = useState(() => (typeof setting.value === "string" ? setting.value : ""));
  const put = useAction("settings", "put", {
    invalidates: ["secrets"],
    onDone: () => {
      toast.done(t.saved(name));
      onClose();
    },
  });
  const field = { label: t.value, hint: secret ? t.secretHint : about, name: "value", value, onChange: setValue };
  return (
    <FormDialog
      title={t.changeTitle(name)}
      needs={["settings", "put"]}
      onClose={onClose}
      onSave={() => put.mutate({ params: { key }, body: { value } })}
      busy={put.isPending}
      problem={put.error}
    >
      <TextField {...field} type={secret ? "password" : "text"} autoFocus />
    </FormDialog>
  );
}

/** A write-only value cannot be restored by undo: confirmed first. */
function UnsetDialog({ setting, onClose }: { readonly setting: Setting; readonly onClose: () => void }) {
  const { settings: t } = useTranslation();
  const { name } = useNamed()(setting);
  const remove = useAction("settings", "remove", { invalidates: ["secrets"] });
  return (
    <StopDialog
      onClose={onClose}
      title={t.unsetTitle(name)}
      text={t.unsetSecret(name)}
      act={() => remove.mutateAsync({ params: { key: setting.key } })}
      doneText={t.unsetDone(name)}
    />
  );
}
