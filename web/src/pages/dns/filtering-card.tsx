import type { DnsStatus } from "@portcullis/contract/subsystems/dns";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { StopDialog } from "../../ui/floating.tsx";
import { SwitchField } from "../../ui/form.tsx";
import { Figure, LoadedCard } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

/** Size of all lists, and the switch that turns filtering off. */
export function FilteringCard() {
  const t = useTranslation().dns.lists;
  const format = useFormat();
  const status = useQuery({ ...apiQuery("dns", "status"), refetchInterval: 5000 });
  return (
    <LoadedCard title={t.filtering} query={status}>
      {(data) => (
        <>
          <div className="grid small">
            <Figure name={t.namesInForce}>{format.number(data.lists.names)}</Figure>
            <Figure name={t.memory}>{format.bytes(data.lists.bytes)}</Figure>
            <Figure name={t.builtAt}>
              <Ago at={data.lists.built_at} none={t.never} />
            </Figure>
          </div>
          <FilteringSwitch status={data} />
        </>
      )}
    </LoadedCard>
  );
}

function FilteringSwitch({ status }: { readonly status: DnsStatus }) {
  const t = useTranslation().dns.lists;
  const format = useFormat();
  const toast = useToast();
  const may = useMay();
  const [confirming, setConfirming] = useState(false);
  const put = useAction("dnsOptions", "put", { invalidates: ["dns"] });
  const on = status.filtering_enabled;
  if (!may(["dnsOptions", "put"])) return <p>{on ? t.isOn : t.isOff}</p>;
  const turnOn = () => put.mutate({ body: { filtering_enabled: true } }, { onError: toast.failed });
  return (
    <>
      <SwitchField
        label={t.filteringSwitch}
        hint={on ? t.isOn : t.isOff}
        value={on}
        onChange={(to) => (to ? turnOn() : setConfirming(true))}
      />
      <StopDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        title={t.stopTitle}
        text={t.stops(format.number(status.lists.names))}
        action={t.stopAction}
        act={() => put.mutateAsync({ body: { filtering_enabled: false } })}
      />
    </>
  );
}
