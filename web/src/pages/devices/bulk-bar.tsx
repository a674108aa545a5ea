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
import { sentenceOf } from "../../ui/problem.tsx";
import { useToast } from "../../ui/toasts.tsx";
import type { Deciding } from "./device-table.tsx";
import { sendEach } from "./each-change.ts";
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

interface Change {
  readonly id: string;
  readonly fields: DeviceFields;
}

/** One request for each device: the gateway has none for many. What failed is reported, and what was done can be undone. */
function useBulkChange(onEnd: () => void) {
  const { devices: texts, ui } = useTranslation();
  const t = texts.bulk;
  const [toast, queries] = [useToast(), useQueryClient()];
  const [busy, setBusy] = useState(false);
  async function send<C extends Change>(changes: readonly C[], undo?: (done: readonly C[]) => void) {
    const { done, problem } = await sendEach(changes, ({ id, fields }) =>
      gateway.devices.update({ params: { id }, body: fields }),
    );
    const invalidated = ["devices", "changes", ...invalidatedByDevice];
    await Promise.all(invalidated.map((it) => queries.invalidateQueries({ queryKey: [it] })));
    if (!problem) return true;
    const text = t.stopped(done.length, changes.length, sentenceOf(problem, ui.unreachable));
    toast.partly(text, undo && done.length > 0 ? () => undo(done) : undefined);
    return false;
  }
  return {
    busy,
    run: (devices: readonly Device[], fieldsOf: (device: Device) => DeviceFields, doneText: string) => {
      const changes = devices.map((device) => ({ id: device.id, fields: fieldsOf(device), device }));
      const undo = (done: readonly (typeof changes)[number][]) =>
        void send(done.map(({ id, fields, device }) => ({ id, fields: valuesBefore(device, fields) })));
      setBusy(true);
      void send(changes, undo).then((isDone) => {
        setBusy(false);
        if (!isDone) return;
        toast.done(doneText, () => undo(changes));
        onEnd();
      });
    },
  };
}
