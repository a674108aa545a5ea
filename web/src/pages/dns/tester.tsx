import type { Device } from "@portcullis/contract/subsystems/devices";
import type { DnsTest } from "@portcullis/contract/subsystems/dns";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParam, useGo } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { type Fact, Facts } from "../../ui/facts.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { Card, LoadedCard } from "../../ui/page.tsx";
import { PickField } from "../../ui/pick.tsx";
import { allRows, apiQuery } from "../../api/queries.ts";
import { useDomainActions } from "../../components/domain-actions.ts";
import { useEgressNames } from "../../components/egress-names.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { dnsLink, isAddress } from "./addresses.ts";
import { Cause } from "./log-table.tsx";
import { useKnown } from "./sources.tsx";
import { VerdictState } from "./states.tsx";
import { reasonsIn, useReason } from "../../i18n/reason.ts";

interface TestInput {
  readonly name: string;
  readonly type: string;
  readonly client: string;
}

/** "Would this domain be blocked for this device, and by what?" The input is in the URL, so that it can be shared. */
export function TesterTab() {
  const [name] = useSearchParam("name");
  const [type] = useSearchParam("type", "A");
  const [client] = useSearchParam("client");
  const input = { name, type, client };
  return (
    <>
      <TestForm key={JSON.stringify(input)} initial={input} />
      {name && <TestResult {...input} />}
    </>
  );
}

const types = ["A", "AAAA", "HTTPS", "CNAME", "MX", "TXT", "SRV", "PTR", "NS"].map((it) => ({ value: it, label: it }));

function TestForm({ initial }: { readonly initial: TestInput }) {
  const t = useTranslation().dns.tester;
  const go = useGo();
  const { devices } = useKnown();
  const [input, setInput] = useState(initial);
  const options = useMemo(
    () =>
      [...devices.values()].map(({ id, name, ips }) => ({
        value: id,
        label: [name, ips[0]].filter(Boolean).join(" · "),
      })),
    [devices],
  );
  const change = (part: Partial<TestInput>) => setInput({ ...input, ...part });
  const submit = () => input.name.trim() && go(dnsLink("test", { ...input, name: input.name.trim() }));
  return (
    <Card title={t.title}>
      <Form onSubmit={submit}>
        <div className="dns-filters">
          <TextField
            label={t.name}
            name="name"
            value={input.name}
            placeholder="ads.example"
            autoFocus={initial.name === ""}
            onChange={(name) => change({ name })}
          />
          <PickField
            label={t.client}
            value={input.client}
            onChange={(client) => change({ client })}
            options={options}
            placeholder={t.unknownDevice}
            free
          />
          <PickField label={t.type} value={input.type} onChange={(type) => change({ type })} options={types} free />
          <Button type="submit" kind="main">
            {t.submit}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

function TestResult({ name, type, client }: TestInput) {
  const t = useTranslation().dns.tester;
  const { devices } = useKnown();
  const who = client && (isAddress(client) ? { address: client } : { device_id: client });
  const answer = useQuery({
    ...apiQuery("dns", "test", { body: { name, ...(type && { type }), ...who } }),
    staleTime: 0,
    retry: false,
  });
  const device = useMemo(
    () =>
      devices.get(client) ??
      [...devices.values()].find(({ name: called, ips }) => called === client || ips.includes(client)),
    [devices, client],
  );
  const clientName = device?.name ?? client;
  return (
    <LoadedCard title={t.resultTitle(name, clientName)} query={answer}>
      {(test) => <Answer test={test} name={name} device={device} />}
    </LoadedCard>
  );
}

interface AnswerProps {
  readonly test: DnsTest;
  readonly name: string;
  readonly device: Device | undefined;
}

function Answer({ test, name, device }: AnswerProps) {
  const { dns, domainActions } = useTranslation();
  const format = useFormat();
  const actions = useDomainActions();
  const forwarders = useQuery(allRows("dnsForwarders", "list")).data;
  const zones = useQuery({ ...allRows("dnsZones", "list"), enabled: test.zone_id !== null }).data;
  const t = dns.tester;
  const why = useReason();
  const egressNames = useEgressNames();
  const { verdict, by, answers, egress, forwarder_ids, zone_id, log } = test;
  const byWhom = by && (dns.causes[by.resource_type] ?? ((it: string) => it))(by.name || by.resource_id);
  const named = (id: string) => forwarders?.find((it) => it.id === id)?.name ?? id;
  const facts: readonly Fact[] = [
    [t.verdict, <VerdictState verdict={verdict} />],
    by && [t.decidedBy, <Cause cause={by} />],
    answers.length > 0 && [t.answers, format.list(answers.map(({ type, value }) => `${type} ${value}`))],
    zone_id && [t.zone, zones?.find(({ id }) => id === zone_id)?.name ?? zone_id],
    [t.egress, t.egressStatus(egressNames(egress.name), egress.status)],
    [t.forwarders, forwarder_ids.length > 0 ? format.list(forwarder_ids.map(named)) : t.noForwarders],
    [t.log, t.logLevels[log]],
  ];
  return (
    <>
      <p className="dns-answer" role="status">
        {t.answer(verdict, byWhom, answers[0]?.value)}
      </p>
      <div className="row">
        <Menu icon="edit" label={domainActions.change} shown={domainActions.change} items={actions(name, device)} />
      </div>
      <Facts all={facts} />
      <h3>{t.trace}</h3>
      <ol className="dns-trace">
        {reasonsIn("trace", test).map((step, index) => (
          <li key={index}>{why.sentence(step)}</li>
        ))}
      </ol>
    </>
  );
}
