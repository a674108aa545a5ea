import type { DnsRewrite } from "@portcullis/contract/subsystems/dns-filters";
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

export function RewritesCard({ find }: { readonly find: string }) {
  const { dns } = useWords();
  const say = dns.rules;
  const query = useQuery({
    ...everyRow("dnsRewrites", "list", find ? { domain: find } : {}),
    placeholderData: keepPreviousData,
  });
  const sourceName = useSourceName();
  const remove = useRemoval("dnsRewrites");
  const enabled = useEnabledColumn<DnsRewrite>("dnsRewrites", ({ domain }) => domain);
  return (
    <EntryTable
      title={say.rewrite.title}
      query={query}
      nameOf={({ domain }) => domain}
      empty={say.rewrite.empty}
      find={find}
      subsystem="dnsRewrites"
      add={say.rewrite.add}
      word="rewrite"
      columns={[
        {
          key: "domain",
          title: say.domain,
          width: "2fr",
          cell: ({ domain, match }) => (
            <span>
              {domain} <span className="quiet fine dns-plain">{say.matches[match]}</span>
            </span>
          ),
        },
        {
          key: "answer",
          title: say.answer,
          width: "1.5fr",
          cell: ({ answer, value }) => (answer === "NXDOMAIN" ? say.answers.NXDOMAIN : `${answer} ${value}`),
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
  const say = useWords().dns.rules;
  const [draft, change] = useDraft({
    domain: row?.domain ?? "",
    match: row?.match ?? ("exact" as const),
    answer: row?.answer ?? ("A" as const),
    value: row?.value ?? "",
    source_type: row?.source_type ?? ("everyone" as const),
    source_value: row?.source_value ?? "",
    enabled: row?.enabled ?? true,
  });
  const { save, ...saving } = useSaving("dnsRewrites", row?.id, { renews: ["dns"], onDone: onClose });
  const body = { ...draft, ...(draft.answer === "NXDOMAIN" && { value: "" }) };
  return (
    <FormDialog
      needs={["dnsRewrites", row ? "update" : "create"]}
      title={row ? say.edit(row.domain) : say.rewrite.add}
      onClose={onClose}
      onSave={() => save(body)}
      {...saving}
    >
      <div className="grid dns-pair">
        <TextField
          label={say.domain}
          name="domain"
          value={draft.domain}
          placeholder="nas.example"
          autoFocus
          onChange={(domain) => change({ domain })}
        />
        <SelectField
          label={say.match}
          name="match"
          value={draft.match}
          onChange={(match) => change({ match })}
          options={matches.map((value) => ({ value, label: say.matches[value] }))}
        />
        <SelectField
          label={say.answer}
          name="answer"
          value={draft.answer}
          onChange={(answer) => change({ answer })}
          options={answers.map((value) => ({ value, label: say.answers[value] }))}
        />
        {draft.answer !== "NXDOMAIN" && (
          <TextField
            label={say.values[draft.answer]}
            name="value"
            value={draft.value}
            placeholder={examples[draft.answer]}
            onChange={(value) => change({ value })}
          />
        )}
      </div>
      <ScopeFields value={draft} onChange={change} />
      <SwitchField label={say.enabled} value={draft.enabled} onChange={(enabled) => change({ enabled })} />
    </FormDialog>
  );
}
