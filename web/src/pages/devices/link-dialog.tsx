import type { DiscoveredDevice } from "@portcullis/contract/subsystems/discovery";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SelectField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { invalidatedByDevice } from "../../components/device-change.ts";
import { useTranslation } from "../../i18n/i18n.tsx";

interface Props {
  readonly discovered: DiscoveredDevice;
  readonly onClose: () => void;
}

/** Which known device has this random MAC address now. Those with the same host name come first. */
export function LinkDialog({ discovered: { mac, candidates }, onClose }: Props) {
  const t = useTranslation().devices.unknown;
  const toast = useToast();
  const devices = useQuery(allRows("devices", "list")).data ?? [];
  const [chosen, setChosen] = useState(candidates[0]?.device_id ?? "");
  const link = useAction("discovery", "link", {
    invalidates: ["devices", ...invalidatedByDevice],
    onDone: ({ name }) => {
      toast.done(t.linked(name));
      onClose();
    },
  });
  const likely = new Set(candidates.map(({ device_id }) => device_id));
  const ordered = devices.toSorted(
    (a, b) => Number(likely.has(b.id)) - Number(likely.has(a.id)) || a.name.localeCompare(b.name),
  );
  return (
    <FormDialog
      needs={["discovery", "link"]}
      title={t.linkTitle(mac)}
      onClose={onClose}
      onSave={() => link.mutate({ params: { mac }, body: { device_id: chosen } })}
      busy={link.isPending}
      problem={link.error}
      action={t.link}
    >
      <p className="quiet wrap">{t.linkEffect}</p>
      <SelectField
        label={t.linkDevice}
        name="device_id"
        value={chosen}
        onChange={setChosen}
        options={[
          ...(chosen === "" ? [{ value: "", label: t.choose }] : []),
          ...ordered.map(({ id, name }) => ({ value: id, label: likely.has(id) ? t.sameHostname(name) : name })),
        ]}
      />
    </FormDialog>
  );
}
