import type { DeviceGroup } from "@portcullis/contract/subsystems/devices";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { EntryTable } from "../../ui/entry-table.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { everyRow, useAct, useSaving } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

export function GroupsCard() {
  const say = useWords().devices.belongings;
  const format = useFormat();
  const groups = useQuery(everyRow("deviceGroups", "list"));
  return (
    <EntryTable
      title={say.groups.title}
      query={groups}
      subsystem="deviceGroups"
      nameOf={({ name }) => name}
      empty={say.groups.none}
      add={say.groups.add}
      word="group"
      dialog={(group, onClose) => <GroupDialog group={group} onClose={onClose} />}
      removal={{ asks: (group, onClose) => <GroupRemoval group={group} onClose={onClose} /> }}
      columns={[
        {
          key: "name",
          title: say.name,
          cell: ({ id, name }) => <Link href={`/devices?group=${id}`}>{name}</Link>,
        },
        { key: "text", title: say.description, width: "2fr", cell: ({ description }) => description },
        {
          key: "devices",
          title: say.members,
          right: true,
          width: "6rem",
          cell: ({ device_ids }) => format.number(device_ids.length),
        },
      ]}
    />
  );
}

function GroupDialog({ group, onClose }: { readonly group: DeviceGroup | undefined; readonly onClose: () => void }) {
  const { devices, kit } = useWords();
  const say = devices.belongings;
  const [name, setName] = useState(group?.name ?? "");
  const [description, setDescription] = useState(group?.description ?? "");
  const { save, ...saving } = useSaving("deviceGroups", group?.id, { onDone: onClose });
  return (
    <FormDialog
      needs={["deviceGroups", "update"]}
      title={group ? say.editTitle(group.name) : say.groups.add}
      onClose={onClose}
      onSave={() => save({ name, description })}
      {...saving}
      action={group ? kit.save : kit.add}
    >
      <TextField label={say.name} name="name" value={name} onChange={setName} autoFocus />
      <TextField label={say.description} name="description" value={description} onChange={setDescription} optional />
    </FormDialog>
  );
}

/** Policies for the group match no device after its removal. */
function GroupRemoval({ group, onClose }: { readonly group: DeviceGroup; readonly onClose: () => void }) {
  const say = useWords().devices.belongings;
  const format = useFormat();
  const policies = useQuery(everyRow("routing", "list", { source_type: "device_group" })).data ?? [];
  const speaking = policies.filter(({ source_value }) => [group.id, group.name].includes(source_value));
  const remove = useAct("deviceGroups", "remove", { renews: ["devices", "policyViews"] });
  return (
    <StopDialog
      onClose={onClose}
      title={say.removeTitle(group.name)}
      says={
        <div className="stack tight">
          <p>{say.groups.leave(group.device_ids.length)}</p>
          {speaking.length > 0 && (
            <p>{say.groups.policies(speaking.length, format.list(speaking.map(({ name }) => name)))}</p>
          )}
        </div>
      }
      action={say.remove}
      act={() => remove.mutateAsync({ params: { id: group.id } })}
      doneSays={say.removed(group.name)}
    />
  );
}
