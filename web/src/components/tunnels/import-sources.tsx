import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { FileButton } from "../../ui/file.tsx";
import { Tabs } from "../../ui/floating.tsx";
import { AreaField } from "../../ui/form.tsx";
import { QrCamera, readQr } from "../../ui/qr-reader.tsx";
import { useWords } from "../../i18n/i18n.tsx";

interface SourcesProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onScan: (text: string) => void;
}

/** The sources of a file. */
export function ImportSources(props: SourcesProps) {
  const say = useWords().tunnels;
  const [shown, setShown] = useState("file");
  return (
    <Tabs
      label={say.ways}
      shown={shown}
      onShow={setShown}
      tabs={[
        { id: "file", label: say.byFile, content: () => <Dropping onFiles={props.onFiles} /> },
        {
          id: "paste",
          label: say.byPaste,
          content: () => (
            <AreaField label={say.pasteHere} hint={say.pasteHint} value={props.text} onChange={props.onText} />
          ),
        },
        { id: "qr", label: say.byQr, content: () => <Scanning onScan={props.onScan} /> },
      ]}
    />
  );
}

function Dropping({ onFiles }: Pick<SourcesProps, "onFiles">) {
  const say = useWords().tunnels;
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
      <p className="quiet">{say.dropHere}</p>
      <FileButton accept=".conf,.ovpn,.txt,.cfg" multiple onChoose={onFiles}>
        {say.chooseFiles}
      </FileButton>
    </div>
  );
}

function Scanning({ onScan }: Pick<SourcesProps, "onScan">) {
  const say = useWords().tunnels;
  const [camera, setCamera] = useState(false);
  const [problem, setProblem] = useState<string>();
  const take = (text: string) => {
    setCamera(false);
    setProblem(undefined);
    onScan(text);
  };
  const read = async ([picture]: readonly File[]) => {
    const text = picture && (await readQr(picture));
    if (text === undefined) setProblem(say.noQr);
    else take(text);
  };
  return (
    <div className="stack tight">
      <p className="quiet">{say.qrHint}</p>
      <div className="row">
        <FileButton accept="image/*" onChoose={(files) => void read(files)}>
          {say.choosePicture}
        </FileButton>
        <Button onPress={() => setCamera(!camera)}>{camera ? say.stopCamera : say.useCamera}</Button>
      </div>
      {camera && (
        <QrCamera
          label={say.cameraPicture}
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
