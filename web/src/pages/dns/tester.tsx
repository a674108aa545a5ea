import type { Device } from "@portcullis/contract/subsystems/devices";
import type { DnsTest } from "@portcullis/contract/subsystems/dns";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useAddress, useGo } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { type Fact, Facts } from "../../ui/facts.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { Card, LoadedCard } from "../../ui/page.tsx";
import { PickField } from "../../ui/pick.tsx";
import { everyRow, reading } from "../../api/reading.ts";
import { useNameDeeds } from "../../components/domain-actions.ts";
import { useWayNames } from "../../components/egress-names.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { dnsPlace, isAddress } from "./addresses.ts";
import { Cause } from "./log-table.tsx";
import { useKnown } from "./sources.tsx";
import { VerdictState } from "./states.tsx";

interface Question {
  readonly name: string;
  readonly type: string;
  readonly client: string;
}

/** "Would this domain be blocked for this device, and by what?" The input is in the URL, so that it can be shared. */
export function TesterTab() {
  const [name] = useAddress("name");
  const [type] = useAddress("type", "A");
  const [client] = useAddress("client");
  const question = { name, type, client };
  return (
    <>
      <QuestionCard key={JSON.stringify(question)} asked={question} />
      {name && <AnswerCard {...question} />}
    </>
  );
}

const types = ["A", "AAAA", "HTTPS", "CNAME", "MX", "TXT", "SRV", "PTR", "NS"].map((it) => ({ value: it, label: it }));

function QuestionCard({ asked }: { readonly asked: Question }) {
  const say = useWords().dns.tester;
  const go = useGo();
  const { devices } = useKnown();
  const [question, setQuestion] = useState(asked);
  const options = useMemo(
    () =>
      [...devices.values()].map(({ id, name, ips }) => ({
        value: id,
        label: [name, ips[0]].filter(Boolean).join(" · "),
      })),
    [devices],
  );
  const change = (part: Partial<Question>) => setQuestion({ ...question, ...part });
  const ask = () => question.name.trim() && go(dnsPlace("test", { ...question, name: question.name.trim() }));
  return (
    <Card title={say.title}>
      <Form onSubmit={ask}>
        <div className="dns-filters">
          <TextField
            label={say.name}
            name="name"
            value={question.name}
            placeholder="ads.example"
            autoFocus={asked.name === ""}
            onChange={(name) => change({ name })}
          />
          <PickField
            label={say.client}
            value={question.client}
            onChange={(client) => change({ client })}
            options={options}
            placeholder={say.nobodyKnown}
            free
          />
          <PickField
            label={say.type}
            value={question.type}
            onChange={(type) => change({ type })}
            options={types}
            free
          />
          <Button type="submit" kind="main">
            {say.ask}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

function AnswerCard({ name, type, client }: Question) {
  const say = useWords().dns.tester;
  const { devices } = useKnown();
  const who = client && (isAddress(client) ? { address: client } : { device_id: client });
  const answer = useQuery({
    ...reading("dns", "test", { body: { name, ...(type && { type }), ...who } }),
    staleTime: 0,
    retry: false,
  });
  const device = useMemo(
    () =>
      devices.get(client) ??
      [...devices.values()].find(({ name: called, ips }) => called === client || ips.includes(client)),
    [devices, client],
  );
  const asker = device?.name ?? client;
  return (
    <LoadedCard title={say.question(name, asker)} query={answer}>
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
  const { dns, nameDeeds } = useWords();
  const format = useFormat();
  const deeds = useNameDeeds();
  const forwarders = useQuery(everyRow("dnsForwarders", "list")).data;
  const zones = useQuery({ ...everyRow("dnsZones", "list"), enabled: test.zone_id !== null }).data;
  const say = dns.tester;
  const wayNames = useWayNames();
  const { verdict, by, answers, egress, forwarder_ids, zone_id, log, trace } = test;
  const byWhom = by && (dns.causes[by.resource_type] ?? ((it: string) => it))(by.name || by.resource_id);
  const named = (id: string) => forwarders?.find((it) => it.id === id)?.name ?? id;
  const facts: readonly Fact[] = [
    [say.verdict, <VerdictState verdict={verdict} />],
    by && [say.decidedBy, <Cause cause={by} />],
    answers.length > 0 && [say.answers, format.list(answers.map(({ type, value }) => `${type} ${value}`))],
    zone_id && [say.zone, zones?.find(({ id }) => id === zone_id)?.name ?? zone_id],
    [say.way, say.wayOf(wayNames(egress.name), egress.status)],
    [say.forwarders, forwarder_ids.length > 0 ? format.list(forwarder_ids.map(named)) : say.noForwarders],
    [say.log, say.logLevels[log]],
  ];
  return (
    <>
      <p className="dns-answer" role="status">
        {say.answer(verdict, byWhom, answers[0]?.value)}
      </p>
      <div className="row">
        <Menu icon="edit" label={nameDeeds.change} shown={nameDeeds.change} items={deeds(name, device)} />
      </div>
      <Facts all={facts} />
      <h3>{say.trace}</h3>
      <ol className="dns-trace">
        {trace.map((line, place) => (
          <li key={place}>{line}</li>
        ))}
      </ol>
    </>
  );
}
