import type { Dhcp, DhcpRange } from "@portcullis/contract/subsystems/dhcp";
import { useQuery } from "@tanstack/react-query";
import { apiQuery, useAction } from "../../api/queries.ts";
import { rowRulesOf } from "../../api/rules.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
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
  const first = { interface: lans[0] ?? "" };
  const form = useBody(rowRulesOf("dhcp", "put", "ranges"), { stored: edited, first, units: { lease_sec: "hours" } });
  const put = useAction("dhcp", "put", {
    invalidates: ["status"],
    onDone: () => {
      toast.done(t.saved);
      onClose();
    },
  });
  const range = form.values as DhcpRange;
  return (
    <BodyDialog
      form={form}
      title={edited ? t.edit(edited.interface) : t.add}
      needs={["dhcp", "put"]}
      onClose={onClose}
      onSave={() => put.mutate({ body: bodyOf([range, ...ranges.filter((it) => it !== edited)]) })}
      busy={put.isPending}
      problem={put.error}
      prefix="ranges.0."
      fields={["interface", "first", "last", "lease_sec"]}
      texts={t}
      hints={{ interface: lans.length === 0 ? t.noLan : undefined, first: t.rangeHint }}
      options={{ interface: [...new Set([range.interface, ...lans])].map((value) => ({ value, label: value })) }}
      examples={{ first: "192.168.1.100", last: "192.168.1.199" }}
    />
  );
}
