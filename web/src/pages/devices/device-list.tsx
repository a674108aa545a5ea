import type { Device } from "@portcullis/contract/subsystems/devices";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Loaded } from "../../ui/page.tsx";
import { ProblemText } from "../../ui/problem.tsx";
import { everyRow, reading } from "../../api/reading.ts";
import { useBelongings } from "../../components/device-belongings.ts";
import { DeviceDialog } from "../../components/device-dialog.tsx";
import { DeviceRemoval } from "../../components/device-removal.tsx";
import { useWords } from "../../i18n/i18n.tsx";
import { CountFilters } from "./count-filters.tsx";
import { DeviceTable } from "./device-table.tsx";
import { Filters } from "./filters.tsx";
import { countsOf, fitting, inOrder, rowsOf, type Wanted } from "./finding.ts";
import { Newcomers } from "./newcomers.tsx";
import { UnknownDevices } from "./unknown-devices.tsx";
import { standingsOf, waysOf } from "./standing.ts";
import type { Deed } from "./actions.ts";

/** New devices, the counts, and the list of all devices. */
export function DeviceList() {
  const all = useQuery(everyRow("devices", "list"));
  const [deed, setDeed] = useState<Deed>();
  const close = () => setDeed(undefined);
  return (
    <>
      <UnknownDevices />
      <Loaded query={all} lines={8}>
        {(devices) => (devices.length === 0 ? <Nobody /> : <Everybody devices={devices} onDeed={setDeed} />)}
      </Loaded>
      {deed?.kind === "remove" && <DeviceRemoval device={deed.device} onClose={close} />}
      {(deed?.kind === "edit" || deed?.kind === "who") && (
        <DeviceDialog device={deed.device} brief={deed.kind === "who"} onClose={close} />
      )}
    </>
  );
}

function Nobody() {
  const say = useWords().devices;
  const [, setDeed] = useAddress("do");
  return (
    <Empty says={say.none}>
      <Button kind="main" icon="add" needs={["devices", "create"]} onPress={() => setDeed("add")}>
        {say.addDevice}
      </Button>
    </Empty>
  );
}

interface EverybodyProps {
  readonly devices: readonly Device[];
  readonly onDeed: (deed: Deed) => void;
}

function Everybody({ devices, onDeed }: EverybodyProps) {
  const say = useWords().devices;
  const belongings = useBelongings();
  const judged = useQuery(reading("policyViews", "postures"));
  const postures = judged.data?.devices;
  const tunnels = useQuery(everyRow("tunnels", "list")).data;
  const egress = useQuery(reading("tunnels", "egress")).data;
  const leaking = useQuery(reading("privacy", "status", { query: { verdict: "leaking" } })).data?.devices;
  const found = useMemo(() => new Set(leaking?.map(({ device_id }) => device_id)), [leaking]);
  const [wanted, setWanted] = useWanted();
  const ways = useMemo(() => waysOf(tunnels ?? [], egress ?? []), [tunnels, egress]);
  const standings = useMemo(() => standingsOf(postures ?? [], ways, found), [postures, ways, found]);
  const ordered = useMemo(() => inOrder(devices), [devices]);
  const rows = useMemo(() => rowsOf(ordered, standings, belongings), [ordered, standings, belongings]);
  const counts = useMemo(() => countsOf(rows), [rows]);
  const looked = useDeferredValue(wanted);
  const shown = useMemo(() => fitting(rows, looked), [rows, looked]);
  const newcomers = useMemo(() => devices.filter(({ state }) => state === "new").toSorted(newestFirst), [devices]);
  return (
    <>
      {newcomers.length > 0 && <Newcomers devices={newcomers} belongings={belongings} onDeed={onDeed} />}
      {judged.error && !postures && <ProblemText problem={judged.error} again={() => void judged.refetch()} />}
      <CountFilters counts={counts} wanted={wanted} onWant={setWanted} />
      <Filters wanted={wanted} onWant={setWanted} belongings={belongings} shown={shown.length} all={rows.length} />
      {shown.length === 0 ? (
        <Empty says={say.nobodyFits}>
          <Button onPress={() => setWanted({ text: "", posture: "", state: "", class: "", group: "" })}>
            {say.showAll}
          </Button>
        </Empty>
      ) : (
        <DeviceTable rows={shown} belongings={belongings} onDeed={onDeed} />
      )}
    </>
  );
}

const newestFirst = (a: Device, b: Device): number => (a.first_seen < b.first_seen ? 1 : -1);

/** The filters of the list, in the URL. */
function useWanted(): readonly [Wanted, (part: Partial<Wanted>) => void] {
  const [params, setParams] = useSearchParams();
  const [text, posture, state, ofClass, group] = wantedNames.map((name) => params.get(name) ?? "") as [
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

const wantedNames = ["text", "posture", "state", "class", "group"] as const;
