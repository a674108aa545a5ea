import { type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Glyph, useShownState } from "../ui/state.tsx";
import { useNow } from "../ui/time.tsx";
import { useLine } from "../api/live.tsx";
import { useMay } from "../api/session.tsx";
import { useFormat, useWords } from "../i18n/i18n.tsx";
import { AccountMenu } from "./account.tsx";
import { EnforcementNotice } from "./enforcement.tsx";
import { LeakNotice } from "./leak-notice.tsx";
import { menu } from "./menu.ts";
import { Notices } from "./notices.tsx";
import { Palette } from "./palette.tsx";
import { PendingBar } from "./pending.tsx";
import { RevertNotice } from "./reverted.tsx";
import "./shell.css";

/** Surrounds every page: the menu, the connection state, the change on trial. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { frame } = useWords();
  const [path] = useLocation();
  // On a phone, navigation closes the menu.
  const [opened, setOpened] = useState<string>();
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {frame.skip}
      </a>
      <header className="top">
        <div className="row">
          <span className="phone-only">
            <Button
              kind="bare"
              icon="menu"
              label={frame.openMenu}
              aria-expanded={opened === path}
              aria-controls="menu"
              onPress={() => setOpened(opened === path ? undefined : path)}
            />
          </span>
          <Link href="/" className="brand">
            <Glyph state={useShownState("protected")} />
            {frame.product}
          </Link>
        </div>
        <div className="row">
          <LineLamp />
          <Palette />
          <AccountMenu />
        </div>
      </header>
      <div className="strips">
        <PendingBar />
        <Notices />
      </div>
      <nav id="menu" className={opened === path ? "side open" : "side"} aria-label={frame.menu}>
        <MenuLinks />
      </nav>
      <main id="content" className="content" tabIndex={-1}>
        <EnforcementNotice />
        <RevertNotice />
        <LeakNotice />
        {children}
      </main>
    </div>
  );
}

function MenuLinks() {
  const { frame } = useWords();
  const may = useMay();
  const [path] = useLocation();
  const isHere = (to: string) => (to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`));
  const groups = Object.keys(frame.groups) as (keyof typeof frame.groups)[];
  return groups.map((group) => (
    <div key={group}>
      <h2 className="side-title">{frame.groups[group]}</h2>
      <ul>
        {menu
          .filter((it) => it.group === group && it.icon && (!it.needs || may(it.needs)))
          .map(({ path: to, title, icon }) => (
            <li key={to}>
              <Link href={to} className="side-link" aria-current={isHere(to) ? "page" : undefined}>
                <Icon name={icon!} />
                {frame.titles[title]}
              </Link>
            </li>
          ))}
        {group === "manage" && (
          <li>
            <a href="/api/v1/docs" className="side-link">
              <Icon name="api" />
              {frame.titles.api}
            </a>
          </li>
        )}
      </ul>
    </div>
  ));
}

/** Whether the page is live. */
function LineLamp() {
  const { frame } = useWords();
  const { state, since } = useLine();
  const [now, format] = [useNow(), useFormat()];
  const text = state === "stale" ? frame.line.stale(format.ago(since, now)) : frame.line[state];
  return (
    <span className={`lamp ${state}`} role="status" title={text}>
      <span className={state === "stale" ? "" : "desk-only"}>{text}</span>
    </span>
  );
}
