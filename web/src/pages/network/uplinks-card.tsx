import type { UplinkDecisions } from "@portcullis/contract/subsystems/uplinks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParam } from "../../ui/search-param.ts";
import { Button } from "../../ui/button.tsx";
import { StopDialog } from "../../ui/floating.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { Glyph, State, type StateName } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { lossOf } from "../../components/uplinks.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { useReason } from "../../i18n/reason.ts";
import { UplinksDialog } from "./uplinks-dialog.tsx";

type Uplink = UplinkDecisions["uplinks"][number];

/** The active uplink, the reason, and the state of the others. */
export function UplinksCard() {
  const { network: t } = useTranslation();
  const query = useQuery({ ...apiQuery("uplinks", "decisions"), refetchInterval: 5000 });
  const [action, setAction] = useSearchParam("do");
  const [wanted, setWanted] = useState<Uplink>();
  return (
    <LoadedCard
      title={t.uplinks}
      query={query}
      actions={
        <Button icon="edit" needs={["uplinks", "put"]} onPress={() => setAction("uplinks")}>
          {t.edit}
        </Button>
      }
    >
      {(decisions) => (
        <>
          <Decision {...decisions} />
          <UplinkTable decisions={decisions} onUse={setWanted} />
          <UplinksDialog open={action === "uplinks"} onClose={() => setAction("")} decisions={decisions} />
          {wanted && <UseDialog wanted={wanted} decisions={decisions} onClose={() => setWanted(undefined)} />}
        </>
      )}
    </LoadedCard>
  );
}

function Decision({ active, since, decision, coded_decision, mode, timing, uplinks }: UplinkDecisions) {
  const why = useReason();
  const { network: t } = useTranslation();
  const watched = timing.probe_interval_ms > 0;
  const used = uplinks.find(({ name }) => name === active);
  const state = used ? stateOf[used.status] : watched ? "blocked" : "unknown";
  return (
    <div>
      <p className="row">
        <span className={`network-verdict ${state}`}>
          <Glyph state={state} /> {used ? t.used[used.status](used.name) : watched ? t.noUplink : t.notProbed}
        </span>
        <span className="tag">{t.modes[mode]}</span>
      </p>
      {watched && (
        <p className="quiet fine">
          {why.line({ reason: decision, coded_reason: coded_decision })}
          {since !== null && (
            <>
              {" · "}
              <Ago at={since} />
            </>
          )}
        </p>
      )}
    </div>
  );
}

const stateOf: Readonly<Record<Uplink["status"] | "unknown", StateName>> = {
  unknown: "unknown",
  up: "protected",
  degraded: "direct",
  failed: "blocked",
  connecting: "unknown",
  down: "unknown",
};

function UplinkTable({
  decisions: { uplinks, timing },
  onUse,
}: {
  readonly decisions: UplinkDecisions;
  readonly onUse: (uplink: Uplink) => void;
}) {
  const { network: t } = useTranslation();
  const format = useFormat();
  const why = useReason();
  const chooses = useMay()(["uplinks", "put"]) && uplinks.length > 1;
  const health = useQuery({ ...apiQuery("uplinks", "health"), refetchInterval: 5000 }).data;
  const probedAt = new Map(health?.map(({ name, checked_at }) => [name, checked_at]));
  const may = useMay()(["traffic", "summary"]);
  const measured = useQuery({ ...apiQuery("traffic", "summary"), enabled: may, refetchInterval: 10_000 }).data;
  const rates = new Map(measured?.measuring ? measured.uplinks.map((it) => [it.interface, it]) : []);
  const watched = timing.probe_interval_ms > 0;
  const columns: Column<Uplink>[] = [
    {
      key: "name",
      title: t.uplink,
      width: "1.3fr",
      cell: ({ name, interface: link }) => (
        <span>
          <span className="strong">{name}</span> {name !== link && <span className="quiet fine">{link}</span>}
        </span>
      ),
    },
    { key: "role", title: t.role, cell: ({ role }) => t.roles[role] },
    {
      key: "state",
      title: t.state,
      width: "11rem",
      cell: ({ status }) => <State state={stateOf[status]} text={t.statuses[status]} />,
    },
    {
      key: "reason",
      title: t.reason,
      width: "2fr",
      cell: (uplink) => (
        <span className="fine">
          {why.line(uplink)}
          {uplink.pinned_until !== null && (
            <>
              {" · "}
              {t.pinned} {format.clock(new Date(uplink.pinned_until))}
            </>
          )}
          {probedAt.get(uplink.name) != null && (
            <span className="quiet">
              {" · "}
              {t.checked} <Ago at={probedAt.get(uplink.name)} />
            </span>
          )}
        </span>
      ),
    },
    ...(rates.size > 0
      ? [
          {
            key: "rate",
            title: t.traffic,
            right: true,
            width: "1.2fr",
            cell: ({ interface: link }: Uplink) => {
              const { received_bytes_per_sec: received, sent_bytes_per_sec: sent } = rates.get(link) ?? {};
              return received == null || sent == null ? "–" : `↓ ${format.rate(received)} ↑ ${format.rate(sent)}`;
            },
          },
        ]
      : []),
    ...(watched
      ? [
          {
            key: "rtt",
            title: t.roundTrip,
            right: true,
            width: "0.8fr",
            cell: ({ rtt_ms }: Uplink) => (rtt_ms === null ? "–" : format.ms(rtt_ms)),
          },
          {
            key: "loss",
            title: t.loss,
            right: true,
            width: "0.6fr",
            cell: (uplink: Uplink) => {
              const loss = lossOf(uplink);
              return loss === null ? "–" : format.percent(loss);
            },
          },
          {
            key: "falls",
            title: t.failures,
            right: true,
            width: "0.6fr",
            cell: ({ flaps }: Uplink) => format.number(flaps),
          },
        ]
      : []),
    {
      key: "use",
      title: t.use,
      actions: true,
      width: chooses ? "9.5rem" : "0",
      cell: (uplink) =>
        chooses &&
        uplink.role !== "active" && (
          <Button kind="quiet" needs={["uplinks", "put"]} label={t.useTitle(uplink.name)} onPress={() => onUse(uplink)}>
            {t.use}
          </Button>
        ),
    },
  ];
  return <Table label={t.uplinks} rows={uplinks} columns={columns} rowKey={({ name }) => name} />;
}

/** Selects an uplink manually. Shows the effect, with undo. */
function UseDialog({
  wanted,
  decisions: { active, mode },
  onClose,
}: {
  readonly wanted: Uplink;
  readonly decisions: UplinkDecisions;
  readonly onClose: () => void;
}) {
  const { network: t } = useTranslation();
  const toast = useToast();
  const before = useQuery(apiQuery("uplinks", "get")).data;
  const put = useAction("uplinks", "put");
  const back = () =>
    before &&
    put.mutate(
      { body: { wan_failover_mode: before.wan_failover_mode, active: before.active } },
      { onError: toast.failed },
    );
  return (
    <StopDialog
      open
      onClose={onClose}
      title={t.useTitle(wanted.name)}
      action={t.useTitle(wanted.name)}
      text={
        <>
          <p>{t.outcome.moves(active, wanted.name)}</p>
          {wanted.status === "failed" && <p>{t.outcome.unreachable(wanted.name)}</p>}
          {mode === "auto" && <p>{t.outcome.byHand}</p>}
        </>
      }
      act={async () => {
        await put.mutateAsync({ body: { wan_failover_mode: "manual", active: wanted.name } });
        toast.done(t.usesAlready(wanted.name), back);
      }}
    />
  );
}
