import type { DnsEntry } from "@portcullis/contract/subsystems/dns-filters";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { EntryTable } from "../../ui/entry-table.tsx";
import { allRows } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useRemoval } from "./removal.ts";
import { ScopeFields, scopeOf, useSourceName } from "./sources.tsx";
import { EntryDialog } from "../../ui/body-form.tsx";

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
      dialog={(row, onClose) => <DomainDialog kind={kind} row={row} onClose={onClose} />}
      removal={(it) => remove(it, it.domain)}
    />
  );
}

interface DialogProps {
  readonly kind: Kind;
  readonly row: DnsEntry | undefined;
  readonly onClose: () => void;
}

function DomainDialog({ kind, row, onClose }: DialogProps) {
  const t = useTranslation().dns.rules;
  return (
    <EntryDialog<(typeof subsystems)[Kind], "domain" | "note">
      of={subsystems[kind]}
      row={row}
      onClose={onClose}
      invalidates={["dns"]}
      title={row ? t.edit(row.domain) : t[kind].add}
      fields={(values, set) => ["domain", <ScopeFields key="scope" value={scopeOf(values)} onChange={set} />, "note"]}
      texts={{ domain: { label: t.domain, hint: t.domainHint }, note: t.note }}
      examples={{ domain: "ads.example" }}
    />
  );
}
