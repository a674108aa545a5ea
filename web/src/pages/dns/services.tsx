import type { DnsFilterRule } from "@portcullis/contract/subsystems/dns-filters";
import type { DnsService } from "@portcullis/contract/subsystems/dns-services";
import type { DnsSource } from "@portcullis/contract/subsystems/dns-source";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { allRows, apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { TextField } from "../../ui/form.tsx";
import { Card, Empty, Loaded } from "../../ui/page.tsx";
import { filteringOf } from "../../components/filtering.ts";
import { RowSelect } from "../../ui/row-select.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { actionFor, ruleFor, serviceDecision } from "./service-decisions.ts";
import { ScopeFields } from "./sources.tsx";

type Choice = DnsFilterRule["action"] | "none";

/** Services by category: block, allow or restrict each for a scope. */
export function ServicesTab() {
  const { dns, ui } = useTranslation();
  const t = dns.services;
  const [source, setSource] = useState<DnsSource>({ source_type: "everyone", source_value: "" });
  const [find, setFind] = useState("");
  const wanted = useDeferredValue(find).trim().toLowerCase();
  const status = useQuery(apiQuery("dns", "status"));
  const services = useQuery(apiQuery("dnsServices", "list"));
  const rules = useQuery(allRows("dnsFilterRules", "list"));
  const isComplete = source.source_type === "everyone" || source.source_value !== "";
  return (
    <>
      <p className="quiet">{t.hint}</p>
      {status.data && filteringOf(status.data) !== "on" && <p className="problem">{t.withoutEffect}</p>}
      <Card title={t.title}>
        <ScopeFields value={source} onChange={setSource} />
        <div className="dns-search">
          <TextField label={ui.search} type="search" value={find} onChange={setFind} />
        </div>
      </Card>
      {isComplete && (
        <Loaded query={services}>
          {(all) => (
            <Loaded query={rules}>
              {(known) => {
                const shown = all.filter(({ name, domains }) =>
                  `${name} ${domains.join(" ")}`.toLowerCase().includes(wanted),
                );
                const categories = [...Map.groupBy(shown, ({ category }) => category)];
                if (categories.length === 0) return <Empty text={ui.nothingFound} />;
                return categories.map(([category, them]) => (
                  <CategoryCard key={category} category={category} services={them} rules={known} source={source} />
                ));
              }}
            </Loaded>
          )}
        </Loaded>
      )}
    </>
  );
}

interface CategoryProps {
  readonly category: DnsService["category"];
  readonly services: readonly DnsService[];
  readonly rules: readonly DnsFilterRule[];
  readonly source: DnsSource;
}

function CategoryCard({ category, services, rules, source }: CategoryProps) {
  const t = useTranslation().dns.services;
  const title = t.categories[category];
  const isScheduled = (pattern: string) => Boolean(ruleFor(rules, pattern, source)?.schedule_id);
  return (
    <Card title={title}>
      <ul className="dns-services">
        <ServiceRow
          id={category}
          name={t.wholeCategory(title)}
          detail={isScheduled(category) ? t.scheduled : t.wholeHint}
          value={actionFor(rules, category, source) ?? "none"}
          isRestrictable={services.some((it) => it.safe_search)}
          source={source}
        />
        {services.map((it) => {
          const { own, byCategory } = serviceDecision(rules, it, source);
          return (
            <ServiceRow
              key={it.id}
              id={it.id}
              name={it.name}
              detail={
                isScheduled(it.id)
                  ? t.scheduled
                  : byCategory
                    ? t.byCategory(t.actions[byCategory])
                    : [...it.domains, ...it.hosts].slice(0, 4).join(", ")
              }
              value={own}
              isRestrictable={it.safe_search}
              source={source}
            />
          );
        })}
      </ul>
    </Card>
  );
}

interface RowProps {
  readonly id: string;
  readonly name: string;
  readonly detail: string;
  readonly value: Choice;
  readonly isRestrictable: boolean;
  readonly source: DnsSource;
}

function ServiceRow({ id, name, detail, value, isRestrictable, source }: RowProps) {
  const t = useTranslation().dns.services;
  const toast = useToast();
  const set = useAction("dnsServices", "set", { invalidates: ["dnsFilterRules", "dns"] });
  const choices: readonly Choice[] = ["none", "block", "allow", ...(isRestrictable ? (["safe_search"] as const) : [])];
  return (
    <li className="dns-offer">
      <div className="grow">
        <span className="strong">{name}</span>
        <div className="quiet fine wrap">{detail}</div>
      </div>
      <RowSelect
        label={t.actionFor(name)}
        needs={["dnsServices", "set"]}
        busy={set.isPending}
        value={value}
        options={choices.map((choice) => ({ value: choice, label: t.actions[choice] }))}
        onChange={(action) => set.mutate({ params: { id }, body: { action, ...source } }, { onError: toast.failed })}
      />
    </li>
  );
}
