import type { Device } from "@portcullis/contract/subsystems/devices";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Menu, Tabs } from "../../ui/floating.tsx";
import { useStill } from "../../ui/hold.ts";
import { Card, Empty, Loaded } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useBelongings } from "../../components/device-belongings.ts";
import { effectiveClass } from "../../components/effective-class.ts";
import { useDomainActions } from "../../components/domain-actions.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { type QueriedDomain, queriedDomains, isStopped, topDomains } from "./top-domains.ts";

const maxTop = 100;
const maxRecent = 200;

/** Domains that the device queried. Read from the newest thousand entries of the log. */
export function DomainsCard({ device }: { readonly device: Device }) {
  const t = useTranslation().device.names;
  const log = useQuery({
    ...apiQuery("dnsLog", "list", { query: { client: device.id, limit: 1000 } }),
    refetchInterval: 10_000,
  });
  return (
    <Card
      title={t.title}
      actions={
        <LinkButton kind="quiet" to={`/dns?tab=log&client=${device.id}`} needs={["dnsLog", "list"]}>
          {t.toLog}
        </LinkButton>
      }
    >
      <Loaded query={log}>
        {({ items }) => (items.length === 0 ? <NoDomains device={device} /> : <Names device={device} log={items} />)}
      </Loaded>
    </Card>
  );
}

/** An empty log has one of three causes, each with a different text. */
function NoDomains({ device }: { readonly device: Device }) {
  const t = useTranslation().device.names;
  const why = useReason();
  const status = useQuery(apiQuery("dns", "status")).data;
  const effective = effectiveClass(device, useBelongings());
  const level = effective?.privacy.log_level;
  if (status?.status === "failed") return <Empty text={t.off(why.clause(status))} />;
  if (effective && level && level !== "full") return <Empty text={t.unlogged[level](effective.privacy.name)} />;
  return <Empty text={t.none} />;
}

interface NamesProps {
  readonly device: Device;
  readonly log: Parameters<typeof queriedDomains>[0];
}

function Names({ device, log }: NamesProps) {
  const t = useTranslation().device.names;
  const [tab, show] = useSearchParam("names", "top");
  const names = useMemo(() => queriedDomains(log), [log]);
  const top = useMemo(() => topDomains(names, maxTop), [names]);
  return (
    <Tabs
      label={t.title}
      shown={tab}
      onShow={show}
      tabs={[
        { id: "top", label: t.top, content: () => <DomainTable device={device} names={top} label={t.top} /> },
        {
          id: "recent",
          label: t.recent,
          content: () => <DomainTable device={device} names={names.slice(0, maxRecent)} label={t.recent} />,
        },
      ]}
    />
  );
}

interface DomainTableProps {
  readonly device: Device;
  readonly names: readonly QueriedDomain[];
  readonly label: string;
}

function DomainTable({ device, names: newest, label }: DomainTableProps) {
  // If rows moved under the pointer, the click would block another domain.
  const { shown: names, listeners } = useStill(newest);
  const t = useTranslation().device.names;
  const format = useFormat();
  const actions = useDomainActions();
  const may = useMay();
  const judging: Column<QueriedDomain> = {
    key: "judge",
    title: t.columns.judge,
    width: "7.5rem",
    cell: ({ name, verdict }) => (
      <Menu
        label={t.judge(name)}
        icon="down"
        shown={isStopped(verdict) ? t.allow : t.block}
        items={actions(name, device, isStopped(verdict) ? "allow" : "block")}
      />
    ),
  };
  return (
    <div {...listeners}>
      <Table
        label={label}
        rows={names}
        rowKey={({ name }) => name}
        columns={[
          {
            key: "name",
            title: t.columns.name,
            width: "2fr",
            cell: ({ name, verdict, cause, last }) => (
              <div>
                <div className="wrap">{name}</div>
                <p className="row fine device-verdict">
                  <Verdict verdict={verdict} cause={cause} />
                  <span className="quiet">
                    <Ago at={last} />
                  </span>
                </p>
              </div>
            ),
          },
          {
            key: "count",
            title: t.columns.count,
            width: "3.5rem",
            right: true,
            cell: ({ count }) => format.number(count),
          },
          ...(may(["dnsBlocklist", "create"]) ? [judging] : []),
        ]}
      />
    </div>
  );
}

/** Queries that were simply answered show no verdict. */
function Verdict({ verdict, cause }: Pick<QueriedDomain, "verdict" | "cause">) {
  const t = useTranslation().device.names;
  if (verdict === "none") return null;
  const text = t.verdicts[verdict](cause);
  return isStopped(verdict) ? <State state="blocked" text={text} /> : <span className="quiet">{text}</span>;
}
