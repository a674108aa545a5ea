import type { Bridge } from "@portcullis/contract/subsystems/bridges";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog, StopDialog } from "../../ui/floating.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { State } from "../../ui/state.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";

interface StopProps {
  readonly bridge: Bridge;
  readonly onClose: () => void;
}

/** Devices on its ports lose the gateway and each other. */
export function OffDialog({ bridge, onClose }: StopProps) {
  const t = useTranslation().bridges;
  const format = useFormat();
  const toast = useToast();
  const toggling = useAction("bridges", "toggle");
  const setEnabled = (enabled: boolean) => toggling.mutateAsync({ params: { id: bridge.id }, body: { enabled } });
  return (
    <StopDialog
      onClose={onClose}
      title={t.offTitle(bridge.name)}
      text={t.portsLose(bridge.members.length, format.list(bridge.members))}
      act={async () => {
        await setEnabled(false);
        toast.done(t.isOff(bridge.name), () => void setEnabled(true).catch(toast.failed));
      }}
    />
  );
}

export function RemoveDialog({ bridge, onClose }: StopProps) {
  const t = useTranslation().bridges;
  const format = useFormat();
  const remove = useAction("bridges", "remove");
  const { id, name, members, enabled } = bridge;
  return (
    <StopDialog
      onClose={onClose}
      title={t.removeTitle(name)}
      text={enabled && members.length > 0 ? t.portsLose(members.length, format.list(members)) : t.removeText(name)}
      act={() => remove.mutateAsync({ params: { id } })}
      doneText={t.removed(name)}
    />
  );
}

/** Tests a bridge now, optionally with a neighbour on it. */
export function TestDialog({ bridge, onClose }: StopProps) {
  const { bridges: t, ui } = useTranslation();
  const why = useReason();
  const [target, setTarget] = useState("");
  const test = useAction("bridges", "test");
  const run = () =>
    test.mutate({ params: { id: bridge.id }, body: target.trim() === "" ? {} : { target: target.trim() } });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.testTitle(bridge.name)}
      footer={
        <>
          <Button onPress={onClose}>{ui.close}</Button>
          <Button kind="main" busy={test.isPending} onPress={run}>
            {t.test}
          </Button>
        </>
      }
    >
      <Form onSubmit={run} problem={test.error}>
        <TextField
          label={t.target}
          name="target"
          optional
          hint={t.targetHint}
          placeholder="192.168.1.20"
          value={target}
          onChange={setTarget}
        />
        <input type="submit" hidden />
      </Form>
      <div role="status" className="stack tight">
        {test.data && (
          <>
            <p className="strong">{test.data.healthy ? t.allPassed : t.notAllPassed}</p>
            <ul className="stack tight">
              {test.data.checks.map(({ name, passed, message, coded_message }) => (
                <li key={name} className="row">
                  <State state={passed ? "protected" : "blocked"} text={passed ? t.passed : t.failed} />
                  <span className="wrap">{why.sentence({ reason: message, coded_reason: coded_message })}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  );
}
