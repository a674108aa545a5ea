import * as Aria from "@ariakit/react";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { useGo } from "../ui/search-param.ts";
import { Icon } from "../ui/icon.tsx";
import { allRows, apiQuery } from "../api/queries.ts";
import { useMay } from "../api/session.tsx";
import { useTranslation } from "../i18n/i18n.tsx";
import { quickActions } from "./actions.ts";
import { menu } from "./menu.ts";

interface Found {
  readonly group: string;
  readonly name: string;
  /** Searchable text. */
  readonly searched: string;
  readonly to: string;
}

/** Ctrl-K: pages, devices, policies, tunnels and frequent actions, by a part of their name. */
export function Palette() {
  const { shell } = useTranslation();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <button type="button" className="find-button" aria-keyshortcuts="Control+K Meta+K" onClick={() => setOpen(true)}>
        <Icon name="find" />
        <span>{shell.findShort}</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <Aria.Dialog
        open={open}
        onClose={() => setOpen(false)}
        unmountOnHide
        className="dialog find"
        aria-label={shell.find}
        backdrop={<div className="backdrop" />}
      >
        <Finder onFound={() => setOpen(false)} />
      </Aria.Dialog>
    </>
  );
}

const maxShown = 12;

/** Stops at the number of results shown: the rest of ten thousand names does not matter. */
function firstFitting(targets: readonly Found[], wanted: string): readonly Found[] {
  const found: Found[] = [];
  for (const index of targets) {
    if (index.searched.includes(wanted)) found.push(index);
    if (found.length === maxShown) break;
  }
  return found;
}

function Finder({ onFound }: { readonly onFound: () => void }) {
  const { shell, ui } = useTranslation();
  const [typed, setTyped] = useState("");
  const wanted = useDeferredValue(typed).trim().toLowerCase();
  const go = useGo();
  const targets = useTargets();
  const found = useMemo(() => firstFitting(targets, wanted), [targets, wanted]);
  const groups = [...new Set(found.map(({ group }) => group))];
  return (
    <Aria.ComboboxProvider open setValue={setTyped} value={typed} includesBaseElement={false}>
      <Aria.Combobox
        autoSelect="always"
        className="input"
        placeholder={shell.findAnything}
        aria-label={shell.findAnything}
      />
      <Aria.ComboboxList alwaysVisible aria-label={shell.find}>
        {groups.map((group) => (
          <Aria.ComboboxGroup key={group}>
            <Aria.ComboboxGroupLabel className="menu-title">{group}</Aria.ComboboxGroupLabel>
            {found
              .filter((it) => it.group === group)
              .map(({ name, to }) => (
                <Aria.ComboboxItem
                  key={to}
                  className="menu-item"
                  value={name}
                  focusOnHover
                  setValueOnClick={false}
                  onClick={() => {
                    onFound();
                    go(to);
                  }}
                >
                  {name}
                </Aria.ComboboxItem>
              ))}
          </Aria.ComboboxGroup>
        ))}
        {found.length === 0 && <div className="menu-title">{ui.nothingFound}</div>}
      </Aria.ComboboxList>
    </Aria.ComboboxProvider>
  );
}

/** Everything with an address of its own. */
function useTargets(): readonly Found[] {
  const { shell } = useTranslation();
  const may = useMay();
  const devices = useQuery({ ...allRows("devices", "list"), enabled: may(["devices", "list"]), staleTime: 30_000 });
  const policies = useQuery({ ...allRows("routing", "list"), enabled: may(["routing", "list"]), staleTime: 30_000 });
  const tunnels = useQuery({
    ...apiQuery("tunnels", "list", { query: { limit: 1000 } }),
    enabled: may(["tunnels", "list"]),
    staleTime: 30_000,
  });
  return useMemo(() => {
    const found = (group: string, name: string, to: string, others = ""): Found => ({
      group,
      name,
      searched: `${name} ${others}`.toLowerCase(),
      to,
    });
    const { titles } = shell;
    const synonyms: Partial<Record<keyof typeof titles, string>> = shell.synonyms;
    return [
      ...menu
        .filter(({ icon, needs }) => icon && (!needs || may(needs)))
        .map(({ path, title }) => found(shell.pages, titles[title], path, synonyms[title])),
      ...quickActions
        .filter(({ needs }) => may(needs))
        .map(({ name, to }) => found(shell.actions, shell.quickActions[name], to)),
      ...(devices.data ?? []).map(({ id, name }) => found(titles.devices, name, `/devices/${id}`)),
      ...(policies.data ?? []).map(({ id, name }) => found(titles.routing, name, `/routing?open=${id}`)),
      ...(tunnels.data?.items ?? []).map(({ id, name }) => found(titles.tunnels, name, `/tunnels?open=${id}`)),
    ];
  }, [shell, may, devices.data, policies.data, tunnels.data]);
}
