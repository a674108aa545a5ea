import type { DnsFilterRule } from "@portcullis/contract/subsystems/dns-filters";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDraft } from "../../ui/draft.ts";
import { EntryTable } from "../../ui/entry-table.tsx";
import { SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { everyRow, useSaving } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";
import { useEnabledColumn } from "./enabled-column.tsx";
import { useRemoval } from "./removal.ts";
import { ScopeFields, useSourceName } from "./sources.tsx";
import { VerdictState } from "./states.tsx";

export function FilterRulesCard({ find }: { readonly find: string }) {
  const { dns } = useWords();
  const say = dns.rules;
  const query = useQuery({
    ...everyRow("dnsFilterRules", "list", find ? { name: find } : {}),
    placeholderData: keepPreviousData,
  });
  const sourceName = useSourceName();
  const remove = useRemoval("dnsFilterRules");
  const enabled = useEnabledColumn<DnsFilterRule>("dnsFilterRules", ({ name }) => name);
  return (
    <EntryTable
      title={say.filter.title}
      query={query}
      nameOf={({ name }) => name}
      empty={say.filter.empty}
      find={find}
      subsystem="dnsFilterRules"
      add={say.filter.add}
      word="rule"
      columns={[
        { key: "name", title: say.name, width: "1.3fr", cell: ({ name }) => name },
        { key: "action", title: say.action, width: "7rem", cell: ({ action }) => <VerdictState verdict={action} /> },
        {
          key: "pattern",
          title: say.pattern,
          width: "2fr",
          cell: ({ match, pattern }) => (
            <span>
              <span className="code">{pattern}</span> <span className="quiet fine">{say.matches[match]}</span>
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
  const say = useWords().dns.rules;
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
  const { save, ...saving } = useSaving("dnsFilterRules", row?.id, { renews: ["dns"], onDone: onClose });
  return (
    <FormDialog
      needs={["dnsFilterRules", row ? "update" : "create"]}
      title={row ? say.edit(row.name) : say.filter.add}
      onClose={onClose}
      onSave={() => save(draft)}
      {...saving}
    >
      <TextField label={say.name} name="name" value={draft.name} autoFocus onChange={(name) => change({ name })} />
      <div className="grid dns-pair">
        <SelectField
          label={say.action}
          name="action"
          value={draft.action}
          onChange={(action) => change({ action })}
          options={actions.map((value) => ({ value, label: say.actions[value] }))}
        />
        <SelectField
          label={say.match}
          name="match"
          value={draft.match}
          onChange={(match) => change({ match })}
          options={matches.map((value) => ({ value, label: say.matches[value] }))}
        />
      </div>
      <TextField
        label={say.pattern}
        hint={say.patternHints[draft.match]}
        name="pattern"
        value={draft.pattern}
        onChange={(pattern) => change({ pattern })}
      />
      <ScopeFields value={draft} onChange={change} />
      <TextField label={say.note} name="note" optional value={draft.note} onChange={(note) => change({ note })} />
      <SwitchField label={say.enabled} value={draft.enabled} onChange={(enabled) => change({ enabled })} />
    </FormDialog>
  );
}
