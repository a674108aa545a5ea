import { interfaceBecause } from "./interface-because.ts";
import { because, explained } from "@portcullis/contract/reason";
import type { Dhcp } from "@portcullis/contract/subsystems/dhcp";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import { subnetOf } from "../../compiler/links/dhcp.ts";
import { subnetId } from "../../engines/kea/kea.render.ts";
import { type DhcpStatusSource, notServing } from "../../subsystems/dhcp/dhcp.status.ts";
import type { LinksPlane } from "./links.plane.ts";

type Plane = Pick<LinksPlane, "latest"> & { readonly engines: Pick<LinksPlane["engines"], "kea"> };

/** The state of the DHCP server, in the types of the API. */
export function dhcpStatus({ engines: { kea }, latest }: Plane, nowMs: () => number): DhcpStatusSource {
  return {
    range: (range) => {
      const compiled = latest();
      const subnet = compiled && subnetOf(range, compiled.intent, compiled.facts);
      if (!subnet) return notServing("off", because("dhcp_not_enforced"));
      if ("reason" in subnet) return notServing("failed", subnet.reason);
      const { network, gateway, resolvers, reservations } = subnet;
      const { kind, problem } = kea.state(network);
      return {
        status: ({ running: "serving", starting: "starting", broken: "failed" } as const)[kind],
        ...explained(kind === "running" ? null : (problem ?? because("dhcp_starting"))),
        network,
        gateway,
        resolvers: [...resolvers],
        reservations: reservations.length,
      };
    },
    leases: async () => {
      const subnets = new Map(latest()?.links.kea.subnets.map((it) => [subnetId(it.network), it]));
      if (subnets.size === 0) return [];
      return (await kea.leases(nowMs())).map(({ subnetId: id, ...lease }) => {
        const subnet = subnets.get(id);
        const reserved = subnet?.reservations.find(({ mac }) => mac === lease.mac)?.address === lease.address;
        return { ...lease, interface: subnet?.interface ?? null, reserved };
      });
    },
  };
}

/** The server as a component of the gateway. */
export function dhcpComponent({ ranges }: Dhcp): Component {
  const name = "dhcp";
  if (ranges.length === 0) return component(name, "off", because("dhcp_no_range"));
  const idle = ranges.filter(({ status }) => status !== "serving");
  return idle.length === 0
    ? component(name, "ok", because("dhcp_leases", { interfaces: ranges.map((it) => it.interface) }))
    : component(name, "degraded", because("dhcp_idle", { interfaces: idle.map(interfaceBecause) }));
}
