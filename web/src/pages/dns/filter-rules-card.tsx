import type { DnsFilterRule } from "@portcullis/contract/subsystems/dns-filters";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { State } from "../../ui/state.tsx";
import { EntryTable } from "../../ui/entry-table.tsx";
import { allRows } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useEnabledColumn } from "./enabled-column.tsx";
import { useRemoval } from "./removal.ts";
import { ScopeFields, scopeOf, useSourceName } from "./sources.tsx";
import { VerdictState } from "./states.tsx";
import { EntryDialog } from "../../ui/body-form.tsx";

export function FilterRulesCard({ find }: { readonly find: string }) {
  const { dns } = useTranslation();
  const t = dns.rules;
  const query = useQuery({
    ...allRows("dnsFilterRules", "list", find ? { name: find } : {}),
    placeholderData: keepPreviousData,
  });
  const sourceName = useSourceName();
  const remove = useRemoval("dnsFilterRules");
  const enabled = useEnabledColumn<DnsFilterRule>("dnsFilterRules", ({ name }) => name);
  return (
    <EntryTable
      title={t.filter.title}
      query={query}
      nameOf={({ name }) => name}
      empty={t.filter.empty}
      find={find}
      subsystem="dnsFilterRules"
      add={t.filter.add}
      word="rule"
      columns={[
        { key: "name", title: t.name, width: "1.3fr", cell: ({ name }) => name },
        { key: "action", title: t.action, width: "7rem", cell: ({ action }) => <ActionState action={action} /> },
        {
          key: "pattern",
          title: t.pattern,
          width: "2fr",
          cell: ({ match, pattern }) => (
            <span>
              <span className="code">{pattern}</span> <span className="quiet fine">{t.matches[match]}</span>
            </span>
          ),
        },
        { key: "scope", title: dns.scope.label, cell: sourceName },
        enabled,
      ]}
      dialog={(row, onClose) => <RuleDialog row={row} onClose={onClose} />}
      removal={(it) => remove(it, it.name)}
    />
  );
}

function ActionState({ action }: Pick<DnsFilterRule, "action">) {
  const { actions } = useTranslation().dns.rules;
  return action === "safe_search" ? <State state="direct" text={actions[action]} /> : <VerdictState verdict={action} />;
}

function RuleDialog({ row, onClose }: { readonly row: DnsFilterRule | undefined; readonly onClose: () => void }) {
  const t = useTranslation().dns.rules;
  return (
    <EntryDialog<"dnsFilterRules", "name" | "action" | "match" | "pattern" | "schedule_id" | "note" | "enabled">
      of="dnsFilterRules"
      row={row}
      first={{ action: "block", match: "suffix" }}
      onClose={onClose}
      invalidates={["dns"]}
      title={row ? t.edit(row.name) : t.filter.add}
      fields={(values, set) => [
        "name",
        ["action", "match"],
        "pattern",
        <ScopeFields key="scope" value={scopeOf(values)} onChange={set} />,
        "schedule_id",
        "note",
        "enabled",
      ]}
      texts={{
        name: t.name,
        action: { label: t.action, options: t.actions },
        match: { label: t.match, options: t.matches },
        pattern: t.pattern,
        schedule_id: { label: t.schedule, hint: t.scheduleHint },
        note: t.note,
        enabled: t.enabled,
      }}
      hints={({ match = "suffix" }) => ({ pattern: t.patternHints[match] })}
    />
  );
}
