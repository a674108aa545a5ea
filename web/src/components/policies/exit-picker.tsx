import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { allRows } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Popover } from "../../ui/popover.tsx";
import { SelectField } from "../../ui/form.tsx";
import { Glyph } from "../../ui/state.tsx";
import type { Exit } from "./device-exit.ts";
import { useExitChange } from "./use-exit-change.ts";
import "./exit-picker.css";

interface Target {
  readonly device: { readonly id: string; readonly name: string };
  readonly decidingId: string | null;
  /** An exception or a pause decides now, before any policy. */
  readonly isExcepted?: boolean;
}

interface Props {
  /** For screen readers: "Exit of Kitchen TV". */
  readonly label: string;
  readonly targets: readonly Target[];
  /** The current exit, on the button. */
  readonly children: ReactNode;
  readonly className?: string;
  readonly onChosen?: () => void;
}

/** The exit of devices, on a button that opens the choice. Choosing writes policies, and tries them for two minutes. */
export function ExitPicker({ label, targets, children, className = "exit", onChosen }: Props) {
  const may = useMay();
  if (!may(["routing", "apply"])) return <span className={`${className} fixed`}>{children}</span>;
  return (
    <Popover
      label={label}
      className={className}
      popupClass="exit-picker"
      content={(close) => (
        <Choices
          label={label}
          targets={targets}
          onChosen={() => {
            close();
            onChosen?.();
          }}
        />
      )}
    >
      {children}
    </Popover>
  );
}

function Choices({ label, targets, onChosen }: Pick<Props, "label" | "targets"> & { readonly onChosen: () => void }) {
  const t = useTranslation().exits;
  const paths = useTranslation().paths;
  const format = useFormat();
  const [fail, setFail] = useState<"fail-closed" | "fail-open">("fail-closed");
  const tunnels = useQuery(allRows("tunnels", "list")).data ?? [];
  const change = useExitChange();
  const [first] = targets;
  const preview = targets.length === 1 && first ? change.preview(first) : undefined;
  // Buttons that were `disabled` until everything is read could not take the focus when the popover opens.
  const isOff = !change.isReady || change.isOnTrial || change.busy;
  const choose = (exit: Exit) => {
    if (isOff) return;
    change.write(targets, exit);
    onChosen();
  };
  return (
    <>
      <h2 className="exit-picker-title">{label}</h2>
      <ul>
        {tunnels
          .filter(({ enabled }) => enabled)
          .map(({ id, name, status, rtt_ms }) => (
            <li key={id}>
              <button
                type="button"
                className="exit-choice"
                aria-disabled={isOff || undefined}
                onClick={() => choose({ kind: "tunnel", id, fail })}
              >
                <Icon name="tunnels" />
                <b className="cut">{name}</b>
                <span className={status === "failed" ? "exit-down" : "quiet"}>
                  {status === "up" && rtt_ms !== null ? format.ms(rtt_ms) : paths.statuses[status]}
                </span>
              </button>
            </li>
          ))}
        {(["direct", "blocked"] as const).map((kind) => (
          <li key={kind}>
            <button
              type="button"
              className="exit-choice"
              aria-disabled={isOff || undefined}
              onClick={() => choose({ kind })}
            >
              <Glyph state={kind} />
              <b>{t[kind].name}</b>
              <span className="quiet">{t[kind].effect}</span>
            </button>
          </li>
        ))}
      </ul>
      <SelectField
        label={t.fails}
        value={fail}
        onChange={setFail}
        options={[
          { value: "fail-closed", label: t.failClosed },
          { value: "fail-open", label: t.failOpen },
        ]}
      />
      <p className="quiet exit-picker-note" role="status">
        {change.isOnTrial ? t.keepFirst : preview ? t.writes[preview.kind](preview.name) : t.writesMany(targets.length)}
        {preview && preview.scheduled.length > 0 && ` ${t.scheduled(preview.scheduled)}`}
        {!preview && change.mayWait(targets) && ` ${t.scheduledMany}`}
        {first?.isExcepted && ` ${t.excepted}`}
      </p>
    </>
  );
}
