import { type ReactNode, useRef, useState } from "react";
import { type Body, type Stored, useSave } from "../api/queries.ts";
import { type BodyRules, type FieldName, rulesOf, type Unit } from "../api/rules.ts";
import type { Needs } from "../api/session.tsx";
import { useTranslation } from "../i18n/i18n.tsx";
import { BodyFields, type FieldsProps, itemsOf, namesIn } from "./body-fields.tsx";
import { type BodyState, useBody, type Values } from "./body-state.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./floating.tsx";
import { Form } from "./form.tsx";
import { FormButtons } from "./form-dialog.tsx";

interface FormProps<B, F extends FieldName<B>> extends FieldsProps<B, F> {
  readonly onSave: (body: Partial<B>) => void;
  readonly problem: Error | null;
  readonly buttons: ReactNode;
  readonly focusFirst?: boolean;
  /** Below the fields. */
  readonly children?: ReactNode;
}

/** A form that is generated from the rules of a request body. A mistake is shown at its field, which gets the focus. */
export function BodyForm<B, F extends FieldName<B>>(props: FormProps<B, F>) {
  const { form, onSave, problem, buttons, prefix = "", children } = props;
  const around = useRef<HTMLDivElement>(null);
  const submit = () => {
    const body = form.submit(namesIn(itemsOf(props)));
    if (body) onSave(body);
    else requestAnimationFrame(() => around.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const faults = Object.fromEntries(Object.entries(form.faults).map(([name, fault]) => [prefix + name, fault]));
  return (
    <div ref={around}>
      <Form onSubmit={submit} problem={problem} faults={faults} buttons={buttons}>
        <BodyFields {...props} />
        {children}
      </Form>
    </div>
  );
}

interface DialogProps<B, F extends FieldName<B>> extends Omit<FormProps<B, F>, "buttons" | "focusFirst"> {
  readonly title: string;
  /** Rendered only with this permission, also if the address opens it. */
  readonly needs: Needs;
  readonly onClose: () => void;
  readonly busy: boolean;
  /** Label of the button; default "Save". */
  readonly action?: string;
  /** Saves also without a changed field, because the request has more than the fields. */
  readonly alwaysSaves?: boolean;
}

/** The same in a dialog, which is not closed by accident while it has unsaved input. */
export function BodyDialog<B, F extends FieldName<B>>(props: DialogProps<B, F>) {
  const { form, title, needs, onClose, onSave, busy, action, alwaysSaves = false } = props;
  const { ui } = useTranslation();
  const [leaving, setLeaving] = useState(false);
  const isUnchanged = form.stored !== undefined && !form.dirty && !alwaysSaves;
  const save = (body: Partial<B>) => (isUnchanged ? onClose() : onSave(body));
  const buttons = leaving ? (
    <>
      <span className="grow" role="alert">
        {ui.unsaved}
      </span>
      <Button onPress={onClose}>{ui.discard}</Button>
      <Button kind="main" autoFocus onPress={() => setLeaving(false)}>
        {ui.keepEditing}
      </Button>
    </>
  ) : (
    <FormButtons onClose={onClose} busy={busy} {...(action !== undefined && { action })} />
  );
  return (
    <Dialog open onClose={() => (form.dirty ? setLeaving(true) : onClose())} title={title} needs={needs}>
      <BodyForm {...props} onSave={save} buttons={buttons} focusFirst />
    </Dialog>
  );
}

type CreateBody<S extends Stored> = Body<S, "create">;

interface EntryProps<S extends Stored, F extends FieldName<CreateBody<S>>>
  extends Omit<DialogProps<CreateBody<S>, F>, "form" | "needs" | "busy" | "problem" | "onSave"> {
  readonly of: S;
  /** Absent: a new entry. */
  readonly row: { readonly id: string } | undefined;
  readonly first?: Partial<Values<CreateBody<S>>>;
  readonly units?: { readonly [K in FieldName<CreateBody<S>>]?: Unit };
  /** Fields that follow from others. */
  readonly body?: (values: Values<CreateBody<S>>) => Partial<CreateBody<S>>;
  readonly invalidates?: NonNullable<Parameters<typeof useSave>[2]>["invalidates"];
  readonly onDone?: (values: Values<CreateBody<S>>) => void;
}

/** A dialog that adds an entry to a collection, or changes one: then only the changed fields are sent. */
export function EntryDialog<S extends Stored, F extends FieldName<CreateBody<S>>>(props: EntryProps<S, F>) {
  const { of, row, first, units, body, invalidates, onDone, onClose, action, ...dialog } = props;
  const { ui } = useTranslation();
  type B = CreateBody<S>;
  const rules = rulesOf(of, "create" as never) as BodyRules<B>;
  const form: BodyState<B> = useBody<B>(rules, { stored: row, ...(first && { first }), ...(units && { units }) });
  const { save, ...saving } = useSave(of, row?.id, {
    ...(invalidates && { invalidates }),
    onDone: () => {
      onDone?.(form.values);
      onClose();
    },
  });
  return (
    <BodyDialog<B, F>
      {...(dialog as unknown as Omit<DialogProps<B, F>, "form" | "needs" | "busy" | "problem" | "onSave">)}
      form={form}
      needs={[of, row ? "update" : "create"] as Needs}
      onClose={onClose}
      onSave={(changed) => save({ ...changed, ...body?.(form.values) } as Parameters<typeof save>[0])}
      action={action ?? (row ? ui.save : ui.add)}
      {...saving}
    />
  );
}
