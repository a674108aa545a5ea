import type { HandlersOf } from "@portcullis/contract/handler";
import type { exceptions } from "@portcullis/contract/subsystems/exceptions";
import type { Exceptions } from "./exceptions.service.ts";

interface Needs {
  readonly service: Exceptions;
  /** Resolves when the engines are done, with whether all of it is in force. */
  readonly enforced: () => Promise<boolean>;
}

export const exceptionRoutes = ({ service, enforced }: Needs): HandlersOf<typeof exceptions> => ({
  list: ({ query }) => service.list(query),
  active: () => service.active(),
  get: ({ params }) => service.get(params.id),
  create: async ({ body }, { cause }) => {
    const exception = service.create(cause, body);
    return { ...exception, enforced: await enforced() };
  },
  remove: async ({ params: { id } }, { cause }) => {
    service.remove(cause, id);
    return { id, deleted: true, enforced: await enforced() };
  },
});
