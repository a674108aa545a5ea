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

/** One range. The request replaces all of them, so the others are sent unchanged. */
export function DhcpDialog({ ranges, edited, onClose }: Props) {
  const { dhcp: t } = useTranslation();
  const toast = useToast();
  const others = ranges.filter((it) => it !== edited);
  const lans = (useQuery(apiQuery("interfaces", "list")).data ?? [])
    .filter(({ name, role }) => role === "lan" && !others.some((it) => it.interface === name))
    .map(({ name }) => name);
  const [draft, setDraft] = useState({
    interface: edited?.interface,
    first: edited?.first ?? "",
    last: edited?.last ?? "",
    hours: String((edited?.lease_sec ?? 12 * hourSec) / hourSec),
  });
  const name = draft.interface ?? lans[0] ?? "";
  const put = useAction("dhcp", "put", {
    invalidates: ["status"],
    onDone: () => {
      toast.done(t.saved);
      onClose();
    },
  });
  const save = () => {
    const lease_sec = Math.round(Number(draft.hours) * hourSec);
    const range = { interface: name, first: draft.first.trim(), last: draft.last.trim(), lease_sec };
    put.mutate({ body: bodyOf([range, ...others]) });
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
        value={name}
        onChange={(value) => setDraft({ ...draft, interface: value })}
        options={[...new Set([name, ...lans])].map((value) => ({ value, label: value }))}
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
