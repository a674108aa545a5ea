import type { Component } from "@portcullis/contract/subsystems/status";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { LoadedCard } from "../../ui/page.tsx";
import { State, type StateName } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { reading, useAct } from "../../api/reading.ts";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

const stateOf: Readonly<Record<Component["status"], StateName>> = {
  ok: "protected",
  degraded: "direct",
  failed: "blocked",
  off: "unknown",
};

/** Components of the gateway with their own status message. */
export function PartsCard() {
  const { network: say } = useWords();
  const query = useQuery({ ...reading("status", "observer"), refetchInterval: 5000 });
  return (
    <LoadedCard title={say.parts} query={query}>
      {({ components }) => (
        <ul className="network-list">
          {components.map(({ name, status, message }) => (
            <li key={name}>
              <span className="strong">{name}</span>
              <span className="row fine">
                <State state={stateOf[status]} text={say.partStates[status]} />
                <span className="quiet wrap">{message}</span>
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
  const { network: say } = useWords();
  const format = useFormat();
  const toast = useToast();
  const query = useQuery({ ...reading("enforcement", "reconciler"), refetchInterval: 5000 });
  const compare = useAct("enforcement", "reconcile", {
    renews: ["status"],
    onDone: ({ drift_count }) => toast.done(say.compared(drift_count)),
  });
  return (
    <LoadedCard
      title={say.kernel}
      query={query}
      actions={
        <Button
          icon="refresh"
          needs={["enforcement", "reconcile"]}
          busy={compare.isPending}
          onPress={() => compare.mutate({}, { onError: toast.failed })}
        >
          {say.compare}
        </Button>
      }
    >
      {({ running, last_run, applied_revision, engines }) => (
        <>
          <p>{running ? say.driven : say.undriven}</p>
          <Facts
            all={[
              [say.lastRun, <Ago at={last_run} />],
              [say.revision, format.number(applied_revision)],
            ]}
          />
          {engines.length > 0 && (
            <>
              <h3>{say.engines}</h3>
              <ul className="network-list">
                {engines.map(({ name, status, changes, message }) => (
                  <li key={name}>
                    <span className="strong">{name}</span>
                    <span className="row fine">
                      <State state={stateOf[status]} text={say.engineStates[status]} />
                      <span className="quiet wrap">{message || say.engineChanges(changes)}</span>
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
