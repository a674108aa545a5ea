import type { DnsLogEntry } from "@portcullis/contract/subsystems/dns-log";
import { memo, useMemo } from "react";
import { Link } from "wouter";
import { useSearchParam } from "../../ui/search-param.ts";
import { Menu } from "../../ui/floating.tsx";
import { useNarrow } from "../../ui/narrow.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { useMay } from "../../api/session.tsx";
import { DeviceLink } from "../../components/device-link.tsx";
import { useDomainActions } from "../../components/domain-actions.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { linkOfCause } from "./addresses.ts";
import { useKnown } from "./sources.tsx";
import { VerdictState } from "./states.tsx";

/** The same as in the style sheet. */
const heights = { wide: 45, narrow: 92 };

/** Rendered again only when the rows change. */
export const LogTable = memo(function LogTable({ rows }: { readonly rows: readonly DnsLogEntry[] }) {
  const t = useTranslation().dns.log;
  const [open, setOpen] = useSearchParam("open");
  const narrow = useNarrow();
  return (
    <Table
      label={t.title}
      rows={rows}
      rowKey={({ id }) => String(id)}
      columns={useColumns(setOpen)}
      current={open}
      rowClass={() => "dns-log-row"}
      fixedPx={narrow ? heights.narrow : heights.wide}
    />
  );
});

function useColumns(open: (id: string) => void): readonly Column<DnsLogEntry>[] {
  const { dns, ui } = useTranslation();
  const format = useFormat();
  const actions = useDomainActions();
  const { devices } = useKnown();
  const clock = useMemo(() => (at: string) => format.clock(new Date(at)), [format]);
  const t = dns.log;
  return [
    {
      key: "time",
      title: t.time,
      width: "6rem",
      cell: ({ timestamp }) => <Clock at={timestamp} text={clock(timestamp)} />,
    },
    { key: "device", title: t.device, width: "1.2fr", cell: (row) => <ClientCell row={row} /> },
    { key: "type", title: t.type, width: "4.5rem", cell: ({ type }) => type },
    {
      key: "name",
      title: t.name,
      width: "2.4fr",
      cell: ({ id, name }) => (
        <button type="button" className="dns-log-name" onClick={() => open(String(id))}>
          {name}
        </button>
      ),
    },
    { key: "verdict", title: t.verdict, width: "8.5rem", cell: ({ verdict }) => <VerdictState verdict={verdict} /> },
    { key: "cause", title: t.cause, width: "1.2fr", cell: ({ cause }) => <Cause cause={cause} /> },
    {
      key: "by",
      title: t.answeredBy,
      width: "6.5rem",
      cell: ({ answered_by, rcode }) =>
        rcode === "NOERROR" || rcode === "NXDOMAIN" ? dns.answeredBy[answered_by] : rcode,
    },
    {
      key: "latency",
      title: t.latency,
      width: "4.5rem",
      right: true,
      cell: ({ latency_ms }) => format.ms(latency_ms),
    },
    {
      key: "actions",
      title: ui.more,
      actions: true,
      width: "36px",
      cell: ({ id, name, device_id }) => (
        <Menu
          label={ui.actionsFor(name)}
          items={[
            { label: t.details, onPress: () => open(String(id)) },
            ...actions(name, devices.get(device_id ?? "")),
          ]}
        />
      ),
    },
  ];
}

function Clock({ at, text }: { readonly at: string; readonly text: string }) {
  const format = useFormat();
  return (
    <time dateTime={at} title={format.exact(new Date(at))}>
      {text}
    </time>
  );
}

/** The client of a query: a device, or an address without a device. */
export function ClientCell({ row: { client, device_id, device_name } }: { readonly row: DnsLogEntry }) {
  return <DeviceLink id={device_id} name={device_name ?? client} />;
}

export function Cause({ cause }: { readonly cause: DnsLogEntry["cause"] }) {
  const { causes } = useTranslation().dns;
  const may = useMay();
  if (!cause) return null;
  const index = may(["dnsPresets", "list"]) ? linkOfCause(cause.resource_type, cause.name) : undefined;
  const text = (causes[cause.resource_type] ?? ((name: string) => name))(cause.name || cause.resource_id);
  return index ? <Link href={index}>{text}</Link> : <>{text}</>;
}
