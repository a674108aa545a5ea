import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { FileButton } from "../../ui/file.tsx";
import { Tabs } from "../../ui/floating.tsx";
import { AreaField } from "../../ui/form.tsx";
import { QrCamera, readQr } from "../../ui/qr-reader.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

interface SourcesProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onScan: (text: string) => void;
}

/** The sources of a file. */
export function ImportSources(props: SourcesProps) {
  const t = useTranslation().tunnels;
  const [shown, setShown] = useState("file");
  return (
    <Tabs
      label={t.importMethods}
      shown={shown}
      onShow={setShown}
      tabs={[
        { id: "file", label: t.byFile, content: () => <Dropping onFiles={props.onFiles} /> },
        {
          id: "paste",
          label: t.byPaste,
          content: () => (
            <AreaField label={t.pasteHere} hint={t.pasteHint} value={props.text} onChange={props.onText} />
          ),
        },
        { id: "qr", label: t.byQr, content: () => <Scanning onScan={props.onScan} /> },
      ]}
    />
  );
}

function Dropping({ onFiles }: Pick<SourcesProps, "onFiles">) {
  const t = useTranslation().tunnels;
  const [over, setOver] = useState(false);
  return (
    <div
      className={over ? "tunnels-drop over" : "tunnels-drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      <p className="quiet">{t.dropHere}</p>
      <FileButton accept=".conf,.ovpn,.txt,.cfg" multiple onChoose={onFiles}>
        {t.chooseFiles}
      </FileButton>
    </div>
  );
}

function Scanning({ onScan }: Pick<SourcesProps, "onScan">) {
  const t = useTranslation().tunnels;
  const [camera, setCamera] = useState(false);
  const [problem, setProblem] = useState<string>();
  const take = (text: string) => {
    setCamera(false);
    setProblem(undefined);
    onScan(text);
  };
  const read = async ([picture]: readonly File[]) => {
    const text = picture && (await readQr(picture));
    if (text === undefined) setProblem(t.noQr);
    else take(text);
  };
  return (
    <div className="stack tight">
      <p className="quiet">{t.qrHint}</p>
      <div className="row">
        <FileButton accept="image/*" onChoose={(files) => void read(files)}>
          {t.choosePicture}
        </FileButton>
        <Button onPress={() => setCamera(!camera)}>{camera ? t.stopCamera : t.useCamera}</Button>
      </div>
      {camera && (
        <QrCamera
          label={t.cameraPicture}
          onRead={take}
          onProblem={(sentence) => {
            setCamera(false);
            setProblem(sentence);
          }}
        />
      )}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
