import type { Component } from "@portcullis/contract/subsystems/status";
import { subnetOf } from "../../compiler/links/dhcp.ts";
import { subnetId } from "../../engines/kea/kea.render.ts";
import { type DhcpStatusSource, notServing } from "../../subsystems/dhcp/dhcp.status.ts";
import type { Compiled } from "../inputs.ts";
import type { LinksPlane } from "./links.plane.ts";

type Plane = Pick<LinksPlane, "latest"> & { readonly engines: Pick<LinksPlane["engines"], "kea"> };

/** The state of the DHCP server, in the types of the API. */
export function dhcpStatus({ engines: { kea }, latest }: Plane, nowMs: () => number): DhcpStatusSource {
  return {
    range: (range) => {
      const compiled = latest();
      const subnet = compiled && subnetOf(range, compiled.intent, compiled.facts);
      if (!subnet) return notServing("starting", "The gateway is starting");
      if ("reason" in subnet) return notServing("failed", subnet.reason);
      const { network, gateway, resolvers, reservations } = subnet;
      const { kind, problem } = kea.state(network);
      return {
        status: ({ running: "serving", starting: "starting", broken: "failed" } as const)[kind],
        reason: kind === "running" ? "" : problem || "The server is starting",
        network,
        gateway,
        resolvers: [...resolvers],
        reservations: reservations.length,
      };
    },
    leases: async () => {
      const subnets = new Map(latest()?.links.kea.map((it) => [subnetId(it.network), it]));
      if (subnets.size === 0) return [];
      return (await kea.leases(nowMs())).map(({ subnetId: id, ...lease }) => {
        const subnet = subnets.get(id);
        const reserved = subnet?.reservations.find(({ mac }) => mac === lease.mac)?.address === lease.address;
        return { ...lease, interface: subnet?.interface ?? null, reserved };
      });
    },
  };
}

/** Absent while no range is configured. */
export function dhcpComponent(compiled: Compiled | undefined, status: DhcpStatusSource): Component {
  const ranges = compiled?.intent.dhcp ?? [];
  const failed = ranges
    .map((range) => ({ range, ...status.range(range) }))
    .filter((it) => it.status === "failed")
    .map(({ range, reason }) => `${range.interface}: ${reason}`);
  if (failed.length > 0)
    return { name: "dhcp", status: "degraded", message: `No addresses are leased. ${failed.join("; ")}` };
  const names = ranges.map((it) => it.interface).join(", ");
  return ranges.length === 0
    ? { name: "dhcp", status: "off", message: "No range of addresses is configured" }
    : { name: "dhcp", status: "ok", message: `Addresses are leased on ${names}` };
}
