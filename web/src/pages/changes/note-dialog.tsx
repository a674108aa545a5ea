import type { Snapshot } from "@portcullis/contract/subsystems/history";
import { useState } from "react";
import { TextField } from "../../kit/form.tsx";
import { FormDialog } from "../../kit/form-dialog.tsx";
import { useToast } from "../../kit/toasts.tsx";
import { useAct } from "../../line/reading.ts";
import { useWords } from "../../words/words.tsx";

interface NoteProps {
  readonly snapshot: Snapshot;
  readonly onClose: () => void;
}

export function NoteDialog({ snapshot: { id, note }, onClose }: NoteProps) {
  const say = useWords().changes;
  const toast = useToast();
  const [text, setText] = useState(note);
  const describe = useAct("snapshots", "update", {
    onDone: () => {
      toast.done(say.noteDone);
      onClose();
    },
  });
  return (
    <FormDialog
      needs={["snapshots", "update"]}
      title={say.noteTitle(id)}
      onClose={onClose}
      onSave={() => describe.mutate({ params: { id }, body: { note: text } })}
      busy={describe.isPending}
      problem={describe.error}
    >
      <TextField label={say.noteLabel} name="note" value={text} onChange={setText} autoFocus />
    </FormDialog>
  );
}
