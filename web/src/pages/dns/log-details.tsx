import type { DnsLogEntry } from "@portcullis/contract/subsystems/dns-log";
import { useQuery } from "@tanstack/react-query";
import { useSearchParam } from "../../ui/search-param.ts";
import { LinkButton } from "../../ui/button.tsx";
import { type Fact, Facts } from "../../ui/facts.tsx";
import { Dialog, Menu } from "../../ui/floating.tsx";
import { Empty, Loaded } from "../../ui/page.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useDomainActions } from "../../components/domain-actions.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { dnsLink } from "./addresses.ts";
import { ClientCell, Cause } from "./log-table.tsx";
import { useKnown } from "./sources.tsx";
import { VerdictState } from "./states.tsx";

/** The row in the URL, whether or not it is on the screen. */
export function LogDetails() {
  const t = useTranslation().dns.log;
  const [open, setOpen] = useSearchParam("open");
  const id = /^\d{1,15}$/.test(open) ? Number(open) : 0;
  // The first row after the preceding id is the row itself.
  const found = useQuery({
    ...apiQuery("dnsLog", "list", { query: { after: Math.max(id - 1, 0), limit: 1 } }),
    enabled: id > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Dialog open={id > 0} onClose={() => setOpen("")} title={t.details}>
      <Loaded query={found}>
        {({ items: [row] }) => (row?.id === id ? <LineFacts row={row} /> : <Empty text={t.gone} />)}
      </Loaded>
    </Dialog>
  );
}

function LineFacts({ row }: { readonly row: DnsLogEntry }) {
  const { dns, domainActions } = useTranslation();
  const format = useFormat();
  const device = useKnown().devices.get(row.device_id ?? "");
  const actions = useDomainActions();
  const t = dns.log;
  const facts: readonly Fact[] = [
    [t.name, <span className="code">{row.name}</span>],
    [t.type, row.type],
    [t.verdict, <VerdictState verdict={row.verdict} />],
    [t.meaning, dns.verdictMeanings[row.verdict]],
    row.cause && [t.cause, <Cause cause={row.cause} />],
    [t.device, <ClientCell row={row} />],
    [t.address, row.client],
    [t.time, format.exact(new Date(row.timestamp))],
    [t.answer, t.answered(row.rcode, row.answers)],
    [t.answeredBy, dns.answeredBy[row.answered_by]],
    [t.egress, row.egress_number === 0 ? dns.overview.noEgress : t.egressNumber(row.egress_number)],
    [t.latency, format.ms(row.latency_ms)],
  ];
  return (
    <>
      <Facts all={facts} />
      <div className="row">
        <Menu icon="edit" label={domainActions.change} shown={domainActions.change} items={actions(row.name, device)} />
        <LinkButton
          needs={["dns", "test"]}
          to={dnsLink("test", { name: row.name, type: row.type, client: row.device_id ?? row.client })}
        >
          {t.test}
        </LinkButton>
        <LinkButton to={dnsLink("log", { name: `.${row.name}` })}>{t.sameName}</LinkButton>
      </div>
    </>
  );
}
