import type { AlertChannel } from "@portcullis/contract/subsystems/alert-channels";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EntryTable } from "../../ui/entry-table.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { allRows, useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { ChannelDialog } from "./channel-dialog.tsx";
import { SubscribeButton } from "./subscribe-dialog.tsx";

/** Where alerts are sent, with a test of each channel. */
export function ChannelsCard() {
  const { alerts } = useTranslation();
  const t = alerts.channels;
  const query = useQuery(allRows("alertChannels", "list"));
  const { test, result } = useTest();
  const remove = useAction("alertChannels", "remove", { invalidates: ["alertDeliveries", "status", "settings"] });
  return (
    <>
      <EntryTable
        title={t.title}
        query={query}
        nameOf={({ name }) => name}
        empty={t.empty}
        subsystem="alertChannels"
        add={t.add}
        word="channel"
        columns={[
          { key: "name", title: t.name, width: "2fr", cell: ({ name }) => name },
          { key: "type", title: t.type, cell: ({ type }) => t.types[type] },
          {
            key: "severities",
            title: t.severities,
            width: "2fr",
            cell: ({ severities }) => severities.map((it) => alerts.severities[it]).join(", "),
          },
          { key: "state", title: t.state, width: "2fr", cell: (row) => <State row={row} /> },
        ]}
        dialog={(row, onClose) => <ChannelDialog row={row} onClose={onClose} />}
        removal={{
          confirming: ({ id, name }, onClose) => (
            <StopDialog
              onClose={onClose}
              title={t.removeTitle(name)}
              text={t.removes}
              act={() => remove.mutateAsync({ params: { id } })}
              doneText={t.removed(name)}
            />
          ),
        }}
        more={(row) => [
          { label: t.test, icon: "play", needs: ["alertChannels", "test"] as const, onPress: () => test(row) },
        ]}
      />
      <div className="row">
        <SubscribeButton />
      </div>
      {result !== "" && (
        <p className="wrap" role="status">
          {result}
        </p>
      )}
    </>
  );
}

function State({ row }: { readonly row: AlertChannel }) {
  const { channels: t, push } = useTranslation().alerts;
  if (row.ended_at !== null)
    return (
      <span>
        {push.ended} <Ago at={row.ended_at} />. {push.again}
      </span>
    );
  if (!row.enabled) return <span className="quiet">{t.disabled}</span>;
  return (
    <span>
      {row.accepted_at === null ? (
        t.unused
      ) : (
        <>
          {t.accepted} <Ago at={row.accepted_at} />
        </>
      )}
      {row.waiting > 0 && ` · ${t.waiting(row.waiting)}`}
      {row.dropped > 0 && ` · ${t.dropped(row.dropped)}`}
    </span>
  );
}

function useTest(): { readonly test: (channel: AlertChannel) => void; readonly result: string } {
  const t = useTranslation().alerts.channels;
  const [why, toast] = [useReason(), useToast()];
  const [result, setResult] = useState("");
  const action = useAction("alertChannels", "test", { invalidates: ["status"] });
  return {
    result,
    test: ({ id, name }) => {
      setResult(t.testing(name));
      action.mutate(
        { params: { id } },
        {
          onSuccess: (answer) =>
            setResult(`${answer.accepted ? t.arrived(name) : t.refused(name)} ${why.sentence(answer)}`),
          onError: (problem) => {
            setResult("");
            toast.failed(problem);
          },
        },
      );
    },
  };
}
