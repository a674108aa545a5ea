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
import { useTranslation } from "../../i18n/i18n.tsx";
import { CountFilters } from "./count-filters.tsx";
import { DeviceTable } from "./device-table.tsx";
import { Filters } from "./filters.tsx";
import { countsOf, fitting, inOrder, rowsOf, type Wanted } from "./finding.ts";
import { NewDevices } from "./new-devices.tsx";
import { UnknownDevices } from "./unknown-devices.tsx";
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
  const may = useMay()(["traffic", "summary"]);
  const measured = useQuery({ ...apiQuery("traffic", "summary"), enabled: may, refetchInterval: 10_000 }).data;
  const traffic = useMemo(
    () => (measured?.measuring ? new Map(measured.devices.map((it) => [it.device_id, it])) : undefined),
    [measured],
  );
  const [wanted, setWanted] = useWanted();
  const paths = useMemo(() => policyPathsOf(tunnels ?? [], egress ?? []), [tunnels, egress]);
  const deviceStates = useMemo(() => deviceStatesOf(postures ?? [], paths, found), [postures, paths, found]);
  const ordered = useMemo(() => inOrder(devices), [devices]);
  const rows = useMemo(() => rowsOf(ordered, deviceStates, belongings), [ordered, deviceStates, belongings]);
  const counts = useMemo(() => countsOf(rows), [rows]);
  const looked = useDeferredValue(wanted);
  const shown = useMemo(() => fitting(rows, looked), [rows, looked]);
  const newDevices = useMemo(() => devices.filter(({ state }) => state === "new").toSorted(newestFirst), [devices]);
  return (
    <>
      {newDevices.length > 0 && <NewDevices devices={newDevices} belongings={belongings} onAction={onAction} />}
      {judged.error && !postures && <ProblemText problem={judged.error} again={() => void judged.refetch()} />}
      <CountFilters counts={counts} wanted={wanted} onWant={setWanted} />
      <Filters wanted={wanted} onWant={setWanted} belongings={belongings} shown={shown.length} all={rows.length} />
      {shown.length === 0 ? (
        <Empty text={t.noMatch}>
          <Button onPress={() => setWanted({ text: "", posture: "", state: "", class: "", group: "" })}>
            {t.showAll}
          </Button>
        </Empty>
      ) : (
        <DeviceTable traffic={traffic} rows={shown} belongings={belongings} onAction={onAction} />
      )}
    </>
  );
}

const newestFirst = (a: Device, b: Device): number => (a.first_seen < b.first_seen ? 1 : -1);

/** The filters of the list, in the URL. */
function useWanted(): readonly [Wanted, (part: Partial<Wanted>) => void] {
  const [params, setParams] = useSearchParams();
  const [text, posture, state, ofClass, group] = wantedDomains.map((name) => params.get(name) ?? "") as [
    string,
    string,
    string,
    string,
    string,
  ];
  const wanted = useMemo(
    () => ({ text, posture, state, class: ofClass, group }),
    [text, posture, state, ofClass, group],
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

const wantedDomains = ["text", "posture", "state", "class", "group"] as const;
