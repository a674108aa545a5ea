import type { Dhcp, DhcpRange } from "@portcullis/contract/subsystems/dhcp";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { SelectField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";

export type Range = Dhcp["ranges"][number];

/** The request that sets exactly these ranges. */
export const bodyOf = (ranges: readonly DhcpRange[]) => ({
  ranges: ranges.map(({ interface: name, first, last, lease_sec }) => ({ interface: name, first, last, lease_sec })),
});

interface Props {
  readonly ranges: readonly Range[];
  /** undefined: a new one. */
  readonly edited: Range | undefined;
  readonly onClose: () => void;
}

const hourSec = 3600;

/** One range. The interfaces of the gateway are loaded first: one of them is selected. */
export function DhcpDialog(props: Props) {
  const { data } = useQuery(apiQuery("interfaces", "list"));
  if (!data) return null;
  const taken = props.ranges.filter((it) => it !== props.edited).map((it) => it.interface);
  const lans = data.filter(({ role, name }) => role === "lan" && !taken.includes(name)).map(({ name }) => name);
  return <RangeDialog {...props} lans={lans} />;
}

/** The request replaces all ranges, so the others are sent unchanged. */
function RangeDialog({ ranges, edited, onClose, lans }: Props & { readonly lans: readonly string[] }) {
  const { dhcp: t } = useTranslation();
  const toast = useToast();
  const [draft, setDraft] = useState({
    interface: edited?.interface ?? lans[0] ?? "",
    first: edited?.first ?? "",
    last: edited?.last ?? "",
    hours: String((edited?.lease_sec ?? 12 * hourSec) / hourSec),
  });
  const put = useAction("dhcp", "put", {
    invalidates: ["status"],
    onDone: () => {
      toast.done(t.saved);
      onClose();
    },
  });
  const save = () => {
    const { interface: name, first, last, hours } = draft;
    const lease_sec = Math.round(Number(hours) * hourSec);
    const range = { interface: name, first: first.trim(), last: last.trim(), lease_sec };
    put.mutate({ body: bodyOf([range, ...ranges.filter((it) => it !== edited)]) });
  };
  return (
    <FormDialog
      title={edited ? t.edit(edited.interface) : t.add}
      needs={["dhcp", "put"]}
      onClose={onClose}
      onSave={save}
      busy={put.isPending}
      problem={put.error}
    >
      <SelectField
        label={t.interface}
        {...(lans.length === 0 && { hint: t.noLan })}
        name="ranges.0.interface"
        value={draft.interface}
        onChange={(value) => setDraft({ ...draft, interface: value })}
        options={[...new Set([draft.interface, ...lans])].map((value) => ({ value, label: value }))}
      />
      <TextField
        label={t.first}
        name="ranges.0.first"
        hint={t.rangeHint}
        placeholder="192.168.1.100"
        value={draft.first}
        onChange={(first) => setDraft({ ...draft, first })}
      />
      <TextField
        label={t.last}
        name="ranges.0.last"
        placeholder="192.168.1.199"
        value={draft.last}
        onChange={(last) => setDraft({ ...draft, last })}
      />
      <TextField
        label={t.leaseHours}
        name="ranges.0.lease_sec"
        type="number"
        hint={t.leaseHint}
        min={1}
        max={720}
        value={draft.hours}
        onChange={(hours) => setDraft({ ...draft, hours })}
      />
    </FormDialog>
  );
}
