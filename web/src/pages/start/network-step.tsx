import type { SetupPlan, SetupRequest } from "@portcullis/contract/subsystems/setup";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Loaded } from "../../ui/page.tsx";
import { apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { reasonIn, useReason } from "../../i18n/reason.ts";
import { Check } from "./check.tsx";
import { NetworkChecks } from "./network-checks.tsx";
import { isInForce } from "./port-roles.ts";
import { PortsForm } from "./ports-form.tsx";
import { NextAddress, SetupTrial, UndoSetup } from "./setup-trial.tsx";

interface Applied {
  readonly request: SetupRequest;
  readonly plan: SetupPlan;
  readonly at: number;
}

/**
 * The setup of the machine, as `portcullis setup` does it in a terminal: choose the ports, see the plan, try it, confirm it. On a machine
 * that is set up already, the state of its network.
 */
export function NetworkStep({ onDone }: { readonly onDone: () => void }) {
  const { setup: t } = useTranslation();
  const [may, why] = [useMay(), useReason()];
  const [applied, setApplied] = useState<Applied>();
  const [isLate, setLate] = useState(false);
  const refetchInterval = applied ? 500 : 2000;
  const setup = useQuery({ ...apiQuery("setup", "show"), refetchInterval });
  const enforcement = useQuery({ ...apiQuery("firstEnforcement", "show"), refetchInterval });
  const reconciler = useQuery({ ...apiQuery("enforcement", "reconciler"), refetchInterval, enabled: !!applied });
  const state = enforcement.data?.state;
  const isReached =
    applied !== undefined &&
    setup.data !== undefined &&
    isInForce(setup.data, applied.request) &&
    (state === "provisional" || state === "confirmed") &&
    (reconciler.data?.engines.length ?? 0) > 0;
  useEffect(() => {
    if (isReached) setApplied(undefined);
  }, [isReached]);
  useEffect(() => {
    if (!applied) return undefined;
    const timer = setTimeout(() => {
      setLate(true);
      setApplied(undefined);
    }, startsWithinMs);
    return () => clearTimeout(timer);
  }, [applied]);
  const onApplied = (request: SetupRequest, plan: SetupPlan) => {
    setLate(false);
    setApplied({ request, plan, at: Date.now() });
  };

  if (applied)
    return (
      <>
        <ul className="stack tight">
          <Check state="waiting">{t.starting}</Check>
        </ul>
        <NextAddress address={applied.plan.web_address} />
      </>
    );
  return (
    <Loaded query={setup}>
      {(shown) => (
        <Loaded query={enforcement}>
          {(first) => {
            if (first.state === "provisional" && first.deadline !== null)
              return <SetupTrial setup={shown} deadline={first.deadline} />;
            if (first.state === "confirmed") return <InForce isConfirmed onDone={onDone} />;
            const isReverted = first.state === "reverted";
            return (
              <>
                {(isReverted || isLate) && (
                  <p className="problem bad wrap" role="alert">
                    {isReverted ? t.reverted : t.notEnforced}{" "}
                    {first.message !== "" && why.sentence(reasonIn("message", first))}
                  </p>
                )}
                {shown.can_cancel && <UndoSetup />}
                {shown.refusal === "" && may(["setup", "apply"]) ? (
                  <PortsForm setup={shown} onApplied={onApplied} />
                ) : (
                  <>
                    <p className="problem wrap">
                      {shown.refusal === "" ? t.forAdmins : why.sentence(reasonIn("refusal", shown))}
                    </p>
                    <InForce onDone={onDone} />
                  </>
                )}
              </>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

const startsWithinMs = 60_000;

function InForce({ onDone, isConfirmed = false }: { readonly onDone: () => void; readonly isConfirmed?: boolean }) {
  const { start, setup: t } = useTranslation();
  return (
    <>
      {isConfirmed && (
        <ul className="stack tight">
          <Check state="good">{t.isConfirmed}</Check>
        </ul>
      )}
      <NetworkChecks />
      <div>
        <Button kind="main" onPress={onDone}>
          {start.next}
        </Button>
      </div>
    </>
  );
}
