import type { DnsStatistics } from "@portcullis/contract/subsystems/dns-log";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Menu } from "../../ui/floating.tsx";
import { useStill } from "../../ui/hold.ts";
import { Empty } from "../../ui/page.tsx";
import { DeviceLink } from "../../components/device-link.tsx";
import { useNameDeeds } from "../../components/domain-actions.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { dnsPlace } from "./addresses.ts";

interface NamesProps {
  readonly names: DnsStatistics["top_names"];
  readonly rows: number;
  readonly blocked?: boolean;
}

export function TopNames({ names: newest, rows, blocked }: NamesProps) {
  // If rows moved under the pointer, the click would block another domain.
  const { shown: names, listeners } = useStill(newest);
  const { dns, kit } = useWords();
  const format = useFormat();
  const deeds = useNameDeeds();
  if (names.length === 0) return <Empty says={blocked ? dns.overview.nothingBlocked : dns.overview.nobodyAsked} />;
  const most = Math.max(...names.map(({ queries }) => queries), 1);
  return (
    <div {...listeners}>
      <ol>
        {names.map(({ name, queries }) => (
          <Bar key={name} part={queries / most} figure={format.number(queries)} tone={blocked ? "blocked" : "asked"}>
            <Link
              className="grow dns-cut"
              href={dnsPlace("log", { name: `.${name}`, verdict: blocked ? "block" : "" })}
            >
              {name}
            </Link>
            <Menu label={kit.actionsFor(name)} items={deeds(name)} />
          </Bar>
        ))}
      </ol>
      <p className="quiet fine">{dns.overview.ofRows(format.number(rows))}</p>
    </div>
  );
}

export function TopClients({ clients }: { readonly clients: DnsStatistics["top_clients"] }) {
  const { dns } = useWords();
  const format = useFormat();
  if (clients.length === 0) return <Empty says={dns.overview.nobodyAsked} />;
  const most = Math.max(...clients.map(({ queries }) => queries), 1);
  return (
    <ol>
      {clients.map(({ client, device_id, device_name, queries, blocked }) => (
        <Bar key={client} part={queries / most} figure={format.number(queries)} tone="asked">
          <span className="grow dns-cut">
            <DeviceLink id={device_id} name={device_name ?? client} />{" "}
            <span className="quiet fine">{dns.overview.ofBlocked(format.number(blocked))}</span>
          </span>
          <Link className="fine" href={dnsPlace("log", { client: device_id ?? client })}>
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
  readonly tone: "asked" | "blocked";
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
