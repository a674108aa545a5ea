import type { DnsFilterRule } from "@portcullis/contract/subsystems/dns-filters";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDraft } from "../../ui/draft.ts";
import { EntryTable } from "../../ui/entry-table.tsx";
import { SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { allRows, useSave } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useEnabledColumn } from "./enabled-column.tsx";
import { useRemoval } from "./removal.ts";
import { ScopeFields, useSourceName } from "./sources.tsx";
import { VerdictState } from "./states.tsx";

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
        { key: "action", title: t.action, width: "7rem", cell: ({ action }) => <VerdictState verdict={action} /> },
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

const matches = ["suffix", "exact", "wildcard", "regex"] as const;
const actions = ["block", "allow"] as const;

function RuleDialog({ row, onClose }: { readonly row: DnsFilterRule | undefined; readonly onClose: () => void }) {
  const t = useTranslation().dns.rules;
  const [draft, change] = useDraft({
    name: row?.name ?? "",
    action: row?.action ?? ("block" as const),
    match: row?.match ?? ("suffix" as const),
    pattern: row?.pattern ?? "",
    source_type: row?.source_type ?? ("everyone" as const),
    source_value: row?.source_value ?? "",
    enabled: row?.enabled ?? true,
    note: row?.note ?? "",
  });
  const { save, ...saving } = useSave("dnsFilterRules", row?.id, { invalidates: ["dns"], onDone: onClose });
  return (
    <FormDialog
      needs={["dnsFilterRules", row ? "update" : "create"]}
      title={row ? t.edit(row.name) : t.filter.add}
      onClose={onClose}
      onSave={() => save(draft)}
      {...saving}
    >
      <TextField label={t.name} name="name" value={draft.name} autoFocus onChange={(name) => change({ name })} />
      <div className="grid dns-pair">
        <SelectField
          label={t.action}
          name="action"
          value={draft.action}
          onChange={(action) => change({ action })}
          options={actions.map((value) => ({ value, label: t.actions[value] }))}
        />
        <SelectField
          label={t.match}
          name="match"
          value={draft.match}
          onChange={(match) => change({ match })}
          options={matches.map((value) => ({ value, label: t.matches[value] }))}
        />
      </div>
      <TextField
        label={t.pattern}
        hint={t.patternHints[draft.match]}
        name="pattern"
        value={draft.pattern}
        onChange={(pattern) => change({ pattern })}
      />
      <ScopeFields value={draft} onChange={change} />
      <TextField label={t.note} name="note" optional value={draft.note} onChange={(note) => change({ note })} />
      <SwitchField label={t.enabled} value={draft.enabled} onChange={(enabled) => change({ enabled })} />
    </FormDialog>
  );
}
