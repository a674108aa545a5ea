import type { Cause } from "../../ledger/change.ts";

/** What a service offers for the resources of a section. Methods, so that each may have the types of its bodies. */
export interface ListOperations {
  /** Returns the id. */
  create?(cause: Cause, body: object, isAdmin: boolean): string | Promise<string>;
  update(cause: Cause, id: string, body: object, isAdmin: boolean): unknown;
  remove?(cause: Cause, id: string): unknown;
}
export interface SingleOperations {
  put(cause: Cause, body: object): unknown;
}

/** By kind. */
export type Operations = Readonly<Record<string, ListOperations | SingleOperations>>;

interface Crud<C, U> {
  create(cause: Cause, body: C, isAdmin: boolean): { readonly id: string } | Promise<{ readonly id: string }>;
  update(cause: Cause, id: string, body: U, isAdmin: boolean): unknown;
  remove(cause: Cause, id: string): unknown;
}

/** The operations of a service of plain resources. Bodies were validated against the schema of their section. */
export const crudOperations = <C, U>(service: Crud<C, U>): Required<ListOperations> => ({
  create: (cause, body, isAdmin) => {
    const made = service.create(cause, body as C, isAdmin);
    return made instanceof Promise ? made.then(({ id }) => id) : made.id;
  },
  update: (cause, id, body, isAdmin) => service.update(cause, id, body as U, isAdmin),
  remove: (cause, id) => service.remove(cause, id),
});
