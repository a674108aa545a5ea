import type { HandlersOf } from "@portcullis/contract/handler";
import type { alerts } from "@portcullis/contract/subsystems/alerts";
import type { AlertsService } from "./alerts.service.ts";

export const alertsRoutes = (service: AlertsService): HandlersOf<typeof alerts> => ({
  list: ({ query }) => service.list(query),
  active: () => service.active(),
  acknowledge: ({ params }, { cause }) => service.acknowledge(cause, params.id),
  resolve: ({ params }, { cause }) => service.resolve(cause, params.id),
  rules: () => service.rules.list(),
  updateRule: ({ params, body }, { cause }) => service.rules.update(cause, params.id, body),
});
