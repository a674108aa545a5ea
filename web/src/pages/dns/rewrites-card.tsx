import type { DnsRewrite } from "@portcullis/contract/subsystems/dns-filters";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { EntryTable } from "../../ui/entry-table.tsx";
import { allRows } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useEnabledColumn } from "./enabled-column.tsx";
import { useRemoval } from "./removal.ts";
import { ScopeFields, scopeOf, useSourceName } from "./sources.tsx";
import { EntryDialog } from "../../ui/body-form.tsx";

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

const examples = { A: "192.0.2.7", AAAA: "2001:db8::7", CNAME: "nas.home.example" };

function RewriteDialog({ row, onClose }: { readonly row: DnsRewrite | undefined; readonly onClose: () => void }) {
  const t = useTranslation().dns.rules;
  return (
    <EntryDialog<"dnsRewrites", "domain" | "match" | "answer" | "value" | "enabled">
      of="dnsRewrites"
      row={row}
      first={{ answer: "A" }}
      onClose={onClose}
      invalidates={["dns"]}
      title={row ? t.edit(row.domain) : t.rewrite.add}
      fields={(values, set) => [
        ["domain", "match"],
        ["answer", values.answer !== "NXDOMAIN" && "value"],
        <ScopeFields key="scope" value={scopeOf(values)} onChange={set} />,
        "enabled",
      ]}
      texts={({ answer = "A" }) => ({
        domain: t.domain,
        match: { label: t.match, options: t.matches },
        answer: { label: t.answer, options: t.answers },
        value: answer === "NXDOMAIN" ? t.answer : { label: t.values[answer], needed: true },
        enabled: t.enabled,
      })}
      body={({ answer }) => (answer === "NXDOMAIN" ? { value: "" } : {})}
      examples={({ answer = "A" }) => ({
        domain: "nas.example",
        ...(answer !== "NXDOMAIN" && { value: examples[answer] }),
      })}
    />
  );
}
