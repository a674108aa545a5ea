import type { Profile } from "@portcullis/contract/subsystems/routing";
import { useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { Form, SwitchField, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useRibbonHops } from "../../components/paths.ts";
import { Ribbon } from "../../components/ribbon.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { canSplit, type PathDraft, stateNow } from "./draft.ts";
import { FailField } from "./fail-field.tsx";
import { HopsField } from "./hops-field.tsx";

/** `?tab=profiles&do=add` and `?tab=profiles&open=ID`. */
export function ProfileDialog({ profiles }: { readonly profiles: readonly Profile[] | undefined }) {
  const t = useTranslation().routing.profile;
  const may = useMay();
  const [doing, setDoing] = useSearchParam("do");
  const [open, setOpen] = useSearchParam("open");
  const profile = profiles?.find(({ id }) => id === open);
  const isAdding = doing === "add" && may(["profiles", "create"]);
  const close = () => {
    if (doing !== "") setDoing("");
    if (open !== "") setOpen("");
  };
  return (
    <Dialog
      wide
      open={isAdding || (profile !== undefined && may(["profiles", "update"]))}
      onClose={close}
      title={profile ? t.editTitle(profile.name) : t.addTitle}
    >
      <ProfileForm key={profile?.id ?? ""} profile={profile} onClose={close} />
    </Dialog>
  );
}

function ProfileForm({ profile, onClose }: { readonly profile: Profile | undefined; readonly onClose: () => void }) {
  const { routing, ui } = useTranslation();
  const t = routing.profile;
  const toast = useToast();
  const [name, setName] = useState(profile?.name ?? "");
  const [description, setDescription] = useState(profile?.description ?? "");
  const [path, setPath] = useState<PathDraft>(profile ?? { hops: [], splitting: false, fail_policy: "fail-closed" });
  const hops = useRibbonHops()(path.hops);
  const done = (saved: Profile) => {
    toast.done(routing.editor.saved(saved.name));
    onClose();
  };
  const create = useAction("profiles", "create", { invalidates: ["routing"], onDone: done });
  const update = useAction("profiles", "update", { invalidates: ["routing"], onDone: done });
  const save = () => {
    const { fail_policy, splitting } = path;
    const body = {
      name,
      description,
      fail_policy,
      hops: [...path.hops],
      splitting: splitting && canSplit(path.hops),
    };
    if (profile) update.mutate({ params: { id: profile.id }, body });
    else create.mutate({ body });
  };
  const from = name || routing.editor.anySource;
  return (
    <Form onSubmit={save} problem={create.error ?? update.error}>
      <div className="routing-says">
        <Ribbon from={from} fromName={from} hops={hops} state={stateNow(hops, path)} />
      </div>
      <div className="routing-pair">
        <TextField label={t.name} name="name" value={name} onChange={setName} autoFocus />
        <TextField label={t.description} name="description" optional value={description} onChange={setDescription} />
      </div>
      <HopsField hops={path.hops} onChange={(next) => setPath({ ...path, hops: next })} />
      {canSplit(path.hops) && (
        <SwitchField
          label={routing.editor.splitting}
          hint={routing.editor.splittingHint}
          value={path.splitting}
          onChange={(splitting) => setPath({ ...path, splitting })}
        />
      )}
      {path.hops.length > 0 && (
        <section className="routing-part" aria-label={routing.editor.fails}>
          <h2>{routing.editor.fails}</h2>
          <FailField value={path.fail_policy} onChange={(fail_policy) => setPath({ ...path, fail_policy })} />
        </section>
      )}
      <div className="row spread">
        <Button onPress={onClose}>{ui.cancel}</Button>
        <Button kind="main" type="submit" disabled={name.trim() === ""} busy={create.isPending || update.isPending}>
          {routing.editor.save}
        </Button>
      </div>
    </Form>
  );
}
