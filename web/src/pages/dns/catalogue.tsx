import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/floating.tsx";
import { TextField } from "../../ui/form.tsx";
import { Empty, Loaded } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

/** Well-known lists. Nothing is downloaded before one is added. */
export function CatalogueDialog({ onClose }: { readonly onClose: () => void }) {
  const { dns, ui } = useTranslation();
  const t = dns.lists;
  const offers = useQuery(apiQuery("dnsCatalog", "list"));
  const [find, setFind] = useState("");
  const wanted = useDeferredValue(find).trim().toLowerCase();
  const toast = useToast();
  const choose = useAction("dnsCatalog", "choose", {
    invalidates: ["dnsPresets", "dnsThreatFeeds", "dns"],
    onDone: ({ name }) => toast.done(t.chosen(name)),
  });
  return (
    <Dialog open onClose={onClose} title={t.choose} needs={["dnsCatalog", "choose"]} wide>
      <p className="quiet">{t.catalogueHint}</p>
      <TextField label={ui.search} type="search" value={find} autoFocus onChange={setFind} />
      <Loaded query={offers}>
        {(all) => {
          const shown = all.filter(({ name, category, about }) =>
            `${name} ${t.categories[category]} ${about}`.toLowerCase().includes(wanted),
          );
          if (shown.length === 0) return <Empty text={ui.nothingFound} />;
          return (
            <ul className="dns-offers">
              {shown.map(({ name, category, about, chosen_id }) => (
                <li key={name} className="dns-offer">
                  <div className="grow">
                    <span className="strong">{name}</span> <span className="tag">{t.categories[category]}</span>
                    <div className="fine wrap">
                      <a href={about} target="_blank" rel="noreferrer">
                        {about}
                      </a>
                    </div>
                  </div>
                  {chosen_id ? (
                    <span className="quiet">{t.isChosen}</span>
                  ) : (
                    <Button
                      needs={["dnsCatalog", "choose"]}
                      label={t.addOne(name)}
                      busy={choose.isPending && choose.variables?.body.name === name}
                      onPress={() => choose.mutate({ body: { name } }, { onError: toast.failed })}
                    >
                      {ui.add}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
