import type { Page } from "@portcullis/contract/endpoint";
import type { Call } from "@portcullis/contract/handler";
import type { Cause } from "../ledger/change.ts";

/** A CRUD service. */
interface Crud<R, Q, C, U> {
  list(query: Q): Page<R>;
  get(id: string): R;
  create(cause: Cause, body: C): R;
  update(cause: Cause, id: string, body: U): R;
  remove(cause: Cause, id: string): void;
}

/** The handlers of a CRUD service. */
export const crudRoutes = <R, Q, C, U>(service: Crud<R, Q, C, U>) => shownRoutes(service, (resource) => resource);

/** The same, if responses contain more fields than the stored resource. */
export const shownRoutes = <R, S, Q, C, U>(service: Crud<R, Q, C, U>, shown: (resource: R) => S) => ({
  list: ({ query }: { query: Q }): Page<S> => {
    const { items, ...rest } = service.list(query);
    return { items: items.map(shown), ...rest };
  },
  get: ({ params }: { params: { id: string } }) => shown(service.get(params.id)),
  create: ({ body }: { body: C }, { cause }: Call) => shown(service.create(cause, body)),
  update: ({ params, body }: { params: { id: string }; body: U }, { cause }: Call) =>
    shown(service.update(cause, params.id, body)),
  remove: ({ params: { id } }: { params: { id: string } }, { cause }: Call) => {
    service.remove(cause, id);
    return { id, deleted: true as const };
  },
});
