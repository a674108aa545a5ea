import type { Device } from "@portcullis/contract/subsystems/devices";
import { memo } from "react";
import { Link } from "wouter";
import { Menu, type MenuItem } from "../../ui/floating.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { type Belongings, holdingClass } from "../../components/holding-class.ts";
import { useDeviceChange } from "../../components/device-change.ts";
import { SmallRibbon } from "../../components/ribbon.tsx";
import { useFormat, useWords } from "../../i18n/i18n.tsx";
import type { Row } from "./finding.ts";
import type { Deed } from "./actions.ts";

interface Props {
  readonly rows: readonly Row[];
  readonly belongings: Belongings;
  readonly onDeed: (deed: Deed) => void;
}

/** Not rendered again while the user types, until the matches are known. */
export const DeviceTable = memo(function DeviceTable({ rows, belongings, onDeed }: Props) {
  const { devices: say, kit } = useWords();
  const format = useFormat();
  const itemsFor = useMenuItems(belongings, onDeed);
  const columns: Column<Row>[] = [
    { key: "name", title: say.columns.name, width: "2.2fr", cell: ({ device }) => <Who device={device} /> },
    {
      key: "path",
      title: say.columns.path,
      width: "2.4fr",
      cell: ({ standing }) => <SmallRibbon state={standing.state} hops={standing.hops} />,
    },
    {
      key: "class",
      title: say.columns.class,
      width: "1.2fr",
      cell: ({ device }) => classesOf(device, belongings),
    },
    {
      key: "group",
      title: say.columns.group,
      width: "1.2fr",
      cell: ({ device: { group_ids } }) =>
        group_ids.length > 0 && (
          <span className="fine">{format.list(group_ids.flatMap((id) => belongings.groups.get(id)?.name ?? []))}</span>
        ),
    },
    {
      key: "addresses",
      title: say.columns.addresses,
      width: "1.5fr",
      cell: ({ device }) => (device.mac !== null || device.ips.length > 0) && <Addresses {...device} />,
    },
    // A device that was added by hand and never seen has no time; the column is hidden if no device has one.
    ...(rows.some(({ device }) => device.last_seen !== null)
      ? [
          {
            key: "seen",
            title: say.columns.seen,
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
      title: kit.more,
      actions: true,
      width: "36px",
      cell: ({ device }) => <Menu label={kit.actionsFor(device.name)} items={itemsFor(device)} />,
    },
  ];
  return <Table label={say.listLabel} rows={rows} columns={columns} rowKey={({ device }) => device.id} />;
});

function Who({ device: { id, name, vendor, hostname, state } }: { readonly device: Device }) {
  const say = useWords().devices;
  const known = [vendor, hostname].filter((it) => it && it !== name).join(" · ");
  return (
    <div>
      <span className="devices-name">
        <Link href={`/devices/${id}`} className="wrap strong">
          {name}
        </Link>
        {state !== "known" && <span className="tag">{say.states[state]}</span>}
      </span>
      {known && <div className="quiet fine wrap devices-known">{known}</div>}
    </div>
  );
}

/** Renders nothing if there is no class, so that a phone shows no label for it. */
function classesOf(device: Device, belongings: Belongings) {
  const privacy = holdingClass(device, belongings)?.privacy.name;
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
  const say = useWords().devices;
  const [first, ...others] = ips;
  return (
    <div className="fine devices-addresses">
      {first && (
        <div>
          <span className="code">{first}</span>
          {others.length > 0 && <span className="quiet"> {say.moreAddresses(others.length)}</span>}
        </div>
      )}
      {mac && <div className="code quiet">{mac}</div>}
    </div>
  );
}

/** With more options than this, the dialog is used: a menu of hundreds is not usable. */
const choicesMost = 10;

function useMenuItems(belongings: Belongings, onDeed: Props["onDeed"]) {
  const { devices: say, kit } = useWords();
  const change = useDeviceChange();
  const needs = ["devices", "update"] as const;
  const few = <T,>(all: ReadonlyMap<string, T>): T[] => (all.size > choicesMost ? [] : [...all.values()]);
  const [trust, privacy, groups] = [few(belongings.trust), few(belongings.privacy), few(belongings.groups)];
  return (device: Device): (MenuItem | { readonly title: string } | false)[] => {
    const { name, state, group_ids } = device;
    const classItem = (it: { id: string; name: string }, field: "privacy_class" | "trust_class"): MenuItem => {
      const isIt = device[field] === it.id;
      return {
        label: field === "privacy_class" ? say.menu.privacy(it.name) : say.menu.trust(it.name),
        ...(isIt && { icon: "check" }),
        needs,
        onPress: () =>
          change(
            device,
            { [field]: isIt ? null : it.id },
            isIt ? say.done.outOf(name, it.name) : say.done.inClass(name, it.name),
          ),
      };
    };
    const groupItem = (it: { id: string; name: string }): MenuItem => {
      const isIn = group_ids.includes(it.id);
      return {
        label: say.menu.group(it.name),
        ...(isIn && { icon: "check" }),
        needs,
        onPress: () =>
          change(
            device,
            { group_ids: isIn ? group_ids.filter((id) => id !== it.id) : [...group_ids, it.id] },
            isIn ? say.done.outOf(name, it.name) : say.done.inGroup(name, it.name),
          ),
      };
    };
    return [
      { label: kit.edit, icon: "edit", needs, onPress: () => onDeed({ kind: "edit", device }) },
      state === "quarantined"
        ? {
            label: say.menu.release,
            needs,
            onPress: () => change(device, { state: "known" }, say.done.released(name)),
          }
        : {
            label: say.menu.quarantine,
            needs,
            onPress: () => change(device, { state: "quarantined" }, say.done.quarantined(name)),
          },
      state === "new" && {
        label: say.menu.known,
        icon: "check",
        needs,
        onPress: () => change(device, { state: "known" }, say.done.known(name)),
      },
      privacy.length + trust.length > 0 && { title: say.columns.class },
      ...privacy.map((it) => classItem(it, "privacy_class")),
      ...trust.map((it) => classItem(it, "trust_class")),
      groups.length > 0 && { title: say.columns.group },
      ...groups.map(groupItem),
      {
        label: say.menu.remove,
        icon: "remove",
        danger: true,
        needs: ["devices", "remove"],
        onPress: () => onDeed({ kind: "remove", device }),
      },
    ];
  };
}
