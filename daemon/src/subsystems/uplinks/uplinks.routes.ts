import type { HandlersOf } from "@portcullis/contract/handler";
import type { uplinks } from "@portcullis/contract/subsystems/uplinks";
import type { Uplinks } from "./uplinks.service.ts";

export const uplinkRoutes = (service: Uplinks): HandlersOf<typeof uplinks> => ({
  get: () => service.get(),
  put: ({ body }, { cause }) => service.put(cause, body),
  decisions: () => service.decisions(),
  health: () => service.health(),
});
