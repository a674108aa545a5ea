import type { ExternalFilter } from "@portcullis/contract/subsystems/dns-settings";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAddress } from "../../ui/address.ts";
import { Button } from "../../ui/button.tsx";
import { useDraft } from "../../ui/draft.ts";
import { StopDialog } from "../../ui/floating.tsx";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { reading, useAct } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

/** An external resolver that filters instead of the gateway. */
export function ExternalFilterCard() {
  const say = useWords().dns.resolvers.external;
  const [doing, setDoing] = useAddress("do");
  const filter = useQuery({ ...reading("dnsExtfilter", "status"), refetchInterval: 10_000 });
  return (
    <LoadedCard
      title={say.title}
      query={filter}
      actions={
        <Button icon="edit" needs={["dnsExtfilter", "put"]} onPress={() => setDoing("filter")}>
          {say.settings}
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
  const say = useWords().dns.resolvers.external;
  const format = useFormat();
  const toast = useToast();
  const [asks, setAsks] = useState(false);
  const enable = useAct("dnsExtfilter", "enable", { renews: ["dns"] });
  const disable = useAct("dnsExtfilter", "disable", { renews: ["dns"] });
  const state = stateOf(filter);
  return (
    <>
      <p className="row">
        <State state={state} text={say.states[state]} />
        <span className="quiet">
          {[
            filter.configured ? filter.dns_address : say.notSetUp,
            filter.configured && filter.reason,
            filter.dns_rtt_ms !== null && format.ms(filter.dns_rtt_ms),
            filter.version && say.version(filter.version),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </p>
      <div className="row">
        {filter.enabled ? (
          <Button needs={["dnsExtfilter", "disable"]} onPress={() => setAsks(true)}>
            {say.disable}
          </Button>
        ) : (
          filter.configured && (
            <Button
              needs={["dnsExtfilter", "enable"]}
              busy={enable.isPending}
              onPress={() => enable.mutate(undefined, { onError: toast.failed })}
            >
              {say.enable}
            </Button>
          )
        )}
      </div>
      <StopDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={say.disable}
        says={say.disables}
        action={say.disable}
        act={() => disable.mutateAsync(undefined)}
      />
    </>
  );
}

function SettingsDialog({ filter, onClose }: { readonly filter: ExternalFilter; readonly onClose: () => void }) {
  const say = useWords().dns.resolvers.external;
  const [draft, change] = useDraft({
    url: filter.url ?? "",
    dns_address: filter.dns_address ?? "",
    username: filter.username ?? "",
    password: "",
  });
  const put = useAct("dnsExtfilter", "put", { renews: ["dns"], onDone: onClose });
  const save = () =>
    put.mutate({
      body: {
        url: draft.url.trim() || null,
        dns_address: draft.dns_address.trim() || null,
        username: draft.username.trim() || null,
        ...(draft.password !== "" && { password: draft.password }),
      },
    });
  return (
    <FormDialog
      needs={["dnsExtfilter", "put"]}
      title={say.settings}
      onClose={onClose}
      onSave={save}
      busy={put.isPending}
      problem={put.error}
    >
      <TextField
        label={say.dnsAddress}
        hint={say.dnsAddressHint}
        name="dns_address"
        placeholder="192.168.1.5:53"
        value={draft.dns_address}
        autoFocus
        onChange={(dns_address) => change({ dns_address })}
      />
      <TextField
        label={say.url}
        name="url"
        type="url"
        placeholder="https://192.168.1.5:3000"
        value={draft.url}
        onChange={(url) => change({ url })}
      />
      <TextField
        label={say.username}
        name="username"
        optional
        value={draft.username}
        onChange={(username) => change({ username })}
      />
      <TextField
        label={say.password}
        {...(filter.has_password && { hint: say.passwordKept })}
        name="password"
        type="password"
        autoComplete="new-password"
        optional
        value={draft.password}
        onChange={(password) => change({ password })}
      />
    </FormDialog>
  );
}
