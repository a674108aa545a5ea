import type { Component } from "@portcullis/contract/subsystems/status";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { apiQuery, useAction } from "../../api/queries.ts";
import { useFormat, useTranslation } from "../../i18n/i18n.tsx";
import { reasonIn, useReason } from "../../i18n/reason.ts";

const stateOf: Readonly<Record<Component["status"], StateName>> = {
  ok: "protected",
  degraded: "direct",
  failed: "blocked",
  off: "unknown",
};

/** Components of the gateway with their own status message. */
export function ComponentsCard() {
  const { network: t } = useTranslation();
  const why = useReason();
  const query = useQuery({ ...apiQuery("status", "observer"), refetchInterval: 5000 });
  return (
    <LoadedCard title={t.parts} query={query}>
      {({ components }) => (
        <ul className="network-list">
          {components.map((it) => (
            <li key={it.name}>
              <span className="strong">{it.name}</span>
              <span className="row fine">
                <State state={stateOf[it.status]} text={t.partStates[it.status]} />
                <span className="quiet wrap">{why.line(reasonIn("message", it))}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </LoadedCard>
  );
}

/** Whether the kernel matches the published configuration, and when it was compared. */
export function KernelCard() {
  const { network: t } = useTranslation();
  const format = useFormat();
  const toast = useToast();
  const query = useQuery({ ...apiQuery("enforcement", "reconciler"), refetchInterval: 5000 });
  const compare = useAction("enforcement", "reconcile", {
    invalidates: ["status"],
    onDone: ({ drift_count }) => toast.done(t.compared(drift_count)),
  });
  return (
    <LoadedCard
      title={t.kernel}
      query={query}
      actions={
        <Button
          icon="refresh"
          needs={["enforcement", "reconcile"]}
          busy={compare.isPending}
          onPress={() => compare.mutate({}, { onError: toast.failed })}
        >
          {t.compare}
        </Button>
      }
    >
      {({ running, last_run, applied_revision, engines }) => (
        <>
          <p>{running ? t.driven : t.undriven}</p>
          <Facts
            all={[
              [t.lastRun, <Ago at={last_run} />],
              [t.revision, format.number(applied_revision)],
            ]}
          />
          {engines.length > 0 && (
            <>
              <h3>{t.engines}</h3>
              <ul className="network-list">
                {engines.map(({ name, status, changes, message }) => (
                  <li key={name}>
                    <span className="strong">{name}</span>
                    <span className="row fine">
                      <State state={stateOf[status]} text={t.engineStates[status]} />
                      <span className="quiet wrap">{message || t.engineChanges(changes)}</span>
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      )}
    </LoadedCard>
  );
}
