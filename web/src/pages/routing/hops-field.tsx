import type { Hop } from "@portcullis/contract/subsystems/routing";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Button } from "../../ui/button.tsx";
import { PickField } from "../../ui/pick.tsx";
import { allRows, apiQuery } from "../../api/queries.ts";
import { useNames } from "../../components/names.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { swapped } from "./draft.ts";

interface HopsProps {
  readonly hops: readonly Hop[];
  readonly onChange: (hops: readonly Hop[]) => void;
}

/** The hops of a chain in order, and a field to add more. */
export function HopsField({ hops, onChange }: HopsProps) {
  const { routing, paths } = useTranslation();
  const t = routing.editor;
  const nameOf = useNames();
  const choices = useChoices();
  return (
    <div className="stack tight">
      {hops.length > 0 && (
        <ol className="stack tight" aria-label={t.hops}>
          {hops.map(({ type, target }, index) => {
            const name = nameOf(target);
            return (
              <li key={`${type} ${target} ${index}`} className="routing-hop">
                <span className="quiet fine">{index + 1}</span>
                <span className="wrap">
                  {name} <span className="quiet fine">{paths.kinds[type]}</span>
                </span>
                <span className="row">
                  <Button
                    kind="bare"
                    icon="up"
                    label={t.hopUp(name)}
                    disabled={index === 0}
                    onPress={() => onChange(swapped(hops, index, index - 1))}
                  />
                  <Button
                    kind="bare"
                    icon="down"
                    label={t.hopDown(name)}
                    disabled={index === hops.length - 1}
                    onPress={() => onChange(swapped(hops, index, index + 1))}
                  />
                  <Button
                    kind="bare"
                    icon="close"
                    label={t.hopRemove(name)}
                    onPress={() => onChange(hops.toSpliced(index, 1))}
                  />
                </span>
              </li>
            );
          })}
        </ol>
      )}
      <PickField
        // A selected hop moves to the list above: the field is reset for the next one.
        key={hops.length}
        label={t.addHop}
        name="hops"
        placeholder={t.hopChoice}
        value=""
        options={choices}
        onChange={(chosen) => {
          const [type = "", target = ""] = chosen.split(/ (.*)/s);
          onChange([...hops, { type: type as Hop["type"], target }]);
        }}
      />
    </div>
  );
}

/** Everything that can be a hop. Local proxies cannot: devices connect to them. */
function useChoices() {
  const { kinds } = useTranslation().paths;
  const tunnels = useQuery(allRows("tunnels", "list")).data;
  const proxies = useQuery(allRows("proxies", "list")).data;
  const uplinks = useQuery({ ...apiQuery("uplinks", "get"), staleTime: 30_000 }).data;
  return useMemo(
    () => [
      ...(tunnels ?? []).map(({ id, name }) => ({ value: `vpn ${id}`, label: `${name} · ${kinds.vpn}` })),
      ...(proxies ?? [])
        .filter(({ kind }) => kind === "upstream")
        .map(({ id, name }) => ({ value: `proxy ${id}`, label: `${name} · ${kinds.proxy}` })),
      ...(uplinks?.uplinks ?? []).map((uplink) => ({
        value: `interface ${uplink.interface}`,
        label: `${uplink.interface} · ${kinds.interface}`,
      })),
    ],
    [tunnels, proxies, uplinks, kinds],
  );
}
