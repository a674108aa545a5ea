import type { Device } from "@portcullis/contract/subsystems/devices";
import type { Postures } from "@portcullis/contract/subsystems/routing";
import { memo } from "react";
import { Link } from "wouter";
import { Menu } from "../../ui/floating.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Glyph, State } from "../../ui/state.tsx";
import { useMay } from "../../api/session.tsx";
import { iconOf } from "../../components/device-kind.ts";
import type { Belongings } from "../../components/effective-class.ts";
import { ExitPicker } from "../../components/policies/exit-picker.tsx";
import { totalRate, type DeviceTraffic } from "../../components/traffic/rates.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import type { DeviceState } from "./device-state.ts";
import type { Row } from "./finding.ts";
import { directionOf, pressed, type SortKey, type Sorting } from "./sorting.ts";
import type { DeviceAction } from "./actions.ts";
import { useMenuItems } from "./menu-items.ts";

interface Props {
  readonly rows: readonly Row[];
  /** By device; undefined: it is not measured, or may not be seen. */
  readonly traffic: ReadonlyMap<string, DeviceTraffic> | undefined;
  /** Ids of devices that are online; undefined: presence may not be seen. */
  readonly online: ReadonlySet<string> | undefined;
  readonly deciding: ReadonlyMap<string, Deciding>;
  readonly belongings: Belongings;
  readonly selection: Selection;
  readonly sorting: Sorting;
  readonly onSort: (sorting: string) => void;
  readonly onAction: (action: DeviceAction) => void;
}

/** What decides for a device now. */
export type Deciding = Pick<Postures["devices"][number], "policy_id" | "exception_id">;

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly set: (ids: ReadonlySet<string>) => void;
}

/** Not rendered again while the user types, until the matches are known. */
export const DeviceTable = memo(function DeviceTable(props: Props) {
  const { rows, traffic, online, deciding, belongings, selection, sorting, onSort, onAction } = props;
  const { devices: t, ui } = useTranslation();
  const format = useFormat();
  const mayChange = useMay()(["devices", "update"]);
  const itemsFor = useMenuItems(belongings, onAction);
  const sortedBy = (key: SortKey) => ({
    direction: sorting.key === key ? directionOf(sorting) : undefined,
    onPress: () => onSort(pressed(sorting, key)),
  });
  const columns: (Column<Row> | false | undefined)[] = [
    mayChange && {
      key: "select",
      title: t.bulk.select,
      width: "24px",
      actions: true,
      className: "devices-select",
      head: <SelectAll rows={rows} selection={selection} />,
      cell: ({ device }) => <SelectOne device={device} selection={selection} />,
    },
    {
      key: "name",
      title: t.columns.name,
      width: "2.4fr",
      className: "devices-who-cell",
      sort: sortedBy("name"),
      cell: ({ device }) => <Who device={device} isOnline={online?.has(device.id)} />,
    },
    {
      key: "group",
      title: t.columns.group,
      width: "1.2fr",
      sort: sortedBy("group"),
      cell: ({ device }) => {
        const names = groupsOf(device, belongings, format.list);
        return names && <span className="fine">{names}</span>;
      },
    },
    {
      key: "exit",
      title: t.columns.exit,
      width: "1.8fr",
      minWidth: "9rem",
      cell: ({ device, deviceState }) => (
        <DeviceExit device={device} deviceState={deviceState} deciding={deciding.get(device.id)} />
      ),
    },
    traffic && {
      key: "rate",
      title: t.columns.rate,
      width: "1fr",
      minWidth: "6rem",
      right: true,
      sort: sortedBy("rate"),
      cell: ({ device }) => {
        const rate = totalRate(traffic.get(device.id));
        return rate !== null && <Rate now={rate} />;
      },
    },
    traffic && {
      key: "today",
      title: t.columns.today,
      width: "0.9fr",
      minWidth: "4.5rem",
      right: true,
      sort: sortedBy("today"),
      cell: ({ device }) => {
        const found = traffic.get(device.id);
        return (
          found && <span className="fine">{format.bytes(found.received_bytes_today + found.sent_bytes_today)}</span>
        );
      },
    },
    {
      key: "seen",
      title: t.columns.seen,
      width: "1.1fr",
      sort: sortedBy("seen"),
      cell: ({ device }) => {
        const isOnline = online?.has(device.id) === true;
        return (isOnline || device.last_seen !== null) && <Seen at={isOnline ? null : device.last_seen} />;
      },
    },
    {
      key: "state",
      title: t.columns.state,
      width: "1.1fr",
      minWidth: "6.5rem",
      sort: sortedBy("state"),
      cell: ({ deviceState: { state } }) => (
        <span className="fine">
          <State state={state} />
        </span>
      ),
    },
    {
      key: "menu",
      title: ui.more,
      actions: true,
      width: "36px",
      className: "devices-menu",
      cell: ({ device }) => <Menu label={ui.actionsFor(device.name)} items={itemsFor(device)} />,
    },
  ];
  return (
    <Table
      label={t.listLabel}
      rows={rows}
      columns={columns.filter((it) => it !== false && it !== undefined)}
      rowKey={({ device }) => device.id}
      rowClass={({ device }) => (selection.ids.has(device.id) ? "devices-selected" : undefined)}
    />
  );
});

function SelectAll({ rows, selection }: Pick<Props, "rows" | "selection">) {
  const t = useTranslation().devices.bulk;
  const chosen = rows.filter(({ device }) => selection.ids.has(device.id)).length;
  const isAll = chosen === rows.length && rows.length > 0;
  return (
    <input
      type="checkbox"
      aria-label={t.selectAll}
      checked={isAll}
      ref={(box) => {
        if (box) box.indeterminate = chosen > 0 && !isAll;
      }}
      onChange={() => selection.set(isAll ? new Set() : new Set(rows.map(({ device }) => device.id)))}
    />
  );
}

function SelectOne({ device, selection }: { readonly device: Device } & Pick<Props, "selection">) {
  const t = useTranslation().devices.bulk;
  const { ids, set } = selection;
  const isChosen = ids.has(device.id);
  return (
    <input
      type="checkbox"
      aria-label={t.selectOne(device.name)}
      checked={isChosen}
      onChange={() => set(isChosen ? ids.difference(new Set([device.id])) : ids.union(new Set([device.id])))}
    />
  );
}

function Rate({ now }: { readonly now: number }) {
  const t = useTranslation().devices;
  const format = useFormat();
  return <span className="fine">{now === 0 ? <span className="quiet">{t.idle}</span> : format.rate(now)}</span>;
}

/** `at` is null while the device is online. */
function Seen({ at }: { readonly at: string | null }) {
  const t = useTranslation().devices;
  return <span className="quiet fine">{at === null ? t.online : <Ago at={at} />}</span>;
}

interface WhoProps {
  readonly device: Device;
  /** undefined: presence is not known. */
  readonly isOnline: boolean | undefined;
}

function Who({ device, isOnline }: WhoProps) {
  const t = useTranslation().devices;
  const { id, name, vendor, hostname, mac, ips, state } = device;
  const known = [vendor, ips[0] ?? mac ?? hostname].filter((it) => it && it !== name).join(" · ");
  return (
    <div className="devices-who">
      <span className="devices-kind">
        <Icon name={iconOf(device)} />
        {isOnline !== undefined && (
          <span className={isOnline ? "devices-dot" : "devices-dot off"} title={isOnline ? t.online : t.offline} />
        )}
      </span>
      <div>
        <span className="devices-name">
          <Link href={`/devices/${id}`} className="wrap">
            {name}
          </Link>
          {state !== "known" && <span className="tag">{t.states[state]}</span>}
        </span>
        {known && <div className="quiet wrap devices-known">{known}</div>}
      </div>
    </div>
  );
}

export const groupsOf = (
  { group_ids }: Pick<Device, "group_ids">,
  { groups }: Pick<Belongings, "groups">,
  list: (names: readonly string[]) => string,
): string => list(group_ids.flatMap((id) => groups.get(id)?.name ?? []));

interface ExitProps {
  readonly device: Device;
  readonly deviceState: DeviceState;
  readonly deciding: Deciding | undefined;
}

/** The exit that the device uses, or would use if its hops were up; pressing it chooses another. */
function DeviceExit({ device, deviceState: { state, hops }, deciding }: ExitProps) {
  const t = useTranslation().exits;
  const via = hops.slice(0, -1);
  if (device.state === "quarantined") return <span className="exit fixed">{t.quarantined}</span>;
  return (
    <ExitPicker
      label={t.of(device.name)}
      targets={[
        { device, decidingId: deciding?.policy_id ?? null, isExcepted: (deciding?.exception_id ?? null) !== null },
      ]}
    >
      {hops.length > 0 ? (
        <>
          <Icon name="tunnels" />
          <span className="cut">{hops.at(-1)}</span>
          {via.length > 0 && <small className="cut">{t.via(via)}</small>}
        </>
      ) : state === "unknown" ? (
        <span className="cut">–</span>
      ) : (
        <>
          <Glyph state={state} />
          <span className="cut">{state === "blocked" ? t.blocked.name : t.direct.name}</span>
        </>
      )}
    </ExitPicker>
  );
}
