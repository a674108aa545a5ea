import type { HandlersOf } from "@portcullis/contract/handler";
import type { uplinks } from "@portcullis/contract/subsystems/uplinks";
import type { Uplinks } from "./uplinks.service.ts";

interface Needs {
  readonly service: Uplinks;
  /** Resolves when the engines are done. */
  readonly enforced: () => Promise<unknown>;
}

export const uplinkRoutes = ({ service, enforced }: Needs): HandlersOf<typeof uplinks> => ({
  get: () => service.get(),
  put: async ({ body }, { cause }) => {
    const settings = service.put(cause, body);
    await enforced(); // The next request for decisions includes their effect.
    return settings;
  },
  decisions: () => service.decisions(),
  health: () => service.health(),
});
