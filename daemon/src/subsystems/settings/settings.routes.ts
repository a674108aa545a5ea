import type { HandlersOf } from "@portcullis/contract/handler";
import type { settings } from "@portcullis/contract/subsystems/settings";
import type { Settings } from "./settings.service.ts";

export const settingRoutes = (service: Settings): HandlersOf<typeof settings> => ({
  list: ({ query }) => service.list().slice(0, query.limit),
  get: ({ params }) => service.get(params.key),
  update: ({ body }, { cause }) => service.update(cause, body),
  put: ({ params, body }, { cause }) => service.put(cause, params.key, body.value),
  remove: ({ params }, { cause }) => service.put(cause, params.key, null),
});
