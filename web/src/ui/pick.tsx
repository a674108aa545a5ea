import * as Aria from "@ariakit/react";
import { useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "../i18n/i18n.tsx";
import { Field, type FieldProps, type Option } from "./form.tsx";

interface PickProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly Option[];
  readonly placeholder?: string;
  /** Text that matches no option is allowed too. */
  readonly free?: boolean;
}

const maxShown = 50;

/** A combobox for thousands of options. */
export function PickField({ value, onChange, options, placeholder, free, ...field }: PickProps) {
  const { ui } = useTranslation();
  const chosen = options.find((it) => it.value === value)?.label ?? (free ? value : "");
  const [typed, setTyped] = useState<string>();
  const wanted = useDeferredValue(typed ?? "").toLowerCase();
  const fitting = useMemo(
    () => options.filter(({ label }) => label.toLowerCase().includes(wanted)).slice(0, maxShown),
    [options, wanted],
  );
  return (
    <Field {...field}>
      {(described) => (
        <Aria.ComboboxProvider
          value={typed ?? chosen}
          setValue={(text) => {
            setTyped(text);
            if (free) onChange(text);
          }}
          setOpen={(open) => !open && setTyped(undefined)}
        >
          <Aria.Combobox {...described} className="input" placeholder={placeholder ?? ui.search} autoSelect={!free} />
          <Aria.ComboboxPopover portal gutter={4} sameWidth unmountOnHide className="menu">
            {fitting.map(({ value: id, label }) => (
              <Aria.ComboboxItem
                key={id}
                className="menu-item"
                value={label}
                setValueOnClick={false}
                onClick={() => {
                  onChange(id);
                  setTyped(undefined);
                }}
              >
                {label}
              </Aria.ComboboxItem>
            ))}
            {fitting.length === 0 && <div className="menu-title">{ui.nothingFound}</div>}
          </Aria.ComboboxPopover>
        </Aria.ComboboxProvider>
      )}
    </Field>
  );
}
