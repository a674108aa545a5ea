import * as Aria from "@ariakit/react";
import { type ReactNode, useState } from "react";
import { Icon } from "./icon.tsx";

interface Props {
  /** For screen readers, before what the button shows; also the name of what it opens. */
  readonly label: string;
  readonly className: string;
  readonly popupClass: string;
  /** On the button. */
  readonly children: ReactNode;
  readonly content: (close: () => void) => ReactNode;
}

/** A button that opens a small dialog beside itself. What is inside is built when it is opened. */
export function Popover({ label, className, popupClass, children, content }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Aria.PopoverProvider open={open} setOpen={setOpen} placement="bottom-start">
      <Aria.PopoverDisclosure className={className}>
        <span className="unseen">{label}: </span>
        {children}
        <Icon name="chevron" />
      </Aria.PopoverDisclosure>
      {open && (
        <Aria.Popover portal gutter={4} unmountOnHide className={`menu ${popupClass}`} aria-label={label}>
          {content(() => setOpen(false))}
        </Aria.Popover>
      )}
    </Aria.PopoverProvider>
  );
}
