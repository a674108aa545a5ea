import type { Device } from "@portcullis/contract/subsystems/devices";
import type { TrafficSummary } from "@portcullis/contract/subsystems/traffic";
import { memo } from "react";
import { Link } from "wouter";
import { Menu, type MenuItem } from "../../ui/floating.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { type Belongings, effectiveClass } from "../../components/effective-class.ts";
import { useDeviceChange } from "../../components/device-change.ts";
import { SmallRibbon } from "../../components/ribbon.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import type { Row } from "./finding.ts";
import type { DeviceAction } from "./actions.ts";

interface Props {
  /** By device; undefined: it is not measured, or may not be seen. */
  readonly traffic: ReadonlyMap<string, DeviceTraffic> | undefined;
  readonly rows: readonly Row[];
  readonly belongings: Belongings;
  readonly onAction: (action: DeviceAction) => void;
}

/** Not rendered again while the user types, until the matches are known. */
export const DeviceTable = memo(function DeviceTable({ traffic, rows, belongings, onAction }: Props) {
  const { devices: t, ui } = useTranslation();
  const format = useFormat();
  const itemsFor = useMenuItems(belongings, onAction);
  const columns: Column<Row>[] = [
    { key: "name", title: t.columns.name, width: "2.2fr", cell: ({ device }) => <Who device={device} /> },
    {
      key: "path",
      title: t.columns.path,
      width: "2.4fr",
      cell: ({ deviceState }) => <SmallRibbon state={deviceState.state} hops={deviceState.hops} />,
    },
    {
      key: "class",
      title: t.columns.class,
      width: "1.2fr",
      cell: ({ device }) => classesOf(device, belongings),
    },
    {
      key: "group",
      title: t.columns.group,
      width: "1.2fr",
      cell: ({ device: { group_ids } }) =>
        group_ids.length > 0 && (
          <span className="fine">{format.list(group_ids.flatMap((id) => belongings.groups.get(id)?.name ?? []))}</span>
        ),
    },
    {
      key: "addresses",
      title: t.columns.addresses,
      width: "1.5fr",
      // A MAC address fits one line.
      minWidth: "9.5rem",
      cell: ({ device }) => (device.mac !== null || device.ips.length > 0) && <Addresses {...device} />,
    },
    ...(traffic
      ? [
          {
            key: "rate",
            title: t.columns.rate,
            width: "1.1fr",
            right: true,
            cell: ({ device }: Row) => <Rate now={traffic.get(device.id)} />,
          },
          {
            key: "today",
            title: t.columns.today,
            width: "0.9fr",
            right: true,
            cell: ({ device }: Row) => {
              const found = traffic.get(device.id);
              return (
                found && (
                  <span className="fine">{format.bytes(found.received_bytes_today + found.sent_bytes_today)}</span>
                )
              );
            },
          },
        ]
      : []),
    // A device that was added by hand and never seen has no time; the column is hidden if no device has one.
    ...(rows.some(({ device }) => device.last_seen !== null)
      ? [
          {
            key: "seen",
            title: t.columns.seen,
            width: "1fr",
            cell: ({ device: { last_seen } }: Row) =>
              last_seen !== null && (
                <span className="quiet fine">
                  <Ago at={last_seen} />
                </span>
              ),
          },
        ]
      : []),
    {
      key: "menu",
      title: ui.more,
      actions: true,
      width: "36px",
      cell: ({ device }) => <Menu label={ui.actionsFor(device.name)} items={itemsFor(device)} />,
    },
  ];
  return <Table label={t.listLabel} rows={rows} columns={columns} rowKey={({ device }) => device.id} />;
});

export type DeviceTraffic = TrafficSummary["devices"][number];

function Rate({ now }: { readonly now: DeviceTraffic | undefined }) {
  const format = useFormat();
  if (now?.received_bytes_per_sec == null || now.sent_bytes_per_sec === null) return null;
  return <span className="fine">{format.rate(now.received_bytes_per_sec + now.sent_bytes_per_sec)}</span>;
}

function Who({ device: { id, name, vendor, hostname, state } }: { readonly device: Device }) {
  const t = useTranslation().devices;
  const known = [vendor, hostname].filter((it) => it && it !== name).join(" · ");
  return (
    <div>
      <span className="devices-name">
        <Link href={`/devices/${id}`} className="wrap strong">
          {name}
        </Link>
        {state !== "known" && <span className="tag">{t.states[state]}</span>}
      </span>
      {known && <div className="quiet fine wrap devices-known">{known}</div>}
    </div>
  );
}

/** Renders nothing if there is no class, so that a phone shows no label for it. */
function classesOf(device: Device, belongings: Belongings) {
  const privacy = effectiveClass(device, belongings)?.privacy.name;
  const trust = device.trust_class === null ? undefined : belongings.trust.get(device.trust_class)?.name;
  if (!privacy && !trust) return null;
  return (
    <div className="fine">
      <div>{privacy ?? trust}</div>
      {privacy && trust && <div className="quiet">{trust}</div>}
    </div>
  );
}

function Addresses({ ips, mac }: Device) {
  const t = useTranslation().devices;
  const [first, ...others] = ips;
  return (
    <div className="fine devices-addresses">
      {first && (
        <div>
          <span className="code">{first}</span>
          {others.length > 0 && <span className="quiet"> {t.moreAddresses(others.length)}</span>}
        </div>
      )}
      {mac && <div className="code quiet">{mac}</div>}
    </div>
  );
}

/** With more options than this, the dialog is used: a menu of hundreds is not usable. */
const maxChoices = 10;

function useMenuItems(belongings: Belongings, onAction: Props["onAction"]) {
  const { devices: t, ui } = useTranslation();
  const change = useDeviceChange();
  const needs = ["devices", "update"] as const;
  const few = <T,>(all: ReadonlyMap<string, T>): T[] => (all.size > maxChoices ? [] : [...all.values()]);
  const [trust, privacy, groups] = [few(belongings.trust), few(belongings.privacy), few(belongings.groups)];
  return (device: Device): (MenuItem | { readonly title: string } | false)[] => {
    const { name, state, group_ids } = device;
    const classItem = (it: { id: string; name: string }, field: "privacy_class" | "trust_class"): MenuItem => {
      const isIt = device[field] === it.id;
      return {
        label: field === "privacy_class" ? t.menu.privacy(it.name) : t.menu.trust(it.name),
        ...(isIt && { icon: "check" }),
        needs,
        onPress: () =>
          change(
            device,
            { [field]: isIt ? null : it.id },
            isIt ? t.done.outOf(name, it.name) : t.done.inClass(name, it.name),
          ),
      };
    };
    const groupItem = (it: { id: string; name: string }): MenuItem => {
      const isIn = group_ids.includes(it.id);
      return {
        label: t.menu.group(it.name),
        ...(isIn && { icon: "check" }),
        needs,
        onPress: () =>
          change(
            device,
            { group_ids: isIn ? group_ids.filter((id) => id !== it.id) : [...group_ids, it.id] },
            isIn ? t.done.outOf(name, it.name) : t.done.inGroup(name, it.name),
          ),
      };
    };
    return [
      { label: ui.edit, icon: "edit", needs, onPress: () => onAction({ kind: "edit", device }) },
      state === "quarantined"
        ? {
            label: t.menu.release,
            needs,
            onPress: () => change(device, { state: "known" }, t.done.released(name)),
          }
        : {
            label: t.menu.quarantine,
            needs,
            onPress: () => change(device, { state: "quarantined" }, t.done.quarantined(name)),
          },
      state === "new" && {
        label: t.menu.known,
        icon: "check",
        needs,
        onPress: () => change(device, { state: "known" }, t.done.known(name)),
      },
      privacy.length + trust.length > 0 && { title: t.columns.class },
      ...privacy.map((it) => classItem(it, "privacy_class")),
      ...trust.map((it) => classItem(it, "trust_class")),
      groups.length > 0 && { title: t.columns.group },
      ...groups.map(groupItem),
      {
        label: t.menu.remove,
        icon: "remove",
        danger: true,
        needs: ["devices", "remove"],
        onPress: () => onAction({ kind: "remove", device }),
      },
    ];
  };
}
