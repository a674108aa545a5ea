import type { Changes, Difference } from "@portcullis/contract/subsystems/history";
import { useQueryClient } from "@tanstack/react-query";
import { useToast } from "../../ui/toasts.tsx";
import { gateway } from "../../api/gateway.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { discarding, isStagedKind, type Putting, restaging, type StagedKind, subsystemOf } from "./discard.ts";

/** Discards one staged change, with undo. */
export function useDiscarding(shown: Changes | undefined): (difference: Difference) => void {
  const t = useTranslation().changes;
  const toast = useToast();
  const queries = useQueryClient();
  const invalidate = () => {
    for (const invalidated of ["routing", "profiles", "chains", "changes", "policyViews"])
      void queries.invalidateQueries({ queryKey: [invalidated] });
  };

  const run = async (difference: Difference, kind: StagedKind): Promise<void> => {
    const { change, name } = difference;
    // The only staged change: restoring the current snapshot keeps the id of a removed resource.
    const isExact = change === "removed" && shown?.staged.length === 1;
    const createdId = isExact
      ? await gateway.snapshots.rollback({ body: { snapshot: shown.applied.id } }).then(() => undefined)
      : await put(kind, discarding(difference));
    invalidate();
    const text = change === "removed" && !isExact ? t.discardedAsNew : t.discarded;
    toast.done(text(name), () => void put(kind, restaging(difference, createdId)).then(invalidate, toast.failed));
  };

  return (difference) => {
    if (isStagedKind(difference.kind)) run(difference, difference.kind).catch(toast.failed);
  };
}

/** The bodies were read from resources of the same endpoints; the gateway validates them. */
async function put(kind: StagedKind, putting: Putting): Promise<string | undefined> {
  const collection = gateway[subsystemOf[kind]] as unknown as {
    readonly [operation in Putting["kind"]]: (input: unknown) => Promise<{ readonly id: string }>;
  };
  if (putting.kind === "create") return (await collection.create({ body: putting.body })).id;
  const params = { id: putting.id };
  if (putting.kind === "remove") await collection.remove({ params });
  else await collection.update({ params, body: putting.body });
  return undefined;
}
