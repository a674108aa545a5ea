import type { Segment } from "@portcullis/contract/subsystems/segments";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { Button } from "../../ui/button.tsx";
import { SwitchField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { useSearchParam } from "../../ui/search-param.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { useToast } from "../../ui/toasts.tsx";

/** The dialog of a segment, by its address: followed by an interface. */
const editAction = "segment";

/** The LANs of the gateway, and which of them reaches which. */
export function SegmentsCard() {
  const { segments: t } = useTranslation();
  const query = useQuery(apiQuery("segments", "list"));
  const [action, setAction] = useSearchParam("do");
  return (
    <LoadedCard title={t.title} query={query}>
      {(segments) => {
        const edited = segments.find((it) => action === `${editAction}:${it.interface}`);
        return (
          <>
            <p className="quiet">{segments.length === 1 ? t.single : t.isolated}</p>
            <SegmentTable segments={segments} onEdit={(it) => setAction(`${editAction}:${it.interface}`)} />
            {edited && <SegmentDialog segments={segments} edited={edited} onClose={() => setAction("")} />}
          </>
        );
      }}
    </LoadedCard>
  );
}

interface TableProps {
  readonly segments: readonly Segment[];
  readonly onEdit: (segment: Segment) => void;
}

function SegmentTable({ segments, onEdit }: TableProps) {
  const { segments: t } = useTranslation();
  const changes = useMay()(["segments", "update"]);
  const columns: Column<Segment>[] = [
    { key: "name", title: t.name, cell: (it) => <span className="strong">{it.name}</span> },
    { key: "interface", title: t.interface, cell: (it) => it.interface },
    { key: "networks", title: t.networks, width: "1.6fr", cell: ({ networks }) => networks.join(", ") || "–" },
    { key: "reaches", title: t.reaches, width: "1.6fr", cell: ({ reaches }) => reaches.join(", ") || t.none },
    {
      key: "actions",
      title: t.title,
      actions: true,
      width: changes ? "3rem" : "0",
      cell: (segment) =>
        changes && <Button kind="bare" icon="edit" label={t.edit(segment.name)} onPress={() => onEdit(segment)} />,
    },
  ];
  return <Table label={t.title} rows={segments} columns={columns} rowKey={(it) => it.interface} />;
}

interface DialogProps {
  readonly segments: readonly Segment[];
  readonly edited: Segment;
  readonly onClose: () => void;
}

function SegmentDialog({ segments, edited, onClose }: DialogProps) {
  const { segments: t } = useTranslation();
  const toast = useToast();
  const [name, setName] = useState(edited.name);
  const [reaches, setReaches] = useState(edited.reaches);
  const update = useAction("segments", "update", {
    onDone: () => {
      toast.done(t.saved);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t.edit(edited.name)}
      needs={["segments", "update"]}
      onClose={onClose}
      onSave={() =>
        update.mutate({ params: { segment: edited.interface }, body: { name: name.trim(), reaches: [...reaches] } })
      }
      busy={update.isPending}
      problem={update.error}
    >
      <TextField label={t.name} name="name" value={name} onChange={setName} />
      {segments
        .filter((it) => it !== edited)
        .map((other) => (
          <SwitchField
            key={other.interface}
            label={t.reachesOther(other.name)}
            hint={t.reachesHint}
            value={reaches.includes(other.name)}
            onChange={(isOn) => setReaches(isOn ? [...reaches, other.name] : reaches.filter((it) => it !== other.name))}
          />
        ))}
    </FormDialog>
  );
}
