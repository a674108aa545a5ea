import type { Ledger } from "../../ledger/ledger.ts";
import { advertisementComponent } from "../../planes/links/advertisements.status.ts";
import { dhcpComponent } from "../../planes/links/dhcp.status.ts";
import type { Planes } from "../../planes/planes.ts";
import { dhcpRoutes } from "../../subsystems/dhcp/dhcp.routes.ts";
import { dhcpService } from "../../subsystems/dhcp/dhcp.service.ts";
import { routerAdvertisementRoutes } from "../../subsystems/router-advertisements/router-advertisements.routes.ts";
import { routerAdvertisementService } from "../../subsystems/router-advertisements/router-advertisements.service.ts";
import { segmentRoutes } from "../../subsystems/segments/segments.routes.ts";
import { segmentService } from "../../subsystems/segments/segments.service.ts";

interface Needs {
  readonly ledger: Ledger;
  /** LAN interfaces. */
  readonly lan: readonly string[];
  readonly planes: Pick<Planes, "dataplane" | "links" | "linkStatus" | "enforced">;
}

/** What the gateway offers to its LANs: segments, DHCP and router advertisements. */
export function openLans({ ledger, lan, planes: { dataplane, links, linkStatus: status, enforced } }: Needs) {
  const whenIdle = () => dataplane.whenIdle().then(links?.whenIdle);
  const segments = segmentService({ ledger, lan, read: async () => (await dataplane.observedState()).links });
  const dhcp = dhcpService({ ledger, lan, statusSource: status.dhcp });
  const advertisements = routerAdvertisementService({ ledger, lan, statusSource: status.advertisement });
  return {
    components: [() => dhcpComponent(dhcp.get()), () => advertisementComponent(advertisements.get())],
    handlers: {
      segments: segmentRoutes({ service: segments, enforced }),
      dhcp: dhcpRoutes({ service: dhcp, whenIdle }),
      routerAdvertisements: routerAdvertisementRoutes({ service: advertisements, whenIdle }),
    },
  };
}
