import type { RouterAdvertisement, RouterAdvertisements } from "@portcullis/contract/subsystems/router-advertisements";
import { useQuery } from "@tanstack/react-query";
import { apiQuery, useAction } from "../../api/queries.ts";
import { rowRulesOf } from "../../api/rules.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { BodyDialog } from "../../ui/body-form.tsx";
import { useBody } from "../../ui/body-state.ts";
import { useToast } from "../../ui/toasts.tsx";

export type Advertised = RouterAdvertisements["interfaces"][number];

/** The request that advertises on exactly these interfaces. */
export const advertisementsOf = (interfaces: readonly RouterAdvertisement[]) => ({
  interfaces: interfaces.map(({ interface: name, lifetime_sec }) => ({ interface: name, lifetime_sec })),
});

interface Props {
  readonly interfaces: readonly Advertised[];
  /** undefined: another one. */
  readonly edited: Advertised | undefined;
  readonly onClose: () => void;
}

/** One interface. The interfaces of the gateway are loaded first: one of them is selected. */
export function RouterAdvertisementDialog(props: Props) {
  const { data } = useQuery(apiQuery("interfaces", "list"));
  if (!data) return null;
  const taken = props.interfaces.filter((it) => it !== props.edited).map((it) => it.interface);
  const lans = data.filter(({ role, name }) => role === "lan" && !taken.includes(name)).map(({ name }) => name);
  return <InterfaceDialog {...props} lans={lans} />;
}

/** The request replaces all interfaces, so the others are sent unchanged. */
function InterfaceDialog({ interfaces, edited, onClose, lans }: Props & { readonly lans: readonly string[] }) {
  const { routerAdvertisements: t } = useTranslation();
  const toast = useToast();
  const first = { interface: lans[0] ?? "" };
  const rules = rowRulesOf("routerAdvertisements", "put", "interfaces");
  const form = useBody(rules, { stored: edited, first, units: { lifetime_sec: "min" } });
  const put = useAction("routerAdvertisements", "put", {
    invalidates: ["status"],
    onDone: () => {
      toast.done(t.saved);
      onClose();
    },
  });
  const wanted = form.values as RouterAdvertisement;
  return (
    <BodyDialog
      form={form}
      title={edited ? t.edit(edited.interface) : t.add}
      needs={["routerAdvertisements", "put"]}
      onClose={onClose}
      onSave={() => put.mutate({ body: advertisementsOf([wanted, ...interfaces.filter((it) => it !== edited)]) })}
      busy={put.isPending}
      problem={put.error}
      prefix="interfaces.0."
      fields={["interface", "lifetime_sec"]}
      texts={t}
      hints={{ interface: lans.length === 0 ? t.noLan : undefined }}
      options={{ interface: [...new Set([wanted.interface, ...lans])].map((value) => ({ value, label: value })) }}
    />
  );
}
