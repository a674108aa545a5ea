import { useToast } from "../../kit/toasts.tsx";
import { useAct } from "../../line/reading.ts";
import { useWords } from "../../words/words.tsx";

type Entries = "dnsFilterRules" | "dnsAllowlist" | "dnsBlocklist" | "dnsRewrites" | "dnsForwarders" | "dnsRecords";

/** Takes an entry out at once; it can be put back as it was for a while. */
export function useRemoval(subsystem: Entries): (row: { readonly id: string }, name: string) => void {
  const { dns } = useWords();
  const toast = useToast();
  const remove = useAct(subsystem, "remove", { renews: ["dns"] });
  const create = useAct(subsystem, "create", { renews: ["dns"] });
  return ({ id, ...fields }, name) =>
    remove.mutate(
      { params: { id } },
      {
        onSuccess: () =>
          toast.done(dns.rules.removed(name), () =>
            // What was read of it is what makes it: all but its id.
            create.mutate({ body: fields } as unknown as Parameters<typeof create.mutate>[0], {
              onError: toast.failed,
            }),
          ),
        onError: toast.failed,
      },
    );
}
