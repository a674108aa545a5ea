import type { HandlersOf } from "@portcullis/contract/handler";
import type { changes, snapshots } from "@portcullis/contract/subsystems/history";
import type { History } from "./history.service.ts";
import { rightsOf } from "./rights.ts";

export const snapshotRoutes = (service: History): HandlersOf<typeof snapshots> => ({
  list: ({ query }) => service.list(query),
  get: ({ params }, { caller }) => service.get(rightsOf(caller).sees, params.id),
  differences: ({ params, query }, { caller }) => service.differences(rightsOf(caller).sees, params.id, query.to),
  update: ({ params, body }, { cause }) => service.describe(cause, params.id, body),
  rollback: ({ query, body }, { cause, caller }) =>
    service.rollback(cause, rightsOf(caller), String(body.snapshot), query.confirm_within),
});

export const changeRoutes = (service: History): HandlersOf<typeof changes> => ({
  show: (_, { caller }) => service.changes(rightsOf(caller).sees),
  confirm: (_, { cause, caller }) => service.confirm(cause, rightsOf(caller)),
  revert: (_, { cause, caller }) => {
    service.revert(cause, "requested", rightsOf(caller));
    return service.changes(rightsOf(caller).sees);
  },
});
