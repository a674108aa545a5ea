import type { SetupPlan, SetupRequest, SetupState } from "@portcullis/contract/subsystems/setup";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ChoiceField } from "../../ui/choice.tsx";
import { useDebounced } from "../../ui/debounced.ts";
import { Form, SwitchField, TextField } from "../../ui/form.tsx";
import { gateway } from "../../api/gateway.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { assign, type NetworkDraft, requestFor } from "./port-roles.ts";
import { Ports } from "./ports.tsx";
import { PlanList } from "./setup-plan.tsx";

interface Props {
  readonly setup: SetupState;
  readonly onApplied: (request: SetupRequest, plan: SetupPlan) => void;
}

/** Roles, address and DHCP, with the plan of the gateway beside them. Nothing is written before it is applied. */
export function PortsForm({ setup, onApplied }: Props) {
  const { setup: t } = useTranslation();
  const format = useFormat();
  const [draft, setDraft] = useState<NetworkDraft>(() => proposalOf(setup));
  const change = (part: Partial<NetworkDraft>) => setDraft((before) => ({ ...before, ...part }));
  const request = requestFor(draft, setup);
  const plan = usePlan(request);
  const apply = useMutation({
    mutationFn: (body: SetupRequest) => gateway.setup.apply({ body }),
    onSuccess: (made, body) => onApplied(body, made),
  });
  const lan = setup.interfaces.find(({ name }) => name === draft.roles.lan);
  const wan = setup.interfaces.find(({ name }) => name === draft.roles.wan);
  const usable = setup.interfaces.filter((it) => it.usable);
  if (usable.length < 2) return <p className="problem wrap">{t.tooFew(usable[0]?.name)}</p>;
  const byUplink = wan?.addresses.some((it) => it.replace(/\/.*$/, "") === window.location.hostname) === true;
  const port = Number(window.location.port || 443);
  return (
    <Form onSubmit={() => request && apply.mutate(request)} problem={apply.error ?? plan.error}>
      <p className="quiet">{t.proposal(draft.roles.wan, draft.roles.lan, setup.suggestion)}</p>
      <Ports
        interfaces={usable}
        roles={draft.roles}
        onChange={(name, role) => change({ roles: assign(draft.roles, name, role), address: undefined })}
      />
      {lan && lan.free_address !== null && (
        <TextField
          label={t.address}
          name="lan_address"
          hint={t.addressHint}
          value={draft.address ?? lan.free_address}
          onChange={(address) => change({ address })}
        />
      )}
      {lan && (
        <SwitchField
          label={t.dhcp}
          hint={lan.free_address === null ? t.dhcpExisting : t.dhcpHint}
          value={draft.dhcp ?? lan.free_address !== null}
          onChange={(dhcp) => change({ dhcp })}
        />
      )}
      <ChoiceField
        legend={t.unmatched}
        value={draft.unknown}
        onChange={(unknown) => change({ unknown })}
        choices={(["direct", "block"] as const).map((value) => ({ value, ...t.egress[value] }))}
      />
      {isLocal(setup) &&
        (window.location.protocol === "https:" ? (
          <SwitchField
            label={t.webOnLan}
            hint={t.webOnLanHint}
            value={draft.webOnLan}
            onChange={(webOnLan) => change({ webOnLan })}
          />
        ) : (
          <p className="problem wrap">{t.webIsLocal}</p>
        ))}
      {byUplink && (
        <SwitchField
          label={t.keepPort(port, wan!.name)}
          hint={t.keepPortHint}
          value={draft.keptPort !== undefined}
          onChange={(isKept) => change({ keptPort: isKept ? port : undefined })}
        />
      )}
      {plan.data && request && !plan.error && <PlanList plan={plan.data} lan={request.lan} />}
      <div className="row">
        <Button kind="main" type="submit" needs={["setup", "apply"]} busy={apply.isPending} disabled={!plan.isCurrent}>
          {t.apply(
            plan.data === undefined || plan.data.confirm_sec === 0 ? "" : format.duration(plan.data.confirm_sec),
          )}
        </Button>
        <span className="quiet fine">{request ? t.nothingYet : t.roleMissing}</span>
      </div>
    </Form>
  );
}

/** Whether this browser runs on the gateway, or is connected through SSH, and the LAN cannot reach the web interface. */
const isLocal = ({ web_address: web }: SetupState): boolean =>
  web === null && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(window.location.hostname);

function proposalOf(setup: SetupState): NetworkDraft {
  const { suggestion, settings } = setup;
  return {
    roles: { wan: suggestion.wan.interface, lan: suggestion.lan.interface },
    address: undefined,
    dhcp: undefined,
    unknown: settings.unknown,
    webOnLan: isLocal(setup) && window.location.protocol === "https:",
    keptPort: undefined,
  };
}

/** What the gateway would do. `isCurrent`: it is the plan of this request, and the gateway accepts it. */
function usePlan(request: SetupRequest | undefined) {
  const wanted = JSON.stringify(request ?? null);
  const settled = useDebounced(wanted);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["setup", "plan", settled],
    queryFn: () => gateway.setup.plan({ body: JSON.parse(settled) as SetupRequest }),
    enabled: settled !== "null",
    placeholderData: keepPreviousData,
    retry: false,
  });
  return { data, error, isCurrent: data !== undefined && !error && !isPlaceholderData && settled === wanted };
}
