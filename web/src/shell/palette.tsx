import * as Aria from "@ariakit/react";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { useGo } from "../ui/address.ts";
import { Button } from "../ui/button.tsx";
import { everyRow, reading } from "../api/reading.ts";
import { useMay } from "../api/session.tsx";
import { useWords } from "../i18n/i18n.tsx";
import { deeds } from "./actions.ts";
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
  const { frame } = useWords();
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
      <Button kind="bare" icon="find" label={`${frame.find} (Ctrl K)`} onPress={() => setOpen(true)} />
      <Aria.Dialog
        open={open}
        onClose={() => setOpen(false)}
        unmountOnHide
        className="dialog find"
        aria-label={frame.find}
        backdrop={<div className="backdrop" />}
      >
        <Finder onFound={() => setOpen(false)} />
      </Aria.Dialog>
    </>
  );
}

const shownMost = 12;

/** Stops at the number of results shown: the rest of ten thousand names does not matter. */
function firstFitting(places: readonly Found[], wanted: string): readonly Found[] {
  const found: Found[] = [];
  for (const place of places) {
    if (place.searched.includes(wanted)) found.push(place);
    if (found.length === shownMost) break;
  }
  return found;
}

function Finder({ onFound }: { readonly onFound: () => void }) {
  const { frame, kit } = useWords();
  const [typed, setTyped] = useState("");
  const wanted = useDeferredValue(typed).trim().toLowerCase();
  const go = useGo();
  const places = usePlaces();
  const found = useMemo(() => firstFitting(places, wanted), [places, wanted]);
  const groups = [...new Set(found.map(({ group }) => group))];
  return (
    <Aria.ComboboxProvider open setValue={setTyped} value={typed} includesBaseElement={false}>
      <Aria.Combobox
        autoSelect="always"
        className="input"
        placeholder={frame.findAnything}
        aria-label={frame.findAnything}
      />
      <Aria.ComboboxList alwaysVisible aria-label={frame.find}>
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
        {found.length === 0 && <div className="menu-title">{kit.nothingFound}</div>}
      </Aria.ComboboxList>
    </Aria.ComboboxProvider>
  );
}

/** Everything with an address of its own. */
function usePlaces(): readonly Found[] {
  const { frame } = useWords();
  const may = useMay();
  const devices = useQuery({ ...everyRow("devices", "list"), enabled: may(["devices", "list"]), staleTime: 30_000 });
  const policies = useQuery({ ...everyRow("routing", "list"), enabled: may(["routing", "list"]), staleTime: 30_000 });
  const tunnels = useQuery({
    ...reading("tunnels", "list", { query: { limit: 1000 } }),
    enabled: may(["tunnels", "list"]),
    staleTime: 30_000,
  });
  return useMemo(() => {
    const found = (group: string, name: string, to: string): Found => ({
      group,
      name,
      searched: name.toLowerCase(),
      to,
    });
    const { titles } = frame;
    return [
      ...menu
        .filter(({ icon, needs }) => icon && (!needs || may(needs)))
        .map(({ path, title }) => found(frame.pages, titles[title], path)),
      ...deeds.filter(({ needs }) => may(needs)).map(({ name, to }) => found(frame.actions, frame.deeds[name], to)),
      ...(devices.data ?? []).map(({ id, name }) => found(titles.devices, name, `/devices/${id}`)),
      ...(policies.data ?? []).map(({ id, name }) => found(titles.routing, name, `/routing?open=${id}`)),
      ...(tunnels.data?.items ?? []).map(({ id, name }) => found(titles.tunnels, name, `/tunnels?open=${id}`)),
    ];
  }, [frame, may, devices.data, policies.data, tunnels.data]);
}
