import type { HandlersOf } from "@portcullis/contract/handler";
import type { splitting, splittingEndpoints } from "@portcullis/contract/subsystems/splitting";
import { crudRoutes } from "../routes.ts";
import type { SplittingEndpoints } from "./endpoints.service.ts";
import type { Splitting } from "./splitting.service.ts";

export const splittingRoutes = (service: Splitting): HandlersOf<typeof splitting> => ({
  status: () => service.status(),
  transport: () => service.transport(),
  dnsStatus: () => service.dnsStatus(),
  coverStats: () => service.coverStats(),
  activate: ({ body }, { cause }) => service.activate(cause, body),
});

export const splittingEndpointRoutes = (service: SplittingEndpoints): HandlersOf<typeof splittingEndpoints> =>
  crudRoutes(service);
