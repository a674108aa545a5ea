import type { UplinkHealth } from "@portcullis/contract/subsystems/uplinks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/form.tsx";
import { Loaded } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { Check } from "./check.tsx";

/** The network of a machine that is set up, refreshed every two seconds, so that plugging in a cable shows. */
export function NetworkChecks() {
  const { start: t } = useTranslation();
  const interfaces = useQuery({ ...apiQuery("interfaces", "list"), refetchInterval: 2000 });
  const health = useQuery({ ...apiQuery("uplinks", "health"), refetchInterval: 2000 });
  return (
    <>
      <Loaded query={interfaces}>
        {(all) => {
          const lans = all.filter(({ role }) => role === "lan");
          return (
            <ul className="stack tight">
              {lans.map(({ name, addresses, carrier }) => (
                <Check key={name} state={carrier ? "good" : "bad"}>
                  {t.lanFound(name, addresses, carrier)}
                </Check>
              ))}
              {lans.length === 0 && <Check state="bad">{t.noLan}</Check>}
            </ul>
          );
        }}
      </Loaded>
      <Loaded query={health}>
        {(uplinks) => (
          <ul className="stack tight">
            {uplinks.map((uplink) => (
              <UplinkCheck
                key={uplink.name}
                {...uplink}
                carrier={interfaces.data?.find(({ name }) => name === uplink.interface)?.carrier === true}
              />
            ))}
            {uplinks.length === 0 && <Check state="bad">{t.noUplink}</Check>}
          </ul>
        )}
      </Loaded>
      {health.data?.some(({ checked_at }) => checked_at === null) && <ProbeInternet />}
      <ChooseUplink />
    </>
  );
}

interface UplinkProps extends UplinkHealth {
  readonly carrier: boolean;
}

/** Before probing is allowed, only the state of the interface is known. */
function UplinkCheck(uplink: UplinkProps) {
  const { name, reachable, rtt_ms, checked_at, gateway_v4, gateway_v6, carrier } = uplink;
  const why = useReason();
  const { start: t } = useTranslation();
  const format = useFormat();
  const nextHop = gateway_v4 ?? gateway_v6;
  if (checked_at === null)
    return <Check state={carrier && nextHop !== null ? "good" : "bad"}>{t.uplinkSeen(name, carrier, nextHop)}</Check>;
  return (
    <Check state={reachable ? "good" : "bad"}>
      {t.uplinkFound(name, reachable ?? false, rtt_ms === null ? undefined : format.ms(rtt_ms), why.clause(uplink))}
    </Check>
  );
}

/** Nothing is sent outside before the user agrees. */
function ProbeInternet() {
  const { start: t } = useTranslation();
  const toast = useToast();
  const uplinks = useQuery(apiQuery("uplinks", "get")).data?.uplinks;
  const put = useAction("uplinks", "put", { invalidates: ["interfaces"] });
  return (
    <div className="row">
      <Button
        needs={["uplinks", "put"]}
        disabled={!uplinks}
        busy={put.isPending}
        onPress={() => uplinks && put.mutate({ body: { uplinks } }, { onError: toast.failed })}
      >
        {t.probeInternet}
      </Button>
      <span className="quiet fine">{t.probeTargets(uplinks?.flatMap((it) => it.probe_targets) ?? [])}</span>
    </div>
  );
}

/** Only if the gateway chose the wrong interface. */
function ChooseUplink() {
  const { start: t } = useTranslation();
  const toast = useToast();
  const interfaces = useQuery(apiQuery("interfaces", "list")).data ?? [];
  const uplinks = useQuery(apiQuery("uplinks", "get")).data?.uplinks ?? [];
  const [chosen, setChosen] = useState("");
  const put = useAction("uplinks", "put", { invalidates: ["interfaces"], onDone: () => toast.done(t.uplinkChosen) });
  const candidates = interfaces.filter(
    ({ role, kind }) => role === "unused" && ["ethernet", "wifi", "vlan"].includes(kind),
  );
  if (candidates.length === 0) return null;
  return (
    <details>
      <summary>{t.otherUplink}</summary>
      <div className="stack tight">
        <SelectField
          label={t.uplinkInterface}
          value={chosen}
          onChange={setChosen}
          options={[{ value: "", label: "–" }, ...candidates.map(({ name }) => ({ value: name, label: name }))]}
        />
        <div>
          <Button
            needs={["uplinks", "put"]}
            disabled={chosen === ""}
            busy={put.isPending}
            onPress={() =>
              put.mutate(
                { body: { uplinks: [{ name: chosen, interface: chosen, priority: 1 }, ...uplinks].slice(0, 8) } },
                { onError: toast.failed },
              )
            }
          >
            {t.useUplink}
          </Button>
        </div>
      </div>
    </details>
  );
}
