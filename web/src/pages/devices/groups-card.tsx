import type { DeviceGroup } from "@portcullis/contract/subsystems/devices";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { PauseDialog } from "../../components/pauses/pause-dialog.tsx";
import { EntryDialog } from "../../ui/body-form.tsx";
import { EntryTable } from "../../ui/entry-table.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";

export function GroupsCard() {
  const { devices, pauses } = useTranslation();
  const t = devices.belongings;
  const format = useFormat();
  const groups = useQuery(allRows("deviceGroups", "list"));
  const [pausing, setPausing] = useState<DeviceGroup>();
  const table = (
    <EntryTable
      title={t.groups.title}
      query={groups}
      subsystem="deviceGroups"
      nameOf={({ name }) => name}
      empty={t.groups.none}
      add={t.groups.add}
      word="group"
      dialog={(group, onClose) => <GroupDialog group={group} onClose={onClose} />}
      removal={{ confirming: (group, onClose) => <GroupRemoval group={group} onClose={onClose} /> }}
      more={(group) => [{ label: pauses.add, needs: ["pauses", "create"], onPress: () => setPausing(group) }]}
      columns={[
        {
          key: "name",
          title: t.name,
          cell: ({ id, name }) => <Link href={`/devices?group=${id}`}>{name}</Link>,
        },
        { key: "text", title: t.description, width: "2fr", cell: ({ description }) => description },
        {
          key: "devices",
          title: t.members,
          right: true,
          width: "6rem",
          cell: ({ device_ids }) => format.number(device_ids.length),
        },
      ]}
    />
  );
  return (
    <>
      {table}
      {pausing && (
        <PauseDialog
          target={{ source_type: "device_group", source_value: pausing.id, name: pausing.name }}
          onClose={() => setPausing(undefined)}
        />
      )}
    </>
  );
}

function GroupDialog({ group, onClose }: { readonly group: DeviceGroup | undefined; readonly onClose: () => void }) {
  const t = useTranslation().devices.belongings;
  return (
    <EntryDialog
      of="deviceGroups"
      row={group}
      onClose={onClose}
      title={group ? t.editTitle(group.name) : t.groups.add}
      fields={["name", "description"]}
      texts={t}
    />
  );
}

/** Policies for the group match no device after its removal. */
function GroupRemoval({ group, onClose }: { readonly group: DeviceGroup; readonly onClose: () => void }) {
  const t = useTranslation().devices.belongings;
  const format = useFormat();
  const policies = useQuery(allRows("routing", "list", { source_type: "device_group" })).data ?? [];
  const speaking = policies.filter(({ source_value }) => [group.id, group.name].includes(source_value));
  const remove = useAction("deviceGroups", "remove", { invalidates: ["devices", "policyViews"] });
  return (
    <StopDialog
      onClose={onClose}
      title={t.removeTitle(group.name)}
      text={
        <div className="stack tight">
          <p>{t.groups.leave(group.device_ids.length)}</p>
          {speaking.length > 0 && (
            <p>{t.groups.policies(speaking.length, format.list(speaking.map(({ name }) => name)))}</p>
          )}
        </div>
      }
      action={t.remove}
      act={() => remove.mutateAsync({ params: { id: group.id } })}
      doneText={t.removed(group.name)}
    />
  );
}
