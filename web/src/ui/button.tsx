import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Link } from "wouter";
import { type Needs, useMay } from "../api/session.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface Look {
  /** main: the one thing to do here. danger: something stops working. bare: an icon alone. */
  readonly kind?: "main" | "plain" | "danger" | "quiet" | "bare";
  readonly icon?: IconName;
  /** Read aloud where the button has no words of its own. */
  readonly label?: string;
  /** The control is there only for those who may use it. */
  readonly needs?: Needs;
  readonly children?: ReactNode;
}

interface Props extends Look, Omit<ButtonHTMLAttributes<HTMLButtonElement>, "onClick" | "className" | "children"> {
  readonly onPress?: () => void;
  readonly busy?: boolean;
}

export function Button({ kind = "plain", icon, label, needs, onPress, busy, children, disabled, ...rest }: Props) {
  const may = useMay();
  if (needs && !may(needs)) return null;
  return (
    <button
      type="button"
      {...rest}
      className={`button ${kind}`}
      aria-label={label}
      title={label}
      aria-busy={busy || undefined}
      // A button that turns `disabled` under somebody's finger would lose the keyboard's place.
      aria-disabled={disabled || busy || undefined}
      onClick={(event) => {
        if (disabled || busy) return event.preventDefault();
        onPress?.();
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** Looks like a button, and goes somewhere. */
export function LinkButton({ to, kind = "plain", icon, label, needs, children }: Look & { readonly to: string }) {
  const may = useMay();
  if (needs && !may(needs)) return null;
  return (
    <Link href={to} className={`button ${kind}`} aria-label={label} title={label}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}
