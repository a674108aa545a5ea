import { Link, useLocation } from "wouter";
import { Icon } from "../ui/icon.tsx";
import { useMay } from "../api/session.tsx";
import { useTranslation } from "../i18n/i18n.tsx";
import type { Attention } from "./attention-counts.ts";
import { isAt, menu } from "./menu.ts";

const tabs = ["/", "/devices", "/dns", "/routing"];

interface Props {
  readonly counts: Attention;
  readonly menuOpen: boolean;
  readonly onMenu: () => void;
}

/** On a phone: the four pages that are opened most, and the menu with all of them. */
export function BottomTabs({ counts, menuOpen, onMenu }: Props) {
  const { shell } = useTranslation();
  const may = useMay();
  const [path] = useLocation();
  return (
    <nav className="bottom-tabs" aria-label={shell.tabs}>
      {menu
        .filter((it) => tabs.includes(it.path) && (!it.needs || may(it.needs)))
        .map(({ path: to, title, icon }) => (
          <Link key={to} href={to} aria-current={!menuOpen && isAt(path, to) ? "page" : undefined}>
            <Icon name={icon!} />
            {shell.titles[title]}
            {(counts[to] ?? 0) > 0 && (
              <b>
                {counts[to]} <span className="unseen">{shell.needAttention}</span>
              </b>
            )}
          </Link>
        ))}
      <button type="button" aria-expanded={menuOpen} aria-controls="menu" onClick={onMenu}>
        <Icon name="more" />
        {shell.more}
      </button>
    </nav>
  );
}
