import type { Snapshot } from "@portcullis/contract/subsystems/history";
import { useState } from "react";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

interface NoteProps {
  readonly snapshot: Snapshot;
  readonly onClose: () => void;
}

export function NoteDialog({ snapshot: { id, note }, onClose }: NoteProps) {
  const t = useTranslation().changes;
  const toast = useToast();
  const [text, setText] = useState(note);
  const describe = useAction("snapshots", "update", {
    onDone: () => {
      toast.done(t.noteDone);
      onClose();
    },
  });
  return (
    <FormDialog
      needs={["snapshots", "update"]}
      title={t.noteTitle(id)}
      onClose={onClose}
      onSave={() => describe.mutate({ params: { id }, body: { note: text } })}
      busy={describe.isPending}
      problem={describe.error}
    >
      <TextField label={t.noteLabel} name="note" value={text} onChange={setText} autoFocus />
    </FormDialog>
  );
}
