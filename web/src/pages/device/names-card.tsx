import type { Device } from "@portcullis/contract/subsystems/devices";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAddress } from "../../ui/address.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Menu, Tabs } from "../../ui/floating.tsx";
import { useStill } from "../../ui/hold.ts";
import { Card, Empty, Loaded } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { reading } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useBelongings } from "../../components/device-belongings.ts";
import { holdingClass } from "../../components/holding-class.ts";
import { useNameDeeds } from "../../components/domain-actions.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import { type AskedName, askedNames, isStopped, topNames } from "./top-names.ts";

const topMost = 100;
const recentMost = 200;

/** Domains that the device queried. Read from the newest thousand entries of the log. */
export function NamesCard({ device }: { readonly device: Device }) {
  const say = useWords().device.names;
  const log = useQuery({
    ...reading("dnsLog", "list", { query: { client: device.id, limit: 1000 } }),
    refetchInterval: 10_000,
  });
  return (
    <Card
      title={say.title}
      actions={
        <LinkButton kind="quiet" to={`/dns?tab=log&client=${device.id}`} needs={["dnsLog", "list"]}>
          {say.toLog}
        </LinkButton>
      }
    >
      <Loaded query={log}>
        {({ items }) => (items.length === 0 ? <NoNames device={device} /> : <Names device={device} log={items} />)}
      </Loaded>
    </Card>
  );
}

/** An empty log has one of three causes, each with a different text. */
function NoNames({ device }: { readonly device: Device }) {
  const say = useWords().device.names;
  const status = useQuery(reading("dns", "status")).data;
  const holding = holdingClass(device, useBelongings());
  const level = holding?.privacy.log_level;
  if (status?.status === "failed") return <Empty says={say.off(status.reason)} />;
  if (holding && level && level !== "full") return <Empty says={say.unlogged[level](holding.privacy.name)} />;
  return <Empty says={say.none} />;
}

interface NamesProps {
  readonly device: Device;
  readonly log: Parameters<typeof askedNames>[0];
}

function Names({ device, log }: NamesProps) {
  const say = useWords().device.names;
  const [tab, show] = useAddress("names", "top");
  const names = useMemo(() => askedNames(log), [log]);
  const top = useMemo(() => topNames(names, topMost), [names]);
  return (
    <Tabs
      label={say.title}
      shown={tab}
      onShow={show}
      tabs={[
        { id: "top", label: say.top, content: () => <NameTable device={device} names={top} label={say.top} /> },
        {
          id: "recent",
          label: say.recent,
          content: () => <NameTable device={device} names={names.slice(0, recentMost)} label={say.recent} />,
        },
      ]}
    />
  );
}

interface NameTableProps {
  readonly device: Device;
  readonly names: readonly AskedName[];
  readonly label: string;
}

function NameTable({ device, names: newest, label }: NameTableProps) {
  // If rows moved under the pointer, the click would block another domain.
  const { shown: names, listeners } = useStill(newest);
  const say = useWords().device.names;
  const format = useFormat();
  const deeds = useNameDeeds();
  const may = useMay();
  const judging: Column<AskedName> = {
    key: "judge",
    title: say.columns.judge,
    width: "7.5rem",
    cell: ({ name, verdict }) => (
      <Menu
        label={say.judge(name)}
        icon="down"
        shown={isStopped(verdict) ? say.allow : say.block}
        items={deeds(name, device, isStopped(verdict) ? "allow" : "block")}
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
            title: say.columns.name,
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
            title: say.columns.count,
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
function Verdict({ verdict, cause }: Pick<AskedName, "verdict" | "cause">) {
  const say = useWords().device.names;
  if (verdict === "none") return null;
  const text = say.verdicts[verdict](cause);
  return isStopped(verdict) ? <State state="blocked" text={text} /> : <span className="quiet">{text}</span>;
}
