import { useAddress } from "../../ui/address.ts";
import { TextField } from "../../ui/form.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { EntriesCard } from "./entries-card.tsx";
import { FilterRulesCard } from "./filter-rules-card.tsx";
import { RewritesCard } from "./rewrites-card.tsx";
import { useSettled } from "./settled.ts";

/** All entries for single domains, with one search. */
export function RulesTab() {
  const say = useWords().dns.rules;
  const [find, setFind] = useAddress("find");
  const wanted = useSettled(find.trim());
  return (
    <>
      <div className="dns-search">
        <TextField label={say.find} type="search" value={find} onChange={setFind} />
      </div>
      <p className="quiet fine">{say.order}</p>
      <FilterRulesCard find={wanted} />
      <EntriesCard kind="allow" find={wanted} />
      <EntriesCard kind="block" find={wanted} />
      <RewritesCard find={wanted} />
    </>
  );
}
