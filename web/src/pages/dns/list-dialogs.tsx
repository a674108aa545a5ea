import type { DnsList } from "@portcullis/contract/subsystems/dns-lists";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { useDraft } from "../../ui/draft.ts";
import { Field, SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { ScopeFields } from "./sources.tsx";

type From = "url" | "path" | "upload";
const froms: readonly From[] = ["url", "path", "upload"];
const categories = ["ads", "tracking", "malware", "threat", "adult", "social", "gambling", "other"] as const;
const formats = ["auto", "hosts", "domains", "adblock", "rpz"] as const;
const invalidates = ["dns", "dnsThreatFeeds", "dnsCatalog"] as const;

const draftOf = (list?: DnsList) => ({
  name: list?.name ?? "",
  category: list?.category ?? ("other" as const),
  action: list?.action ?? ("block" as const),
  format: list?.format ?? ("auto" as const),
  url: list?.url ?? "",
  path: list?.path ?? "",
  allow_private: list?.allow_private ?? false,
  refresh_hours: String(list?.refresh_hours ?? 24),
  source_type: list?.source_type ?? ("everyone" as const),
  source_value: list?.source_value ?? "",
});
type ListDraft = ReturnType<typeof draftOf>;

const bodyOf = (draft: ListDraft, from: From) => ({
  ...draft,
  url: from === "url" ? draft.url.trim() : null,
  path: from === "path" ? draft.path.trim() : null,
  allow_private: from === "url" && draft.allow_private,
  refresh_hours: Number(draft.refresh_hours),
});

export function AddListDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useTranslation().dns.lists;
  const toast = useToast();
  const [from, setFrom] = useState<From>("url");
  const [draft, change] = useDraft(draftOf());
  const [file, setFile] = useState<File>();
  const create = useAction("dnsPresets", "create", { invalidates });
  const upload = useAction("dnsPresets", "upload", { invalidates });
  // Once the list exists, an upload error is reported elsewhere: the file can be uploaded again.
  const uploadFile = async (id: string, given: File) =>
    upload.mutateAsync({ params: { id }, body: await given.text() });
  const save = () =>
    create.mutate(
      { body: bodyOf(draft, from) },
      {
        onSuccess: ({ id }) => {
          onClose();
          if (from === "upload" && file) uploadFile(id, file).catch(toast.failed);
        },
      },
    );
  return (
    <FormDialog
      needs={["dnsPresets", "create"]}
      title={t.add}
      onClose={onClose}
      onSave={save}
      busy={create.isPending}
      problem={create.error}
    >
      <SelectField
        label={t.from}
        value={from}
        onChange={setFrom}
        options={froms.map((value) => ({ value, label: t.froms[value] }))}
      />
      {from === "upload" && <FileField onChange={setFile} />}
      <ListFields draft={draft} change={change} from={from} />
    </FormDialog>
  );
}

/** The list in the URL. */
export function EditListDialog() {
  const [open, setOpen] = useSearchParam("open");
  const lists = useQuery({ ...allRows("dnsPresets", "list"), enabled: open !== "" });
  const list = lists.data?.find(({ id }) => id === open);
  return list ? <EditDialog key={list.id} list={list} onClose={() => setOpen("")} /> : null;
}

function EditDialog({ list, onClose }: { readonly list: DnsList; readonly onClose: () => void }) {
  const t = useTranslation().dns.lists;
  const [draft, change] = useDraft(draftOf(list));
  const from: From = list.url !== null ? "url" : list.path !== null ? "path" : "upload";
  const update = useAction("dnsPresets", "update", { invalidates, onDone: onClose });
  return (
    <FormDialog
      needs={["dnsPresets", "update"]}
      title={t.edit(list.name)}
      onClose={onClose}
      onSave={() => update.mutate({ params: { id: list.id }, body: bodyOf(draft, from) })}
      busy={update.isPending}
      problem={update.error}
    >
      <ListFields draft={draft} change={change} from={from} />
    </FormDialog>
  );
}

interface FieldsProps {
  readonly draft: ListDraft;
  readonly change: (part: Partial<ListDraft>) => void;
  readonly from: From;
}

function ListFields({ draft, change, from }: FieldsProps) {
  const t = useTranslation().dns.lists;
  const isAdmin = useMay()(["settings", "put"]); // The permission of administrators.
  return (
    <>
      <TextField label={t.name} name="name" value={draft.name} onChange={(name) => change({ name })} />
      {from === "url" && (
        <TextField
          label={t.url}
          name="url"
          type="url"
          value={draft.url}
          placeholder="https://lists.example/ads.txt"
          onChange={(url) => change({ url })}
        />
      )}
      {from === "url" && (isAdmin || draft.allow_private) && (
        <SwitchField
          label={t.allowPrivate}
          hint={t.allowPrivateHint}
          value={draft.allow_private}
          onChange={(allow_private) => change({ allow_private })}
        />
      )}
      {from === "path" && (
        <TextField
          label={t.path}
          name="path"
          value={draft.path}
          placeholder="ads.txt"
          onChange={(path) => change({ path })}
        />
      )}
      <div className="grid dns-pair">
        <SelectField
          label={t.category}
          name="category"
          value={draft.category}
          onChange={(category) => change({ category })}
          options={categories.map((value) => ({ value, label: t.categories[value] }))}
        />
        <SelectField
          label={t.action}
          name="action"
          value={draft.action}
          onChange={(action) => change({ action })}
          options={(["block", "allow"] as const).map((value) => ({ value, label: t.actions[value] }))}
        />
        <SelectField
          label={t.format}
          name="format"
          value={draft.format}
          onChange={(format) => change({ format })}
          options={formats.map((value) => ({ value, label: t.formats[value] }))}
        />
        {from !== "upload" && (
          <TextField
            label={t.refreshHours}
            name="refresh_hours"
            type="number"
            min={1}
            max={720}
            value={draft.refresh_hours}
            onChange={(refresh_hours) => change({ refresh_hours })}
          />
        )}
      </div>
      <ScopeFields value={draft} onChange={change} />
    </>
  );
}

function FileField({ onChange }: { readonly onChange: (file: File | undefined) => void }) {
  const t = useTranslation().dns.lists;
  return (
    <Field label={t.file} hint={t.fileHint}>
      {(described) => (
        <input
          {...described}
          className="input"
          type="file"
          accept=".txt,.hosts,.rpz,text/plain"
          onChange={({ target }) => onChange(target.files?.[0])}
        />
      )}
    </Field>
  );
}

export function UploadDialog({ list, onClose }: { readonly list: DnsList; readonly onClose: () => void }) {
  const t = useTranslation().dns.lists;
  const format = useFormat();
  const toast = useToast();
  const [file, setFile] = useState<File>();
  const upload = useAction("dnsPresets", "upload", {
    invalidates,
    onDone: ({ name, entries }) => {
      onClose();
      toast.done(t.read(name, format.number(entries)));
    },
  });
  const send = async () => {
    if (file) upload.mutate({ params: { id: list.id }, body: await file.text() });
  };
  return (
    <FormDialog
      needs={["dnsPresets", "upload"]}
      title={t.uploadTo(list.name)}
      onClose={onClose}
      onSave={() => void send()}
      busy={upload.isPending}
      problem={upload.error}
      action={t.uploadAction}
    >
      <FileField onChange={setFile} />
    </FormDialog>
  );
}
