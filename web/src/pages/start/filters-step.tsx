import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { SwitchField } from "../../ui/form.tsx";
import { Loaded } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { gateway } from "../../api/gateway.ts";
import { allRows, apiQuery } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { Check } from "./check.tsx";
import { reasonIn, useReason } from "../../i18n/reason.ts";

/** The recommended block lists. None is downloaded before the user adds it. */
export function FiltersStep({ onDone }: { readonly onDone: () => void }) {
  const { start: t, dns } = useTranslation();
  const [queries, toast, format, why] = [useQueryClient(), useToast(), useFormat(), useReason()];
  const offers = useQuery(apiQuery("dnsCatalog", "list"));
  const lists = useQuery({ ...allRows("dnsPresets", "list"), refetchInterval: 2000 });
  const status = useQuery({ ...apiQuery("dns", "status"), refetchInterval: 5000 }).data;
  const [refused, setRefused] = useState<readonly string[]>([]);
  const add = useMutation({
    mutationFn: async (names: readonly string[]) => {
      for (const name of names) await gateway.dnsCatalog.choose({ body: { name } });
    },
    onError: toast.failed,
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <Loaded query={offers}>
      {(all) => {
        const recommended = all.filter((it) => it.recommended);
        const open = recommended.filter((it) => it.chosen_id === null);
        const wanted = open.map(({ name }) => name).filter((name) => !refused.includes(name));
        return (
          <>
            {status?.status === "off" && <p className="problem wrap">{t.listsOff(why.clause(status))}</p>}
            <ul className="stack tight">
              {recommended.map(({ name, category, url, chosen_id: id }) => {
                const list = lists.data?.find((it) => it.id === id);
                return (
                  <li key={name}>
                    {id === null ? (
                      <SwitchField
                        label={`${name} (${dns.lists.categories[category]})`}
                        hint={t.listFrom(new URL(url).hostname)}
                        value={!refused.includes(name)}
                        onChange={(isWanted) =>
                          setRefused(isWanted ? refused.filter((it) => it !== name) : [...refused, name])
                        }
                      />
                    ) : (
                      <ul>
                        <Check state={list?.problem ? "bad" : list?.read_at == null ? "waiting" : "good"}>
                          {name}:{" "}
                          {list?.problem
                            ? why.clause(reasonIn("problem", list))
                            : t.listNames(format.number(list?.entries ?? 0))}
                        </Check>
                      </ul>
                    )}
                  </li>
                );
              })}
            </ul>
            <div className="row">
              {wanted.length > 0 && (
                <Button
                  kind="main"
                  needs={["dnsCatalog", "choose"]}
                  busy={add.isPending}
                  onPress={() => add.mutate(wanted)}
                >
                  {t.addLists(wanted.length)}
                </Button>
              )}
              <Button kind={wanted.length > 0 ? "quiet" : "main"} onPress={onDone}>
                {recommended.length === open.length ? t.withoutLists : t.next}
              </Button>
            </div>
          </>
        );
      }}
    </Loaded>
  );
}
