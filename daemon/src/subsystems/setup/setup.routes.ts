import type { HandlersOf } from "@portcullis/contract/handler";
import type { setup } from "@portcullis/contract/subsystems/setup";
import { refuseField } from "../resources.ts";
import type { SetupService } from "./setup.service.ts";

interface Needs {
  readonly service: SetupService;
  /** Starts the gateway again with the configuration file as it is then, after the answer was sent. */
  readonly restart: () => void;
}

export const setupRoutes = ({ service, restart }: Needs): HandlersOf<typeof setup> => ({
  show: () => service.show(),
  plan: ({ body }) => service.plan(body),
  apply: async ({ body }, { cause, caller, secure }) => {
    if (body.web_on_lan === true && !secure && caller?.via !== "socket")
      refuseField(
        "web_on_lan",
        "must be absent in a session without TLS, which it would end; root may use the Unix socket",
      );
    const plan = await service.apply(cause, body);
    restart();
    return plan;
  },
  cancel: async (_, { cause }) => {
    const state = await service.cancel(cause);
    restart();
    return state;
  },
});
