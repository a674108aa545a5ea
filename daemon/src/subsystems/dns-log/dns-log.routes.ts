import type { HandlersOf } from "@portcullis/contract/handler";
import type { dnsLog } from "@portcullis/contract/subsystems/dns-log";
import type { Ledger } from "../../ledger/ledger.ts";
import type { dnsLogService } from "./dns-log.service.ts";

/** The query log is not part of the ledger, but clearing it is audited. */
export const dnsLogRoutes = (
  service: ReturnType<typeof dnsLogService>,
  ledger: Pick<Ledger, "change">,
): HandlersOf<typeof dnsLog> => ({
  list: (input) => service.list(input),
  clients: (input) => service.clients(input),
  statistics: (input) => service.statistics(input),
  clear: async ({ query: { client } }, { cause }) => {
    ledger.change(cause, (draft) => draft.about("dns_log", { client: client ?? null }));
    await service.clear(client);
    return { cleared: true };
  },
});
