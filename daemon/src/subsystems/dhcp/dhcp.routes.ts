import type { HandlersOf } from "@portcullis/contract/handler";
import type { dhcp } from "@portcullis/contract/subsystems/dhcp";
import type { DhcpService } from "./dhcp.service.ts";

interface Needs {
  readonly service: DhcpService;
  /** Resolves when the engines are done. */
  readonly whenIdle: () => Promise<unknown>;
}

export const dhcpRoutes = ({ service, whenIdle }: Needs): HandlersOf<typeof dhcp> => ({
  get: () => service.get(),
  put: async ({ body }, { cause }) => {
    service.put(cause, body);
    await whenIdle(); // The answer shows whether the ranges are served.
    return service.get();
  },
  leases: () => service.leases(),
});
