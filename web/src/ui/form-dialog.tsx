import type { ReactNode } from "react";
import type { Needs } from "../api/session.tsx";
import { useWords } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./floating.tsx";
import { Form } from "./form.tsx";

interface ButtonsProps {
  readonly onClose: () => void;
  readonly busy: boolean;
  /** What the button says; "Save" unless told. */
  readonly action?: string;
}

/** The two ends of a form: leave it, or send it. */
export function FormButtons({ onClose, busy, action }: ButtonsProps) {
  const { kit } = useWords();
  return (
    <>
      <Button onPress={onClose}>{kit.cancel}</Button>
      <Button type="submit" kind="main" busy={busy}>
        {action ?? kit.save}
      </Button>
    </>
  );
}

interface Props extends ButtonsProps {
  readonly title: string;
  /** The dialog is there only for those who may do what it does, also when an address opens it. */
  readonly needs: Needs;
  readonly onSave: () => void;
  readonly problem: Error | null;
  readonly children: ReactNode;
}

/** A form in a dialog: what is written, what the gateway says to it, and two buttons. */
export function FormDialog({ title, needs, onClose, onSave, problem, children, ...buttons }: Props) {
  return (
    <Dialog open onClose={onClose} title={title} needs={needs}>
      <Form onSubmit={onSave} problem={problem} buttons={<FormButtons onClose={onClose} {...buttons} />}>
        {children}
      </Form>
    </Dialog>
  );
}
