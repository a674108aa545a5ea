import type { LanAddress } from "../../engines/lan-address/lan-address.model.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { advertisementComponent } from "../../planes/links/advertisements.status.ts";
import { dhcpComponent } from "../../planes/links/dhcp.status.ts";
import type { Planes } from "../../planes/planes.ts";
import { crudOperations, type Operations } from "../../subsystems/configuration/operations.ts";
import { dhcpRoutes } from "../../subsystems/dhcp/dhcp.routes.ts";
import { dhcpService } from "../../subsystems/dhcp/dhcp.service.ts";
import { routerAdvertisementRoutes } from "../../subsystems/router-advertisements/router-advertisements.routes.ts";
import { routerAdvertisementService } from "../../subsystems/router-advertisements/router-advertisements.service.ts";
import { segmentRoutes } from "../../subsystems/segments/segments.routes.ts";
import { segmentService } from "../../subsystems/segments/segments.service.ts";
import { vlanRoutes } from "../../subsystems/vlans/vlans.routes.ts";
import { vlanService } from "../../subsystems/vlans/vlans.service.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly refuseInUse: (kind: string, id: string) => void;
  /** LAN interfaces of the bootstrap file, and the addresses it gives to them. */
  readonly configured: readonly string[];
  readonly lanAddresses: readonly LanAddress[];
  readonly uplinks: () => readonly string[];
  readonly planes: Pick<Planes, "dataplane" | "links" | "linkStatus" | "enforced">;
}

/** What the gateway offers to its LANs: segments, VLANs, DHCP and router advertisements. */
export function openLans(needs: Needs) {
  const { ledger, configured, planes } = needs;
  const { dataplane, links, linkStatus: status, enforced } = planes;
  const whenIdle = () => dataplane.whenIdle().then(links?.whenIdle);
  const vlans = vlanService({ ...needs, lan: configured, statusSource: status.vlans });
  const lan = (): readonly string[] => [...new Set([...configured, ...vlans.lans()])];
  const segments = segmentService({ ledger, lan, read: async () => (await dataplane.observedState()).links });
  const dhcp = dhcpService({ ledger, lan, statusSource: status.dhcp });
  const advertisements = routerAdvertisementService({ ledger, lan, statusSource: status.advertisement });
  return {
    /** LAN interfaces: those of the bootstrap file, and VLANs. */
    lan,
    /** Interfaces of VLANs, and those on which they are. */
    vlanInterfaces: (): readonly string[] => [...vlans.interfaces(), ...vlans.parents()],
    operations: {
      vlan: crudOperations(vlans),
      segment: { update: segments.update },
      dhcp: { put: dhcp.put },
      router_advertisements: { put: advertisements.put },
    } satisfies Operations,
    components: [() => dhcpComponent(dhcp.get()), () => advertisementComponent(advertisements.get())],
    handlers: {
      segments: segmentRoutes({ service: segments, enforced }),
      vlans: vlanRoutes({ service: vlans, whenIdle, refresh: status.vlans.refresh }),
      dhcp: dhcpRoutes({ service: dhcp, whenIdle }),
      routerAdvertisements: routerAdvertisementRoutes({ service: advertisements, whenIdle }),
    },
  };
}
