import type { Policy } from "@portcullis/contract/subsystems/routing";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { gateway } from "../../api/gateway.ts";
import { allRows, apiQuery } from "../../api/queries.ts";
import { useMay } from "../../api/session.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";
import { useGo } from "../../ui/search-param.ts";
import { useToast } from "../../ui/toasts.tsx";
import { defaultTrialSec, useApply } from "../applying.ts";
import { type Exit, type ExitChange, exitChange, haveScheduled } from "./device-exit.ts";

interface Target {
  readonly device: { readonly id: string; readonly name: string };
  /** The policy that decides for it now. */
  readonly decidingId: string | null;
}

/**
 * Writes the policies of one or more devices, and tries them for two minutes: a wrong exit may cut the operator off. If
 * other changes wait already, they are not tried with it: the operator may not want them.
 */
export function useExitChange() {
  const t = useTranslation().exits;
  const [toast, go, may, queries] = [useToast(), useGo(), useMay(), useQueryClient()];
  const [writing, setWriting] = useState(false);
  const apply = useApply();
  const mayRead = may(["routing", "list"]);
  const policies = useQuery({ ...allRows("routing", "list"), enabled: mayRead }).data;
  const changes = useQuery({ ...apiQuery("changes", "show"), enabled: may(["changes", "show"]) }).data;
  const changeOf = (target: Target, exit: Exit, known: readonly Policy[]): ExitChange =>
    exitChange({ ...target, exit, policies: known });

  async function write(targets: readonly Target[], exit: Exit): Promise<void> {
    let known = policies ?? [];
    const wasAlone = changes?.staged.length === 0 && !changes.pending;
    setWriting(true);
    let failed = false;
    try {
      for (const target of targets) {
        const change = changeOf(target, exit, known);
        const written =
          change.kind === "create"
            ? await gateway.routing.create({ body: change.body })
            : await gateway.routing.update({ params: { id: change.id }, body: change.body });
        known = [...known.filter(({ id }) => id !== written.id), written];
      }
    } catch (problem) {
      failed = true;
      toast.failed(problem as Error);
    } finally {
      setWriting(false);
      await Promise.all(["routing", "changes"].map((it) => queries.invalidateQueries({ queryKey: [it] })));
    }
    // What was written before the failure is staged, and shown as such.
    if (failed) return;
    if (wasAlone) return apply.run(defaultTrialSec);
    toast.done(t.staged);
    go("/changes");
  }
  return {
    busy: writing || apply.busy,
    isReady: policies !== undefined && changes !== undefined,
    /** A change on trial has to be kept or reverted first. */
    isOnTrial: changes?.pending != null,
    /** The policy that a choice writes. */
    preview: (target: Target): ExitChange | undefined => policies && changeOf(target, { kind: "blocked" }, policies),
    /** Whether a policy with a schedule may decide for one of them before what is written. */
    mayWait: (targets: readonly Target[]): boolean =>
      policies !== undefined &&
      haveScheduled(
        targets.map(({ device }) => device),
        policies,
      ),
    write: (targets: readonly Target[], exit: Exit) => void write(targets, exit),
  };
}
