import { reasonsIn } from "../../i18n/reason.ts";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { type Draft, draftOf, isReady, pasted, withPasted } from "./drafts.ts";
import { DraftBlock } from "./import-draft.tsx";
import { ImportSources } from "./import-sources.tsx";
import { ImportedBlock } from "./imported.tsx";
import "./tunnels.css";

interface ImportProps {
  readonly onClose: () => void;
  /** The dialog is part of a wizard: no links to other pages. */
  readonly guided?: boolean;
}

/** Imports tunnels from text, files, drag and drop or a QR code, one or many at once. */
export function ImportDialog({ onClose, guided }: ImportProps) {
  const { tunnels: t, ui } = useTranslation();
  const { drafts, setDrafts, add, change, run, busy } = useDrafts();
  const ready = drafts.filter(isReady).length;
  const finished = drafts.length > 0 && drafts.every(({ made }) => made !== undefined);
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title={t.importOne}
      footer={
        finished ? (
          <>
            <Button onPress={() => setDrafts([])}>{t.importAnother}</Button>
            <Button kind="main" onPress={onClose}>
              {t.finish}
            </Button>
          </>
        ) : (
          <>
            <Button onPress={onClose}>{ui.cancel}</Button>
            <Button kind="main" busy={busy} disabled={ready === 0} onPress={() => void run()}>
              {t.importMany(ready)}
            </Button>
          </>
        )
      }
    >
      {!finished && (
        <ImportSources
          text={drafts.find(({ key }) => key === pasted)?.text ?? ""}
          onText={(text) => setDrafts((all) => withPasted(all, text))}
          onFiles={(files) => void add(files)}
          // A QR code contains no name.
          onScan={(text) => setDrafts((all) => [...all, { ...draftOf(newKey(), text, t.fromQr), name: "" }])}
        />
      )}
      {drafts.map((draft) =>
        draft.made ? (
          <ImportedBlock key={draft.key} made={draft.made} guided={guided} />
        ) : (
          <DraftBlock
            key={draft.key}
            draft={draft}
            onChange={(changed) => change(draft.key, changed)}
            onRemove={() => setDrafts((all) => all.filter(({ key }) => key !== draft.key))}
            onSubmit={() => void run()}
          />
        ),
      )}
    </Dialog>
  );
}

const newKey = () => crypto.getRandomValues(new Uint32Array(2)).join();

function useDrafts() {
  const [drafts, setDrafts] = useState<readonly Draft[]>([]);
  const [busy, setBusy] = useState(false);
  const wireguard = useAction("tunnels", "importWireguard");
  const openvpn = useAction("tunnels", "uploadOvpn");
  const change = (key: string, changed: Partial<Draft>) =>
    setDrafts((all) => all.map((draft) => (draft.key === key ? { ...draft, ...changed } : draft)));
  const add = async (files: readonly File[]) => {
    const read = await Promise.all(files.map(async (file) => draftOf(newKey(), await file.text(), file.name)));
    setDrafts((all) => [...all, ...read]);
  };
  const send = ({ recognised, text, name, username, password }: Draft) => {
    // The operator switches it on afterwards.
    const body = { config: text, enabled: false, ...(name.trim() !== "" && { name: name.trim() }) };
    if (recognised.kind !== "openvpn") return wireguard.mutateAsync({ body });
    return openvpn.mutateAsync({ body: { ...body, ...(username && { username }), ...(password && { password }) } });
  };
  /** One after the other, so that a duplicate name is reported for the second. */
  const run = async () => {
    setBusy(true);
    for (const draft of drafts.filter(isReady))
      await send(draft).then(
        (made) => {
          const { id, name } = made;
          change(draft.key, {
            key: id,
            made: { id, name, notes: reasonsIn("notes", made) },
            text: "",
            problem: undefined,
          });
        },
        (problem: Error) => change(draft.key, { problem }),
      );
    setBusy(false);
  };
  return { drafts, setDrafts, add, change, run, busy };
}
