import { useSearchParam } from "../../ui/search-param.ts";
import { TextField } from "../../ui/form.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { EntriesCard } from "./entries-card.tsx";
import { FilterRulesCard } from "./filter-rules-card.tsx";
import { RewritesCard } from "./rewrites-card.tsx";
import { SchedulesCard } from "./schedules-card.tsx";
import { useDebounced } from "../../ui/debounced.ts";

/** All entries for single domains, with one search. */
export function RulesTab() {
  const t = useTranslation().dns.rules;
  const [find, setFind] = useSearchParam("find");
  const wanted = useDebounced(find.trim());
  return (
    <>
      <div className="dns-search">
        <TextField label={t.find} type="search" value={find} onChange={setFind} />
      </div>
      <p className="quiet fine">{t.order}</p>
      <FilterRulesCard find={wanted} />
      <EntriesCard kind="allow" find={wanted} />
      <EntriesCard kind="block" find={wanted} />
      <RewritesCard find={wanted} />
      <SchedulesCard />
    </>
  );
}
