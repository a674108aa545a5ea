import type { HandlersOf } from "@portcullis/contract/handler";
import type { proxies } from "@portcullis/contract/subsystems/proxies";
import type { Proxies } from "./proxies.service.ts";

export const proxyRoutes = (service: Proxies): HandlersOf<typeof proxies> => ({
  list: ({ query }) => service.list(query),
  get: ({ params }) => service.get(params.id),
  create: ({ body }, { cause }) => service.create(cause, body),
  update: ({ params, body }, { cause }) => service.update(cause, params.id, body),
  remove: ({ params: { id } }, { cause }) => {
    service.remove(cause, id);
    return { id, deleted: true };
  },
});
