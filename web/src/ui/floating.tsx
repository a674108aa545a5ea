import * as Aria from "@ariakit/react";
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Needs, useMay } from "../api/session.tsx";
import { useTranslation } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { ProblemText } from "./problem.tsx";
import { useToast } from "./toasts.tsx";
import "./floating.css";

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly wide?: boolean;
  /** Not rendered without this permission, also if the address opens it. */
  readonly needs?: Needs;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
}

export function Dialog({ open, onClose, title, wide, needs, children, footer }: DialogProps) {
  const { ui } = useTranslation();
  const may = useMay();
  if (needs && !may(needs)) return null;
  return (
    <Aria.Dialog
      open={open}
      onClose={onClose}
      unmountOnHide
      // A page that opens with a dialog focuses its heading first: that must not close the dialog.
      hideOnInteractOutside={({ type }) => type !== "focusin"}
      className={wide ? "dialog wide" : "dialog"}
      backdrop={<div className="backdrop" />}
    >
      <div className="row spread">
        <Aria.DialogHeading>{title}</Aria.DialogHeading>
        <Button kind="bare" icon="close" label={ui.close} onPress={onClose} />
      </div>
      {children}
      {footer && <footer>{footer}</footer>}
    </Aria.Dialog>
  );
}

interface StopProps {
  /** Default true: most dialogs are mounted only while they are open. */
  readonly open?: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What stops working, as a statement. */
  readonly text: ReactNode;
  /** Named after its effect; defaults to the title. */
  readonly action?: string;
  readonly act: () => Promise<unknown>;
  /** Shown when it is done. */
  readonly doneText?: string;
}

/** Confirms an action that stops something: states the effect, and the button is named after it. */
export function StopDialog({ open = true, onClose, title, text, action = title, act, doneText }: StopProps) {
  const { ui } = useTranslation();
  const toast = useToast();
  const [doing, setDoing] = useState<{ busy: boolean; problem?: Error }>({ busy: false });
  const run = () => {
    setDoing({ busy: true });
    act().then(
      () => {
        setDoing({ busy: false });
        if (doneText !== undefined) toast.done(doneText);
        onClose();
      },
      (problem: Error) => setDoing({ busy: false, problem }),
    );
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onPress={onClose}>{ui.cancel}</Button>
          <Button kind="danger" busy={doing.busy} onPress={run}>
            {action}
          </Button>
        </>
      }
    >
      <div>{text}</div>
      {doing.problem && <ProblemText problem={doing.problem} />}
    </Dialog>
  );
}

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly onPress: () => void;
  readonly needs?: Needs;
  readonly danger?: boolean;
}
interface MenuProps {
  /** For screen readers; visible unless there is an icon. */
  readonly label: string;
  readonly icon?: IconName;
  readonly shown?: string;
  readonly items: readonly (MenuItem | { readonly title: string } | false | undefined)[];
}

/**
 * A button with a menu of actions. Hidden if the role allows none. Every row of a long list has one, so the menu is built
 * when it is opened.
 */
export function Menu({ label, icon = "more", shown, items }: MenuProps) {
  const may = useMay();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<"by pointer" | "by key">();
  const offered = items
    .filter((it) => it !== false && it !== undefined)
    .filter((it) => "title" in it || !it.needs || may(it.needs));
  if (!offered.some((it) => "onPress" in it)) return null;
  // Speech control finds a button by the text it shows.
  const name = shown === undefined || label.includes(shown) ? label : `${shown}: ${label}`;
  return (
    <>
      <button
        ref={button}
        type="button"
        className={shown === undefined ? "button bare" : "button plain"}
        aria-label={name}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open !== undefined}
        onClick={({ detail }) => setOpen(open ? undefined : detail === 0 ? "by key" : "by pointer")}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || open) return;
          event.preventDefault();
          setOpen("by key");
        }}
      >
        <Icon name={icon} />
        {shown}
      </button>
      {open && <OpenMenu label={label} button={button} by={open} items={offered} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface OpenMenuProps {
  readonly label: string;
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly by: "by pointer" | "by key";
  readonly items: readonly (MenuItem | { readonly title: string })[];
  readonly onClose: () => void;
}

function OpenMenu({ label, button, by, items, onClose }: OpenMenuProps) {
  const list = useRef<HTMLDivElement>(null);
  const close = (): void => {
    // Focus returns to the button, unless the user moved it elsewhere.
    if (list.current?.contains(document.activeElement)) button.current?.focus();
    onClose();
  };
  const store = Aria.useMenuStore({ open: true, setOpen: (isOpen) => !isOpen && close() });
  useLayoutEffect(() => {
    store.setAnchorElement(button.current);
    store.setDisclosureElement(button.current);
    store.setInitialFocus(by === "by key" ? "first" : "container");
    store.setAutoFocusOnShow(true);
  }, [store, button, by]);
  return (
    <Aria.Menu ref={list} store={store} portal gutter={4} className="menu" aria-label={label}>
      {items.map((it) =>
        "title" in it ? (
          <div key={it.title} className="menu-title">
            {it.title}
          </div>
        ) : (
          <Aria.MenuItem key={it.label} className={it.danger ? "menu-item danger" : "menu-item"} onClick={it.onPress}>
            {it.icon && <Icon name={it.icon} />}
            {it.label}
          </Aria.MenuItem>
        ),
      )}
    </Aria.Menu>
  );
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly id: string; readonly label: string; readonly content: () => ReactNode }[];
  readonly shown: string;
  readonly onShow: (id: string) => void;
}

/** Only the selected tab is rendered. Keep the selection in the URL: `useSearchParam("tab")`. */
export function Tabs({ label, tabs, shown, onShow }: TabsProps) {
  const current = tabs.find(({ id }) => id === shown) ?? tabs[0];
  const list = useRef<HTMLDivElement>(null);
  // On a phone the tabs are wider than the screen: the selected one is scrolled into view.
  useEffect(() => {
    const tab = list.current?.querySelector("[aria-selected=true]")?.getBoundingClientRect();
    const shell = list.current?.getBoundingClientRect();
    if (tab && shell) list.current!.scrollLeft += tab.left + tab.width / 2 - shell.left - shell.width / 2;
  }, [current?.id]);
  return (
    <Aria.TabProvider selectedId={current?.id ?? null} setSelectedId={(id) => id != null && onShow(id)}>
      <Aria.TabList ref={list} className="tabs" aria-label={label}>
        {tabs.map(({ id, label: text }) => (
          <Aria.Tab key={id} id={id} className="tab">
            {text}
          </Aria.Tab>
        ))}
      </Aria.TabList>
      {current && (
        <Aria.TabPanel key={current.id} tabId={current.id} className="stack" focusable={false}>
          {current.content()}
        </Aria.TabPanel>
      )}
    </Aria.TabProvider>
  );
}
