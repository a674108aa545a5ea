import type { Call, HandlersOf } from "@portcullis/contract/handler";
import type { changes, snapshots } from "@portcullis/contract/subsystems/history";
import type { History, Sees } from "./history.service.ts";

export const snapshotRoutes = (service: History): HandlersOf<typeof snapshots> => ({
  list: ({ query }) => service.list(query),
  get: ({ params }, call) => service.get(sight(call), params.id),
  differences: ({ params, query }, call) => service.differences(sight(call), params.id, query.to),
  update: ({ params, body }, { cause }) => service.describe(cause, params.id, body),
  rollback: ({ query, body }, { cause }) => service.rollback(cause, body.snapshot, query.confirm_within),
});

export const changeRoutes = (service: History): HandlersOf<typeof changes> => ({
  show: (_, call) => service.changes(sight(call)),
  confirm: (_, call) => service.confirm(call.cause, sight(call)),
  revert: (_, call) => {
    service.revert(call.cause, "asked for");
    return service.changes(sight(call));
  },
});

const sight =
  ({ caller }: Call): Sees =>
  (kind) =>
    kind !== "secret" || caller?.role === "admin";
