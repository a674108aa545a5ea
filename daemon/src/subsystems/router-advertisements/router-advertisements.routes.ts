import type { HandlersOf } from "@portcullis/contract/handler";
import type { routerAdvertisements } from "@portcullis/contract/subsystems/router-advertisements";
import type { RouterAdvertisementService } from "./router-advertisements.service.ts";

interface Needs {
  readonly service: RouterAdvertisementService;
  /** Resolves when the engines are done. */
  readonly whenIdle: () => Promise<unknown>;
}

export const routerAdvertisementRoutes = ({ service, whenIdle }: Needs): HandlersOf<typeof routerAdvertisements> => ({
  get: () => service.get(),
  put: async ({ body }, { cause }) => {
    service.put(cause, body);
    await whenIdle(); // The answer shows whether the router is advertised.
    return service.get();
  },
});
