import type { RouterAdvertisement, RouterAdvertisements } from "@portcullis/contract/subsystems/router-advertisements";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { SelectField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
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

const minuteSec = 60;

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
  const [name, setName] = useState(edited?.interface ?? lans[0] ?? "");
  const [minutes, setMinutes] = useState(String((edited?.lifetime_sec ?? 30 * minuteSec) / minuteSec));
  const put = useAction("routerAdvertisements", "put", {
    invalidates: ["status"],
    onDone: () => {
      toast.done(t.saved);
      onClose();
    },
  });
  const save = () => {
    const wanted = { interface: name, lifetime_sec: Math.round(Number(minutes) * minuteSec) };
    put.mutate({ body: advertisementsOf([wanted, ...interfaces.filter((it) => it !== edited)]) });
  };
  return (
    <FormDialog
      title={edited ? t.edit(edited.interface) : t.add}
      needs={["routerAdvertisements", "put"]}
      onClose={onClose}
      onSave={save}
      busy={put.isPending}
      problem={put.error}
    >
      <SelectField
        label={t.interface}
        {...(lans.length === 0 && { hint: t.noLan })}
        name="interfaces.0.interface"
        value={name}
        onChange={setName}
        options={[...new Set([name, ...lans])].map((value) => ({ value, label: value }))}
      />
      <TextField
        label={t.lifetime}
        name="interfaces.0.lifetime_sec"
        type="number"
        hint={t.lifetimeHint}
        min={2}
        max={150}
        value={minutes}
        onChange={setMinutes}
      />
    </FormDialog>
  );
}
