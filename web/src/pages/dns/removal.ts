import { useToast } from "../../ui/toasts.tsx";
import { useAction } from "../../api/queries.ts";
import { useTranslation } from "../../i18n/i18n.tsx";
import { creating, type Entries } from "./restore.ts";

/** Removes an entry at once, with undo. */
export function useRemoval(subsystem: Entries): (row: { readonly id: string }, name: string) => void {
  const { dns } = useTranslation();
  const toast = useToast();
  const remove = useAction(subsystem, "remove", { invalidates: ["dns"] });
  const create = useAction(subsystem, "create", { invalidates: ["dns"] });
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
