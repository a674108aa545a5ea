import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Link } from "wouter";
import { basePath } from "../api/contract.ts";
import { type Needs, useMay } from "../api/session.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface Look {
  /** main: the primary action. danger: something stops working. bare: an icon only. */
  readonly kind?: "main" | "plain" | "danger" | "quiet" | "bare";
  readonly icon?: IconName;
  /** For screen readers, where the button has no text. */
  readonly label?: string;
  /** Rendered only if the role has this permission. */
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
      // A button that turns `disabled` while it is pressed would lose the keyboard focus.
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

/** A link to a file of the API, which the browser saves. */
export function FileLink({ path, needs, children }: Pick<Look, "needs" | "children"> & { readonly path: string }) {
  const may = useMay();
  if (needs && !may(needs)) return null;
  return (
    <a href={`${basePath}${path}`} className="button plain" download>
      {children}
    </a>
  );
}

/** A link that looks like a button. */
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
