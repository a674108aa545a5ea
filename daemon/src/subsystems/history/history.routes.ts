import type { HandlersOf } from "@portcullis/contract/handler";
import type { changes, snapshots } from "@portcullis/contract/subsystems/history";
import type { History } from "./history.service.ts";

export const snapshotRoutes = (service: History): HandlersOf<typeof snapshots> => ({
  list: ({ query }) => service.list(query),
  get: ({ params }) => service.get(params.id),
  differences: ({ params, query }) => service.differences(params.id, query.to),
  update: ({ params, body }, { cause }) => service.describe(cause, params.id, body),
  rollback: ({ query, body }, { cause }) => service.rollback(cause, body.snapshot, query.confirm_within),
});

export const changeRoutes = (service: History): HandlersOf<typeof changes> => ({
  show: () => service.changes(),
  confirm: (_, { cause }) => service.confirm(cause),
  revert: (_, { cause }) => service.revert(cause),
});
