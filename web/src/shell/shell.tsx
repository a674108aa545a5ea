import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import { Icon } from "../ui/icon.tsx";
import { Glyph, useShownState } from "../ui/state.tsx";
import { useNow } from "../ui/time.tsx";
import { useConnection } from "../api/live.tsx";
import { apiQuery } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";
import { AccountMenu } from "./account.tsx";
import { type Attention, useAttentionCounts } from "./attention-counts.ts";
import { BottomTabs } from "./bottom-tabs.tsx";
import { EnforcementNotice } from "./enforcement.tsx";
import { LeakNotice } from "./leak-notice.tsx";
import { isAt, menu } from "./menu.ts";
import { Notices } from "./notices.tsx";
import { Palette } from "./palette.tsx";
import { PauseMenu } from "./pause-menu.tsx";
import { PauseNotice } from "./pause-notice.tsx";
import { PendingBar } from "./pending.tsx";
import { RevertNotice } from "./reverted.tsx";
import { StatePill } from "./state-pill.tsx";
import "./shell.css";

/** Surrounds every page: the menu, and the bar with the state, the change on trial, the search and the pause. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { shell } = useTranslation();
  const may = useMay();
  const [path] = useLocation();
  // On a phone, navigation closes the menu.
  const [opened, setOpened] = useState<string>();
  const counts = useAttentionCounts();
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {shell.skip}
      </a>
      <Link href="/" className="brand" aria-label={shell.product}>
        <Glyph state={useShownState("protected")} />
        <span>{shell.product}</span>
      </Link>
      <div className="head">
        <header className="top">
          {may(["privacy", "status"]) && <StatePill />}
          <PendingBar />
          <span className="grow" />
          <Palette />
          <PauseMenu />
          <AccountMenu />
        </header>
        <div className="strips">
          <Notices />
          <PauseNotice />
        </div>
      </div>
      <nav id="menu" className={opened === path ? "side open" : "side"} aria-label={shell.menu}>
        <MenuLinks counts={counts} />
        <MenuFoot />
      </nav>
      <main id="content" className="content" tabIndex={-1}>
        <EnforcementNotice />
        <RevertNotice />
        <LeakNotice />
        {children}
      </main>
      <BottomTabs
        counts={counts}
        menuOpen={opened === path}
        onMenu={() => setOpened(opened === path ? undefined : path)}
      />
    </div>
  );
}

function MenuLinks({ counts }: { readonly counts: Attention }) {
  const { shell } = useTranslation();
  const may = useMay();
  const [path] = useLocation();
  const groups = Object.keys(shell.groups) as (keyof typeof shell.groups)[];
  return groups.map((group) => (
    <div key={group}>
      <h2 className="side-title">{shell.groups[group]}</h2>
      <ul>
        {menu
          .filter((it) => it.group === group && it.icon && (!it.needs || may(it.needs)))
          .map(({ path: to, title, icon }) => (
            <li key={to}>
              <Link href={to} className="side-link" aria-current={isAt(path, to) ? "page" : undefined}>
                <Icon name={icon!} />
                {shell.titles[title]}
                {(counts[to] ?? 0) > 0 && (
                  <span className="side-count" aria-hidden="true">
                    {counts[to]}
                  </span>
                )}
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

/** The version, and whether the page is live. */
function MenuFoot() {
  const { shell } = useTranslation();
  const may = useMay();
  const { data } = useQuery({ ...apiQuery("status", "status"), enabled: may(["status", "status"]) });
  return (
    <div className="side-foot">
      <ConnectionLamp />
      {data && (
        <p>
          {shell.version(data.version)} · <a href="/docs/">{shell.docs}</a>
        </p>
      )}
    </div>
  );
}

function ConnectionLamp() {
  const { shell } = useTranslation();
  const { state, since } = useConnection();
  const [now, format] = [useNow(), useFormat()];
  const text = state === "stale" ? shell.connection.stale(format.ago(since, now)) : shell.connection[state];
  return (
    <span className={`lamp ${state}`} role="status" title={text}>
      {text}
    </span>
  );
}
