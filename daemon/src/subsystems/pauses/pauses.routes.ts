import type { HandlersOf } from "@portcullis/contract/handler";
import { Problem } from "@portcullis/contract/problem";
import { admits } from "@portcullis/contract/role";
import type { pauses } from "@portcullis/contract/subsystems/pauses";
import type { Pauses } from "./pauses.service.ts";

interface Needs {
  readonly service: Pauses;
  /** Resolves when kernel and resolvers are done, with whether all of it is in force. */
  readonly enforced: () => Promise<boolean>;
}

export const pauseRoutes = ({ service, enforced }: Needs): HandlersOf<typeof pauses> => ({
  list: ({ query }) => service.list(query),
  active: () => service.active(),
  get: ({ params }) => service.get(params.id),
  create: async ({ body }, { cause, caller }) => {
    if (body.type === "protection" && body.source_type === "everyone" && !(caller && admits("admin", caller.role)))
      throw new Problem("forbidden", {}, { message: "To pause the protection of everyone requires the role admin" });
    const pause = service.create(cause, body);
    return { ...pause, enforced: await enforced() };
  },
  remove: async ({ params: { id } }, { cause }) => {
    service.remove(cause, id);
    return { id, deleted: true, enforced: await enforced() };
  },
});
