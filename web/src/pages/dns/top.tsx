import type { DnsStatistics } from "@portcullis/contract/subsystems/dns-log";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Menu } from "../../ui/floating.tsx";
import { useStill } from "../../ui/hold.ts";
import { Empty } from "../../ui/page.tsx";
import { DeviceLink } from "../../components/device-link.tsx";
import { useDomainActions } from "../../components/domain-actions.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { dnsLink } from "./addresses.ts";

interface NamesProps {
  readonly names: DnsStatistics["top_names"];
  readonly rows: number;
  readonly blocked?: boolean;
}

export function TopDomains({ names: newest, rows, blocked }: NamesProps) {
  // If rows moved under the pointer, the click would block another domain.
  const { shown: names, listeners } = useStill(newest);
  const { dns, ui } = useTranslation();
  const format = useFormat();
  const actions = useDomainActions();
  if (names.length === 0) return <Empty text={blocked ? dns.overview.nothingBlocked : dns.overview.noQueries} />;
  const max = Math.max(...names.map(({ queries }) => queries), 1);
  return (
    <div {...listeners}>
      <ol>
        {names.map(({ name, queries }) => (
          <Bar key={name} part={queries / max} figure={format.number(queries)} tone={blocked ? "blocked" : "queries"}>
            <Link className="grow dns-cut" href={dnsLink("log", { name: `.${name}`, verdict: blocked ? "block" : "" })}>
              {name}
            </Link>
            <Menu label={ui.actionsFor(name)} items={actions(name)} />
          </Bar>
        ))}
      </ol>
      <p className="quiet fine">{dns.overview.ofRows(format.number(rows))}</p>
    </div>
  );
}

export function TopClients({ clients }: { readonly clients: DnsStatistics["top_clients"] }) {
  const { dns } = useTranslation();
  const format = useFormat();
  if (clients.length === 0) return <Empty text={dns.overview.noQueries} />;
  const max = Math.max(...clients.map(({ queries }) => queries), 1);
  return (
    <ol>
      {clients.map(({ client, device_id, device_name, queries, blocked }) => (
        <Bar key={client} part={queries / max} figure={format.number(queries)} tone="queries">
          <span className="grow dns-cut">
            <DeviceLink id={device_id} name={device_name ?? client} />{" "}
            <span className="quiet fine">{dns.overview.ofBlocked(format.number(blocked))}</span>
          </span>
          <Link className="fine" href={dnsLink("log", { client: device_id ?? client })}>
            {dns.tabs.log}
            <span className="unseen"> {device_name ?? client}</span>
          </Link>
        </Bar>
      ))}
    </ol>
  );
}

interface BarProps {
  readonly part: number;
  readonly figure: string;
  readonly tone: "queries" | "blocked";
  readonly children: ReactNode;
}

/** A row with a bar in proportion to the largest value. */
function Bar({ part, figure, tone, children }: BarProps) {
  return (
    <li className="dns-bar">
      <div className="dns-bar-line">
        {children}
        <span className="dns-bar-figure">{figure}</span>
      </div>
      <div className="dns-bar-track" aria-hidden="true">
        <div className={`dns-bar-part ${tone}`} style={{ width: `${Math.max(part * 100, 1)}%` }} />
      </div>
    </li>
  );
}
