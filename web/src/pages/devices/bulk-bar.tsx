import type { Device } from "@portcullis/contract/subsystems/devices";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { gateway } from "../../api/gateway.ts";
import type { Needs } from "../../api/session.tsx";
import { type DeviceFields, invalidatedByDevice, valuesBefore } from "../../components/device-change.ts";
import type { Belongings } from "../../components/effective-class.ts";
import { ExitPicker } from "../../components/policies/exit-picker.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/floating.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useToast } from "../../ui/toasts.tsx";
import type { Deciding } from "./device-table.tsx";
import type { Row } from "./finding.ts";

interface Props {
  readonly rows: readonly Row[];
  readonly deciding: ReadonlyMap<string, Deciding>;
  readonly belongings: Belongings;
  readonly onEnd: () => void;
}

const update: Needs = ["devices", "update"];

/** Actions for every selected device; each can be undone as a whole. */
export function BulkBar({ rows, deciding, belongings, onEnd }: Props) {
  const { devices, exits, ui } = useTranslation();
  const t = devices.bulk;
  const change = useBulkChange(onEnd);
  const all = rows.map(({ device }) => device);
  const reachable = all.filter(({ state }) => state !== "quarantined");
  return (
    <section className="bulk-bar" role="toolbar" aria-label={t.selected(all.length)}>
      <strong role="status">{t.selected(all.length)}</strong>
      {reachable.length > 0 && (
        <ExitPicker
          label={exits.ofMany(reachable.length)}
          targets={reachable.map((device) => ({ device, decidingId: deciding.get(device.id)?.policy_id ?? null }))}
          className="button quiet"
          onChosen={onEnd}
        >
          <Icon name="tunnels" />
          {t.exit}
        </ExitPicker>
      )}
      {belongings.groups.size > 0 && (
        <Menu
          label={t.group}
          icon="group"
          shown={t.group}
          items={[...belongings.groups.values()].map(({ id, name }) => ({
            label: name,
            needs: update,
            onPress: () =>
              change.run(
                all,
                ({ group_ids }) => ({ group_ids: [...new Set([...group_ids, id])] }),
                t.inGroup(all.length, name),
              ),
          }))}
        />
      )}
      <Button
        kind="quiet"
        icon="blocked"
        needs={update}
        busy={change.busy}
        onPress={() => change.run(all, () => ({ state: "quarantined" }), t.blocked(all.length))}
      >
        {t.block}
      </Button>
      <Button
        kind="quiet"
        icon="check"
        needs={update}
        busy={change.busy}
        onPress={() => change.run(all, () => ({ state: "known" }), t.allowed(all.length))}
      >
        {t.allow}
      </Button>
      <Button kind="bare" icon="close" label={ui.dismiss} onPress={onEnd} />
    </section>
  );
}

/** One request for each device: the gateway has none for many. What failed is reported, and what was done can be undone. */
function useBulkChange(onEnd: () => void) {
  const t = useTranslation().devices.bulk;
  const [toast, queries] = [useToast(), useQueryClient()];
  const [busy, setBusy] = useState(false);
  async function send(changes: readonly { readonly id: string; readonly fields: DeviceFields }[]): Promise<boolean> {
    let done = 0;
    try {
      for (const { id, fields } of changes) {
        await gateway.devices.update({ params: { id }, body: fields });
        done += 1;
      }
      return true;
    } catch (problem) {
      toast.failed(new Error(t.stopped(done, changes.length, (problem as Error).message)));
      return false;
    } finally {
      const invalidated = ["devices", "changes", ...invalidatedByDevice];
      await Promise.all(invalidated.map((it) => queries.invalidateQueries({ queryKey: [it] })));
    }
  }
  return {
    busy,
    run: (devices: readonly Device[], fieldsOf: (device: Device) => DeviceFields, doneText: string) => {
      const changes = devices.map((device) => ({ id: device.id, fields: fieldsOf(device), device }));
      setBusy(true);
      void send(changes).then((isDone) => {
        setBusy(false);
        if (!isDone) return;
        const before = changes.map(({ id, fields, device }) => ({ id, fields: valuesBefore(device, fields) }));
        toast.done(doneText, () => void send(before));
        onEnd();
      });
    },
  };
}
