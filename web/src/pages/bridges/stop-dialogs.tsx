import type { Bridge } from "@portcullis/contract/subsystems/bridges";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog, StopDialog } from "../../ui/floating.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { State } from "../../ui/state.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

interface StopProps {
  readonly bridge: Bridge;
  readonly onClose: () => void;
}

/** Devices on its ports lose the gateway and each other. */
export function OffDialog({ bridge, onClose }: StopProps) {
  const say = useWords().bridges;
  const format = useFormat();
  const toast = useToast();
  const toggle = useAct("bridges", "toggle");
  const turn = (enabled: boolean) => toggle.mutateAsync({ params: { id: bridge.id }, body: { enabled } });
  return (
    <StopDialog
      onClose={onClose}
      title={say.offTitle(bridge.name)}
      says={say.portsLose(bridge.members.length, format.list(bridge.members))}
      act={async () => {
        await turn(false);
        toast.done(say.isOff(bridge.name), () => void turn(true).catch(toast.failed));
      }}
    />
  );
}

export function RemoveDialog({ bridge, onClose }: StopProps) {
  const say = useWords().bridges;
  const format = useFormat();
  const remove = useAct("bridges", "remove");
  const { id, name, members, enabled } = bridge;
  return (
    <StopDialog
      onClose={onClose}
      title={say.removeTitle(name)}
      says={enabled && members.length > 0 ? say.portsLose(members.length, format.list(members)) : say.removeSays(name)}
      act={() => remove.mutateAsync({ params: { id } })}
      doneSays={say.removed(name)}
    />
  );
}

/** Tests a bridge now, optionally with a neighbour on it. */
export function TestDialog({ bridge, onClose }: StopProps) {
  const { bridges: say, kit } = useWords();
  const [target, setTarget] = useState("");
  const test = useAct("bridges", "test");
  const run = () =>
    test.mutate({ params: { id: bridge.id }, body: target.trim() === "" ? {} : { target: target.trim() } });
  return (
    <Dialog
      open
      onClose={onClose}
      title={say.testTitle(bridge.name)}
      footer={
        <>
          <Button onPress={onClose}>{kit.close}</Button>
          <Button kind="main" busy={test.isPending} onPress={run}>
            {say.test}
          </Button>
        </>
      }
    >
      <Form onSubmit={run} problem={test.error}>
        <TextField
          label={say.target}
          name="target"
          optional
          hint={say.targetHint}
          placeholder="192.168.1.20"
          value={target}
          onChange={setTarget}
        />
        <input type="submit" hidden />
      </Form>
      <div role="status" className="stack tight">
        {test.data && (
          <>
            <p className="strong">{test.data.healthy ? say.allPassed : say.notAllPassed}</p>
            <ul className="stack tight">
              {test.data.checks.map(({ name, passed, message }) => (
                <li key={name} className="row">
                  <State state={passed ? "protected" : "blocked"} text={passed ? say.passed : say.failed} />
                  <span className="wrap">{say.reason(message)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  );
}
