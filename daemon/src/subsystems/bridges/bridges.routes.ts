import type { HandlersOf } from "@portcullis/contract/handler";
import type { bridges } from "@portcullis/contract/subsystems/bridges";
import { crudRoutes } from "../routes.ts";
import type { Bridges } from "./bridges.service.ts";

export const bridgeRoutes = (service: Bridges): HandlersOf<typeof bridges> => ({
  ...crudRoutes(service),
  status: () => service.status(),
  toggle: ({ params, body }, { cause }) => service.toggle(cause, params.id, body?.enabled),
  test: ({ params, body }, { cause }) => service.probe(cause, params.id, body?.target),
});
