import type { ReactNode } from "react";
import type { Needs } from "../api/session.tsx";
import { useTranslation } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./floating.tsx";
import { Form } from "./form.tsx";

interface ButtonsProps {
  readonly onClose: () => void;
  readonly busy: boolean;
  /** Label of the button; default "Save". */
  readonly action?: string;
}

/** Cancel and submit. */
export function FormButtons({ onClose, busy, action }: ButtonsProps) {
  const { ui } = useTranslation();
  return (
    <>
      <Button onPress={onClose}>{ui.cancel}</Button>
      <Button type="submit" kind="main" busy={busy}>
        {action ?? ui.save}
      </Button>
    </>
  );
}

interface Props extends ButtonsProps {
  readonly title: string;
  /** Rendered only with this permission, also if the address opens it. */
  readonly needs: Needs;
  readonly onSave: () => void;
  readonly problem: Error | null;
  readonly children: ReactNode;
}

/** A form in a dialog: fields, validation errors, and two buttons. */
export function FormDialog({ title, needs, onClose, onSave, problem, children, ...buttons }: Props) {
  return (
    <Dialog open onClose={onClose} title={title} needs={needs}>
      <Form onSubmit={onSave} problem={problem} buttons={<FormButtons onClose={onClose} {...buttons} />}>
        {children}
      </Form>
    </Dialog>
  );
}
