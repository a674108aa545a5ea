import type { ExternalFilter } from "@portcullis/contract/subsystems/dns-settings";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { LoadedCard } from "../../ui/page.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { rulesOf } from "../../api/rules.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";

/** An external resolver that filters instead of the gateway. */
export function ExternalFilterCard() {
  const t = useTranslation().dns.resolvers.external;
  const [doing, setDoing] = useSearchParam("do");
  const filter = useQuery({ ...apiQuery("dnsExtfilter", "status"), refetchInterval: 10_000 });
  return (
    <LoadedCard
      title={t.title}
      query={filter}
      actions={
        <Button icon="edit" needs={["dnsExtfilter", "put"]} onPress={() => setDoing("filter")}>
          {t.settings}
        </Button>
      }
    >
      {(data) => (
        <>
          <Condition filter={data} />
          {doing === "filter" && <SettingsDialog filter={data} onClose={() => setDoing("")} />}
        </>
      )}
    </LoadedCard>
  );
}

function stateOf({ enabled, dns_status, protection_enabled }: ExternalFilter): StateName {
  if (!enabled) return "unknown";
  if (dns_status === "down") return "blocked";
  return protection_enabled ? "protected" : "direct";
}

function Condition({ filter }: { readonly filter: ExternalFilter }) {
  const t = useTranslation().dns.resolvers.external;
  const format = useFormat();
  const toast = useToast();
  const why = useReason();
  const [confirming, setConfirming] = useState(false);
  const enable = useAction("dnsExtfilter", "enable", { invalidates: ["dns"] });
  const disable = useAction("dnsExtfilter", "disable", { invalidates: ["dns"] });
  const state = stateOf(filter);
  return (
    <>
      <p className="row">
        <State state={state} text={t.states[state]} />
        <span className="quiet">
          {[
            filter.configured ? filter.dns_address : t.notSetUp,
            filter.configured && why.line(filter),
            filter.dns_rtt_ms !== null && format.ms(filter.dns_rtt_ms),
            filter.version && t.version(filter.version),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </p>
      <div className="row">
        {filter.enabled ? (
          <Button needs={["dnsExtfilter", "disable"]} onPress={() => setConfirming(true)}>
            {t.disable}
          </Button>
        ) : (
          filter.configured && (
            <Button
              needs={["dnsExtfilter", "enable"]}
              busy={enable.isPending}
              onPress={() => enable.mutate(undefined, { onError: toast.failed })}
            >
              {t.enable}
            </Button>
          )
        )}
      </div>
      <StopDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        title={t.disable}
        text={t.disables}
        action={t.disable}
        act={() => disable.mutateAsync(undefined)}
      />
    </>
  );
}

function SettingsDialog({ filter, onClose }: { readonly filter: ExternalFilter; readonly onClose: () => void }) {
  const t = useTranslation().dns.resolvers.external;
  const form = useBody(rulesOf("dnsExtfilter", "put"), { stored: filter });
  const put = useAction("dnsExtfilter", "put", { invalidates: ["dns"], onDone: onClose });
  return (
    <BodyDialog
      form={form}
      title={t.settings}
      needs={["dnsExtfilter", "put"]}
      onClose={onClose}
      onSave={(body) => put.mutate({ body })}
      busy={put.isPending}
      problem={put.error}
      fields={["dns_address", "url", ["username", "password"]]}
      texts={{
        dns_address: { label: t.dnsAddress, hint: t.dnsAddressHint },
        url: t.url,
        username: t.username,
        password: { label: t.password, ...(filter.has_password && { hint: t.passwordKept }) },
      }}
      examples={{ dns_address: "192.168.1.5:53", url: "https://192.168.1.5:3000" }}
    />
  );
}
