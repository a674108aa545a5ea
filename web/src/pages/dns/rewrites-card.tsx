import type { DnsRewrite } from "@portcullis/contract/subsystems/dns-filters";
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

export function RewritesCard({ find }: { readonly find: string }) {
  const { dns } = useTranslation();
  const t = dns.rules;
  const query = useQuery({
    ...allRows("dnsRewrites", "list", find ? { domain: find } : {}),
    placeholderData: keepPreviousData,
  });
  const sourceName = useSourceName();
  const remove = useRemoval("dnsRewrites");
  const enabled = useEnabledColumn<DnsRewrite>("dnsRewrites", ({ domain }) => domain);
  return (
    <EntryTable
      title={t.rewrite.title}
      query={query}
      nameOf={({ domain }) => domain}
      empty={t.rewrite.empty}
      find={find}
      subsystem="dnsRewrites"
      add={t.rewrite.add}
      word="rewrite"
      columns={[
        {
          key: "domain",
          title: t.domain,
          width: "2fr",
          cell: ({ domain, match }) => (
            <span>
              {domain} <span className="quiet fine dns-plain">{t.matches[match]}</span>
            </span>
          ),
        },
        {
          key: "answer",
          title: t.answer,
          width: "1.5fr",
          cell: ({ answer, value }) => (answer === "NXDOMAIN" ? t.answers.NXDOMAIN : `${answer} ${value}`),
        },
        { key: "scope", title: dns.scope.label, cell: sourceName },
        enabled,
      ]}
      dialog={(row, onClose) => <RewriteDialog row={row} onClose={onClose} />}
      removal={(it) => remove(it, it.domain)}
    />
  );
}

const matches = ["exact", "suffix", "wildcard"] as const;
const answers = ["A", "AAAA", "CNAME", "NXDOMAIN"] as const;
const examples = { A: "192.0.2.7", AAAA: "2001:db8::7", CNAME: "nas.home.example" };

function RewriteDialog({ row, onClose }: { readonly row: DnsRewrite | undefined; readonly onClose: () => void }) {
  const t = useTranslation().dns.rules;
  const [draft, change] = useDraft({
    domain: row?.domain ?? "",
    match: row?.match ?? ("exact" as const),
    answer: row?.answer ?? ("A" as const),
    value: row?.value ?? "",
    source_type: row?.source_type ?? ("everyone" as const),
    source_value: row?.source_value ?? "",
    enabled: row?.enabled ?? true,
  });
  const { save, ...saving } = useSave("dnsRewrites", row?.id, { invalidates: ["dns"], onDone: onClose });
  const body = { ...draft, ...(draft.answer === "NXDOMAIN" && { value: "" }) };
  return (
    <FormDialog
      needs={["dnsRewrites", row ? "update" : "create"]}
      title={row ? t.edit(row.domain) : t.rewrite.add}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
    >
      <div className="grid dns-pair">
        <TextField
          label={t.domain}
          name="domain"
          value={draft.domain}
          placeholder="nas.example"
          autoFocus
          onChange={(domain) => change({ domain })}
        />
        <SelectField
          label={t.match}
          name="match"
          value={draft.match}
          onChange={(match) => change({ match })}
          options={matches.map((value) => ({ value, label: t.matches[value] }))}
        />
        <SelectField
          label={t.answer}
          name="answer"
          value={draft.answer}
          onChange={(answer) => change({ answer })}
          options={answers.map((value) => ({ value, label: t.answers[value] }))}
        />
        {draft.answer !== "NXDOMAIN" && (
          <TextField
            label={t.values[draft.answer]}
            name="value"
            value={draft.value}
            placeholder={examples[draft.answer]}
            onChange={(value) => change({ value })}
          />
        )}
      </div>
      <ScopeFields value={draft} onChange={change} />
      <SwitchField label={t.enabled} value={draft.enabled} onChange={(enabled) => change({ enabled })} />
    </FormDialog>
  );
}
