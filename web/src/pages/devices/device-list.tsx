import type { Device } from "@portcullis/contract/subsystems/devices";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Loaded } from "../../ui/page.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { allRows, apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useBelongings } from "../../components/device-belongings.ts";
import { DeviceDialog } from "../../components/device-dialog.tsx";
import { DeviceRemoval } from "../../components/device-removal.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { CountFilters } from "./count-filters.tsx";
import type { Belongings } from "../../components/effective-class.ts";
import type { DeviceTraffic } from "../../components/traffic/rates.ts";
import { useTraffic } from "../../components/traffic/use-traffic.ts";
import { useStill } from "../../ui/hold.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { DeviceTable, groupsOf } from "./device-table.tsx";
import { ExportButton } from "./export-button.tsx";
import { Filters } from "./filters.tsx";
import { countsOf, fitting, inOrder, type Row, rowsOf, type Wanted } from "./finding.ts";
import { sortedBy, type Sorting, sortingOf } from "./sorting.ts";
import { NewDevices } from "./new-devices.tsx";
import { UnknownDevices } from "./unknown-devices.tsx";
import { isEnforced } from "../../components/verdict/verdict.ts";
import { deviceStatesOf, policyPathsOf } from "./device-state.ts";
import type { DeviceAction } from "./actions.ts";

/** New devices, the counts, and the list of all devices. */
export function DeviceList() {
  const all = useQuery(allRows("devices", "list"));
  const [action, setAction] = useState<DeviceAction>();
  const close = () => setAction(undefined);
  return (
    <>
      <UnknownDevices />
      <Loaded query={all} lines={8}>
        {(devices) =>
          devices.length === 0 ? <NoDevices /> : <DeviceOverview devices={devices} onAction={setAction} />
        }
      </Loaded>
      {action?.kind === "remove" && <DeviceRemoval device={action.device} onClose={close} />}
      {(action?.kind === "edit" || action?.kind === "who") && (
        <DeviceDialog device={action.device} brief={action.kind === "who"} onClose={close} />
      )}
    </>
  );
}

function NoDevices() {
  const t = useTranslation().devices;
  const [, setAction] = useSearchParam("do");
  return (
    <Empty text={t.none}>
      <Button kind="main" icon="add" needs={["devices", "create"]} onPress={() => setAction("add")}>
        {t.addDevice}
      </Button>
    </Empty>
  );
}

interface DeviceOverviewProps {
  readonly devices: readonly Device[];
  readonly onAction: (action: DeviceAction) => void;
}

function DeviceOverview({ devices, onAction }: DeviceOverviewProps) {
  const t = useTranslation().devices;
  const belongings = useBelongings();
  const judged = useQuery(apiQuery("policyViews", "postures"));
  const postures = judged.data?.devices;
  const tunnels = useQuery(allRows("tunnels", "list")).data;
  const egress = useQuery(apiQuery("tunnels", "egress")).data;
  const leaking = useQuery(apiQuery("privacy", "status", { query: { verdict: "leaking" } })).data?.devices;
  const found = useMemo(() => new Set(leaking?.map(({ device_id }) => device_id)), [leaking]);
  const status = useQuery(apiQuery("status", "status")).data;
  const enforced = status && isEnforced(status);
  const online = useOnline();
  const { byDevice: traffic } = useTraffic();
  const [wanted, setWanted] = useWanted();
  const [sort, setSort] = useSearchParam("sort", "name");
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const paths = useMemo(() => policyPathsOf(tunnels ?? [], egress ?? []), [tunnels, egress]);
  const deviceStates = useMemo(
    () => deviceStatesOf(postures ?? [], paths, found, enforced),
    [postures, paths, found, enforced],
  );
  const deciding = useMemo(() => new Map(postures?.map((it) => [it.device_id, it])), [postures]);
  const ordered = useMemo(() => inOrder(devices), [devices]);
  const rows = useMemo(() => rowsOf(ordered, deviceStates, belongings), [ordered, deviceStates, belongings]);
  const counts = useMemo(() => countsOf(rows), [rows]);
  const looked = useDeferredValue(wanted);
  const fit = useMemo(() => fitting(rows, looked, online), [rows, looked, online]);
  const sorting = useMemo(() => sortingOf(sort), [sort]);
  const { rows: shown, listeners } = useHeldOrder(fit, sorting, { traffic, online, belongings });
  const newDevices = useMemo(() => devices.filter(({ state }) => state === "new").toSorted(newestFirst), [devices]);
  const selection = useMemo(() => ({ ids: selected, set: select }), [selected]);
  const chosen = useMemo(() => rows.filter(({ device }) => selected.has(device.id)), [rows, selected]);
  return (
    <>
      {newDevices.length > 0 && <NewDevices devices={newDevices} belongings={belongings} onAction={onAction} />}
      {judged.error && !postures && <ProblemText problem={judged.error} again={() => void judged.refetch()} />}
      <CountFilters counts={counts} online={online?.size} wanted={wanted} onWant={setWanted} />
      <Filters wanted={wanted} onWant={setWanted} belongings={belongings} shown={shown.length} all={rows.length}>
        <ExportButton rows={shown} traffic={traffic} online={online} belongings={belongings} />
      </Filters>
      {shown.length === 0 ? (
        <Empty text={t.noMatch}>
          <Button onPress={() => setWanted({ text: "", posture: "", state: "", class: "", group: "", online: "" })}>
            {t.showAll}
          </Button>
        </Empty>
      ) : (
        <div className="devices-list" {...listeners}>
          <DeviceTable
            rows={shown}
            traffic={traffic}
            online={online}
            deciding={deciding}
            belongings={belongings}
            selection={selection}
            sorting={sorting}
            onSort={setSort}
            onAction={onAction}
          />
        </div>
      )}
      {chosen.length > 0 && (
        <BulkBar rows={chosen} deciding={deciding} belongings={belongings} onEnd={() => select(new Set())} />
      )}
    </>
  );
}

/** Devices that are online, by their id; undefined: not known. */
function useOnline(): ReadonlySet<string> | undefined {
  const may = useMay()(["discovery", "list"]);
  const seen = useQuery({ ...allRows("discovery", "list", { known: true, online: true }), enabled: may }).data;
  return useMemo(() => seen && new Set(seen.flatMap(({ device_id }) => device_id ?? [])), [seen]);
}

interface SortedBy {
  readonly traffic: ReadonlyMap<string, DeviceTraffic> | undefined;
  readonly online: ReadonlySet<string> | undefined;
  readonly belongings: Belongings;
}

/** Sorted rows. Their order is kept while the pointer or the focus is among them: a button stays under the pointer. */
function useHeldOrder(rows: readonly Row[], sorting: Sorting, { traffic, online, belongings }: SortedBy) {
  const format = useFormat();
  const sorted = useMemo(() => {
    const groupOf = ({ device }: Row) => groupsOf(device, belongings, format.list).toLowerCase();
    return sortedBy(rows, sorting, { traffic, online, groupOf });
  }, [rows, sorting, traffic, online, belongings, format]);
  // A press on a heading or a filter is no other order of the same rows.
  const key = useMemo(() => ({ sorting, length: rows.length }), [sorting, rows.length]);
  const held = useMemo(() => ({ key, ids: sorted.map(({ device }) => device.id) }), [key, sorted]);
  const { shown: still, listeners } = useStill(held);
  const kept = useMemo(() => {
    if (still.key !== key || still.ids === held.ids) return sorted;
    const byId = new Map(sorted.map((row) => [row.device.id, row]));
    const same = still.ids.flatMap((id) => byId.get(id) ?? []);
    return same.length === sorted.length ? same : sorted;
  }, [still, key, held, sorted]);
  return { rows: kept, listeners };
}

const newestFirst = (a: Device, b: Device): number => (a.first_seen < b.first_seen ? 1 : -1);

/** The filters of the list, in the URL. */
function useWanted(): readonly [Wanted, (part: Partial<Wanted>) => void] {
  const [params, setParams] = useSearchParams();
  const [text, posture, state, ofClass, group, online] = wantedDomains.map((name) => params.get(name) ?? "") as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const wanted = useMemo(
    () => ({ text, posture, state, class: ofClass, group, online }),
    [text, posture, state, ofClass, group, online],
  );
  const want = (part: Partial<Wanted>) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(part))
          if (value) next.set(name, value);
          else next.delete(name);
        return next;
      },
      { replace: true },
    );
  return [wanted, want];
}

const wantedDomains = ["text", "posture", "state", "class", "group", "online"] as const;
