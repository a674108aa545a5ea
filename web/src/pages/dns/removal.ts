import { useToast } from "../../ui/toasts.tsx";
import { useAct } from "../../api/reading.ts";
import { useWords } from "../../i18n/i18n.tsx";
import { creating, type Entries } from "./put-back.ts";

/** Removes an entry at once, with undo. */
export function useRemoval(subsystem: Entries): (row: { readonly id: string }, name: string) => void {
  const { dns } = useWords();
  const toast = useToast();
  const remove = useAct(subsystem, "remove", { renews: ["dns"] });
  const create = useAct(subsystem, "create", { renews: ["dns"] });
  return (row, name) =>
    remove.mutate(
      { params: { id: row.id } },
      {
        onSuccess: () =>
          toast.done(dns.rules.removed(name), () =>
            create.mutate({ body: creating(row) } as unknown as Parameters<typeof create.mutate>[0], {
              onError: toast.failed,
            }),
          ),
        onError: toast.failed,
      },
    );
}
