import type { DnsStatus } from "@portcullis/contract/subsystems/dns";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { StopDialog } from "../../ui/floating.tsx";
import { SwitchField } from "../../ui/form.tsx";
import { Figure, LoadedCard } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { reading, useAct } from "../../api/reading.ts";
import { useMay } from "../../api/session.tsx";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

/** Size of all lists, and the switch that turns filtering off. */
export function FilteringCard() {
  const say = useWords().dns.lists;
  const format = useFormat();
  const status = useQuery({ ...reading("dns", "status"), refetchInterval: 5000 });
  return (
    <LoadedCard title={say.filtering} query={status}>
      {(data) => (
        <>
          <div className="grid small">
            <Figure name={say.namesInForce}>{format.number(data.lists.names)}</Figure>
            <Figure name={say.memory}>{format.bytes(data.lists.bytes)}</Figure>
            <Figure name={say.builtAt}>
              <Ago at={data.lists.built_at} none={say.never} />
            </Figure>
          </div>
          <FilteringSwitch status={data} />
        </>
      )}
    </LoadedCard>
  );
}

function FilteringSwitch({ status }: { readonly status: DnsStatus }) {
  const say = useWords().dns.lists;
  const format = useFormat();
  const toast = useToast();
  const may = useMay();
  const [asks, setAsks] = useState(false);
  const put = useAct("dnsOptions", "put", { renews: ["dns"] });
  const on = status.filtering_enabled;
  if (!may(["dnsOptions", "put"])) return <p>{on ? say.isOn : say.isOff}</p>;
  const turnOn = () => put.mutate({ body: { filtering_enabled: true } }, { onError: toast.failed });
  return (
    <>
      <SwitchField
        label={say.filteringSwitch}
        hint={on ? say.isOn : say.isOff}
        value={on}
        onChange={(to) => (to ? turnOn() : setAsks(true))}
      />
      <StopDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={say.stopTitle}
        says={say.stops(format.number(status.lists.names))}
        action={say.stopAction}
        act={() => put.mutateAsync({ body: { filtering_enabled: false } })}
      />
    </>
  );
}
