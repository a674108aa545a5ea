import type { DnsEntry } from "@portcullis/contract/subsystems/dns-filters";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDraft } from "../../ui/draft.ts";
import { EntryTable } from "../../ui/entry-table.tsx";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { allRows, useSave } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useRemoval } from "./removal.ts";
import { ScopeFields, useSourceName } from "./sources.tsx";

const subsystems = { allow: "dnsAllowlist", block: "dnsBlocklist" } as const;
type Kind = keyof typeof subsystems;

export function EntriesCard({ kind, find }: { readonly kind: Kind; readonly find: string }) {
  const { dns } = useTranslation();
  const t = dns.rules[kind];
  const subsystem = subsystems[kind];
  const query = useQuery({
    ...allRows(subsystem, "list", find ? { domain: find } : {}),
    placeholderData: keepPreviousData,
  });
  const sourceName = useSourceName();
  const remove = useRemoval(subsystem);
  return (
    <EntryTable
      title={t.title}
      query={query}
      nameOf={({ domain }) => domain}
      empty={t.empty}
      find={find}
      subsystem={subsystem}
      add={t.add}
      word={kind}
      columns={[
        { key: "domain", title: dns.rules.domain, width: "2fr", cell: ({ domain }) => domain },
        { key: "scope", title: dns.scope.label, cell: sourceName },
        { key: "note", title: dns.rules.note, width: "1.5fr", cell: ({ note }) => note },
      ]}
      dialog={(row, onClose) => <EntryDialog kind={kind} row={row} onClose={onClose} />}
      removal={(it) => remove(it, it.domain)}
    />
  );
}

interface DialogProps {
  readonly kind: Kind;
  readonly row: DnsEntry | undefined;
  readonly onClose: () => void;
}

function EntryDialog({ kind, row, onClose }: DialogProps) {
  const { dns } = useTranslation();
  const subsystem = subsystems[kind];
  const [draft, change] = useDraft({
    domain: row?.domain ?? "",
    source_type: row?.source_type ?? ("everyone" as const),
    source_value: row?.source_value ?? "",
    note: row?.note ?? "",
  });
  const { save, ...saving } = useSave(subsystem, row?.id, { invalidates: ["dns"], onDone: onClose });
  return (
    <FormDialog
      needs={[subsystem, row ? "update" : "create"]}
      title={row ? dns.rules.edit(row.domain) : dns.rules[kind].add}
      onClose={onClose}
      onSave={() => save(draft)}
      {...saving}
    >
      <TextField
        label={dns.rules.domain}
        hint={dns.rules.domainHint}
        name="domain"
        placeholder="ads.example"
        value={draft.domain}
        autoFocus
        onChange={(domain) => change({ domain })}
      />
      <ScopeFields value={draft} onChange={change} />
      <TextField label={dns.rules.note} name="note" optional value={draft.note} onChange={(note) => change({ note })} />
    </FormDialog>
  );
}
