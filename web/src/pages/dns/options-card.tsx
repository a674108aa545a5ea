import type { DnsOptions } from "@portcullis/contract/subsystems/dns-settings";
import type { DnsRotation } from "@portcullis/contract/subsystems/dns-upstreams";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { useDraft } from "../../ui/draft.ts";
import { type Fact, Facts } from "../../ui/facts.tsx";
import { AreaField, Form, SelectField, SwitchField, TextField } from "../../ui/form.tsx";
import { Loaded, LoadedCard } from "../../ui/page.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { itemsOf } from "./forwarder-fields.ts";

export function OptionsCard() {
  const t = useTranslation().dns.resolvers;
  const may = useMay();
  const options = useQuery(apiQuery("dnsOptions", "get"));
  const rotation = useQuery(apiQuery("dnsRotation", "get"));
  return (
    <LoadedCard title={t.options} query={options}>
      {(data) => (
        <Loaded query={rotation}>
          {(turn) =>
            may(["dnsOptions", "put"]) ? (
              // A change by another user resets the form.
              <OptionsForm key={JSON.stringify([data, turn])} options={data} rotation={turn} />
            ) : (
              <OptionsText options={data} rotation={turn} />
            )
          }
        </Loaded>
      )}
    </LoadedCard>
  );
}

interface Props {
  readonly options: DnsOptions;
  readonly rotation: DnsRotation;
}

function OptionsText({ options, rotation }: Props) {
  const { dns, ui } = useTranslation();
  const format = useFormat();
  const t = dns.resolvers;
  const facts: readonly Fact[] = [
    [t.rotation, t.rotations[rotation.mode]],
    [t.dnssec, options.dnssec ? ui.on : ui.off],
    [t.rebinding, options.rebinding_protection ? ui.on : ui.off],
    [t.rebindingAllowed, format.list(options.rebinding_allowed) || ui.none],
    [t.rateLimit, format.number(options.rate_limit_qps)],
    [t.tunnelResolvers, t.tunnelResolversModes[options.tunnel_resolvers]],
    [t.logRows, format.number(options.log_rows_kept)],
  ];
  return <Facts all={facts} />;
}

const modes = ["round-robin", "random", "failover", "fastest"] as const;

const draftOf = ({ options, rotation }: Props) => ({
  mode: rotation.mode,
  dnssec: options.dnssec,
  rebinding_protection: options.rebinding_protection,
  rebinding_allowed: options.rebinding_allowed.join("\n"),
  rate_limit_qps: String(options.rate_limit_qps),
  tunnel_resolvers: options.tunnel_resolvers,
  log_rows_kept: String(options.log_rows_kept),
});

function OptionsForm({ options, rotation }: Props) {
  const { dns, ui } = useTranslation();
  const t = dns.resolvers;
  const toast = useToast();
  const [draft, change] = useDraft(draftOf({ options, rotation }));
  const put = useAction("dnsOptions", "put", { invalidates: ["dns"] });
  const turn = useAction("dnsRotation", "put", { invalidates: ["dns"] });
  const apply = async (next: Omit<DnsOptions, "filtering_enabled">, mode: DnsRotation["mode"]) => {
    await put.mutateAsync({ body: next });
    await turn.mutateAsync({ body: { mode } });
  };
  const { filtering_enabled: _, ...before } = options;
  const takeBack = () => void apply(before, rotation.mode).catch(toast.failed);
  const save = () => {
    const { mode, ...rest } = draft;
    const next = {
      ...rest,
      rebinding_allowed: itemsOf(draft.rebinding_allowed),
      rate_limit_qps: Number(draft.rate_limit_qps),
      log_rows_kept: Number(draft.log_rows_kept),
    };
    // The gateway's validation errors are shown at the fields.
    void apply(next, mode).then(
      () => toast.done(t.saved, takeBack),
      () => {},
    );
  };
  return (
    <Form onSubmit={save} problem={put.error ?? turn.error}>
      <div className="grid">
        <SelectField
          label={t.rotation}
          name="mode"
          hint={t.rotationHints[draft.mode]}
          value={draft.mode}
          onChange={(mode) => change({ mode })}
          options={modes.map((value) => ({ value, label: t.rotations[value] }))}
        />
        <SelectField
          label={t.tunnelResolvers}
          name="tunnel_resolvers"
          value={draft.tunnel_resolvers}
          onChange={(tunnel_resolvers) => change({ tunnel_resolvers })}
          options={(["only", "ignore"] as const).map((value) => ({ value, label: t.tunnelResolversModes[value] }))}
        />
        <TextField
          label={t.rateLimit}
          hint={t.rateLimitHint}
          name="rate_limit_qps"
          type="number"
          min={0}
          max={1_000_000}
          value={draft.rate_limit_qps}
          onChange={(rate_limit_qps) => change({ rate_limit_qps })}
        />
        <TextField
          label={t.logRows}
          hint={t.logRowsHint}
          name="log_rows_kept"
          type="number"
          min={0}
          max={10_000_000}
          value={draft.log_rows_kept}
          onChange={(log_rows_kept) => change({ log_rows_kept })}
        />
      </div>
      <SwitchField
        label={t.dnssec}
        hint={t.dnssecHint}
        value={draft.dnssec}
        onChange={(dnssec) => change({ dnssec })}
      />
      <SwitchField
        label={t.rebinding}
        hint={t.rebindingHint}
        value={draft.rebinding_protection}
        onChange={(rebinding_protection) => change({ rebinding_protection })}
      />
      {draft.rebinding_protection && (
        <AreaField
          label={t.rebindingAllowed}
          hint={t.domainsHint}
          name="rebinding_allowed"
          optional
          value={draft.rebinding_allowed}
          onChange={(rebinding_allowed) => change({ rebinding_allowed })}
        />
      )}
      <div>
        <Button type="submit" kind="main" busy={put.isPending || turn.isPending}>
          {ui.save}
        </Button>
      </div>
    </Form>
  );
}
