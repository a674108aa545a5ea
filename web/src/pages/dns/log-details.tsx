import type { DnsLogEntry } from "@portcullis/contract/subsystems/dns-log";
import { useQuery } from "@tanstack/react-query";
import { useAddress } from "../../ui/address.ts";
import { LinkButton } from "../../ui/button.tsx";
import { type Fact, Facts } from "../../ui/facts.tsx";
import { Dialog, Menu } from "../../ui/floating.tsx";
import { Empty, Loaded } from "../../ui/page.tsx";
import { reading } from "../../api/reading.ts";
import { useNameDeeds } from "../../components/domain-actions.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { dnsPlace } from "./addresses.ts";
import { Asker, Cause } from "./log-table.tsx";
import { useKnown } from "./sources.tsx";
import { VerdictState } from "./states.tsx";

/** The row in the URL, whether or not it is on the screen. */
export function LogDetails() {
  const say = useWords().dns.log;
  const [open, setOpen] = useAddress("open");
  const id = /^\d{1,15}$/.test(open) ? Number(open) : 0;
  // The first row after the preceding id is the row itself.
  const found = useQuery({
    ...reading("dnsLog", "list", { query: { after: Math.max(id - 1, 0), limit: 1 } }),
    enabled: id > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Dialog open={id > 0} onClose={() => setOpen("")} title={say.details}>
      <Loaded query={found}>
        {({ items: [row] }) => (row?.id === id ? <LineFacts row={row} /> : <Empty says={say.gone} />)}
      </Loaded>
    </Dialog>
  );
}

function LineFacts({ row }: { readonly row: DnsLogEntry }) {
  const { dns, nameDeeds } = useWords();
  const format = useFormat();
  const device = useKnown().devices.get(row.device_id ?? "");
  const deeds = useNameDeeds();
  const say = dns.log;
  const facts: readonly Fact[] = [
    [say.name, <span className="code">{row.name}</span>],
    [say.type, row.type],
    [say.verdict, <VerdictState verdict={row.verdict} />],
    [say.meaning, dns.verdictMeanings[row.verdict]],
    row.cause && [say.cause, <Cause cause={row.cause} />],
    [say.device, <Asker row={row} />],
    [say.address, row.client],
    [say.time, format.exact(new Date(row.timestamp))],
    [say.answer, say.answered(row.rcode, row.answers)],
    [say.answeredBy, dns.answeredBy[row.answered_by]],
    [say.way, row.egress_number === 0 ? dns.overview.noWay : say.wayNumber(row.egress_number)],
    [say.latency, format.ms(row.latency_ms)],
  ];
  return (
    <>
      <Facts all={facts} />
      <div className="row">
        <Menu icon="edit" label={nameDeeds.change} shown={nameDeeds.change} items={deeds(row.name, device)} />
        <LinkButton
          needs={["dns", "test"]}
          to={dnsPlace("test", { name: row.name, type: row.type, client: row.device_id ?? row.client })}
        >
          {say.test}
        </LinkButton>
        <LinkButton to={dnsPlace("log", { name: `.${row.name}` })}>{say.sameName}</LinkButton>
      </div>
    </>
  );
}
