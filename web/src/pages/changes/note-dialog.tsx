import type { Snapshot } from "@portcullis/contract/subsystems/history";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { rulesOf } from "../../api/rules.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

interface NoteProps {
  readonly snapshot: Snapshot;
  readonly onClose: () => void;
}

export function NoteDialog({ snapshot, onClose }: NoteProps) {
  const t = useTranslation().changes;
  const toast = useToast();
  const form = useBody(rulesOf("snapshots", "update"), { stored: snapshot });
  const describe = useAction("snapshots", "update", {
    onDone: () => {
      toast.done(t.noteDone);
      onClose();
    },
  });
  return (
    <BodyDialog
      form={form}
      title={t.noteTitle(snapshot.id)}
      needs={["snapshots", "update"]}
      onClose={onClose}
      onSave={(body) => describe.mutate({ params: { id: snapshot.id }, body })}
      busy={describe.isPending}
      problem={describe.error}
      fields={["note"]}
      texts={{ note: t.noteLabel }}
    />
  );
}
