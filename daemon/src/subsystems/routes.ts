import type { Page } from "@portcullis/contract/endpoint";
import type { Call } from "@portcullis/contract/handler";
import type { Cause } from "../ledger/change.ts";

/** A service with the five verbs of a plain resource. */
interface Crud<R, Q, C, U> {
  list(query: Q): Page<R>;
  get(id: string): R;
  create(cause: Cause, body: C): R;
  update(cause: Cause, id: string, body: U): R;
  remove(cause: Cause, id: string): void;
}

/** The five endpoints of a plain resource, each one call of its service. */
export const crudRoutes = <R, Q, C, U>(service: Crud<R, Q, C, U>) => ({
  list: ({ query }: { query: Q }) => service.list(query),
  get: ({ params }: { params: { id: string } }) => service.get(params.id),
  create: ({ body }: { body: C }, { cause }: Call) => service.create(cause, body),
  update: ({ params, body }: { params: { id: string }; body: U }, { cause }: Call) =>
    service.update(cause, params.id, body),
  remove: ({ params: { id } }: { params: { id: string } }, { cause }: Call) => {
    service.remove(cause, id);
    return { id, deleted: true as const };
  },
});
