import { type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Glyph, useShownState } from "../ui/state.tsx";
import { useNow } from "../ui/time.tsx";
import { useConnection } from "../api/live.tsx";
import { useMay } from "../api/session.tsx";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";
import { AccountMenu } from "./account.tsx";
import { EnforcementNotice } from "./enforcement.tsx";
import { LeakNotice } from "./leak-notice.tsx";
import { menu } from "./menu.ts";
import { Notices } from "./notices.tsx";
import { Palette } from "./palette.tsx";
import { PauseNotice } from "./pause-notice.tsx";
import { PendingBar } from "./pending.tsx";
import { RevertNotice } from "./reverted.tsx";
import "./shell.css";

/** Surrounds every page: the menu, the connection state, the change on trial. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { shell } = useTranslation();
  const [path] = useLocation();
  // On a phone, navigation closes the menu.
  const [opened, setOpened] = useState<string>();
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {shell.skip}
      </a>
      <header className="top">
        <div className="row">
          <span className="phone-only">
            <Button
              kind="bare"
              icon="menu"
              label={shell.openMenu}
              aria-expanded={opened === path}
              aria-controls="menu"
              onPress={() => setOpened(opened === path ? undefined : path)}
            />
          </span>
          <Link href="/" className="brand">
            <Glyph state={useShownState("protected")} />
            {shell.product}
          </Link>
        </div>
        <div className="row">
          <ConnectionLamp />
          <Palette />
          <AccountMenu />
        </div>
      </header>
      <div className="strips">
        <PendingBar />
        <Notices />
        <PauseNotice />
      </div>
      <nav id="menu" className={opened === path ? "side open" : "side"} aria-label={shell.menu}>
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
  const { shell } = useTranslation();
  const may = useMay();
  const [path] = useLocation();
  const isHere = (to: string) => (to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`));
  const groups = Object.keys(shell.groups) as (keyof typeof shell.groups)[];
  return groups.map((group) => (
    <div key={group}>
      <h2 className="side-title">{shell.groups[group]}</h2>
      <ul>
        {menu
          .filter((it) => it.group === group && it.icon && (!it.needs || may(it.needs)))
          .map(({ path: to, title, icon }) => (
            <li key={to}>
              <Link href={to} className="side-link" aria-current={isHere(to) ? "page" : undefined}>
                <Icon name={icon!} />
                {shell.titles[title]}
              </Link>
            </li>
          ))}
        {group === "manage" && (
          <li>
            <a href="/api/v1/docs" className="side-link">
              <Icon name="api" />
              {shell.titles.api}
            </a>
          </li>
        )}
      </ul>
    </div>
  ));
}

/** Whether the page is live. */
function ConnectionLamp() {
  const { shell } = useTranslation();
  const { state, since } = useConnection();
  const [now, format] = [useNow(), useFormat()];
  const text = state === "stale" ? shell.connection.stale(format.ago(since, now)) : shell.connection[state];
  return (
    <span className={`lamp ${state}`} role="status" title={text}>
      <span className={state === "stale" ? "" : "desk-only"}>{text}</span>
    </span>
  );
}
