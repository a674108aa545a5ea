import { because, explained } from "@portcullis/contract/reason";
import type { RouterAdvertisements } from "@portcullis/contract/subsystems/router-advertisements";
import type { Component } from "@portcullis/contract/subsystems/status";
import { advertisementOf } from "../../compiler/links/advertisements.ts";
import {
  type AdvertisementStatusSource,
  notAdvertising,
} from "../../subsystems/router-advertisements/router-advertisements.status.ts";
import type { LinksPlane } from "./links.plane.ts";

type Plane = Pick<LinksPlane, "latest"> & { readonly engines: Pick<LinksPlane["engines"], "radvd"> };

/** The state of router advertisements, in the types of the API. */
export const advertisementStatus =
  ({ engines: { radvd }, latest }: Plane): AdvertisementStatusSource =>
  (wanted) => {
    const compiled = latest();
    const found = compiled && advertisementOf(wanted, compiled.intent, compiled.facts);
    if (!found) return notAdvertising("off", because("dhcp_not_enforced"));
    if ("reason" in found) return notAdvertising("failed", found.reason);
    const { kind, problem } = radvd.state(found);
    return {
      status: ({ running: "advertising", starting: "starting", broken: "failed" } as const)[kind],
      ...explained(kind === "running" ? null : (problem ?? because("advertisement_starting"))),
      prefixes: [...found.prefixes],
      resolvers: [...found.resolvers],
    };
  };

/** Router advertisements as a component of the gateway. */
export function advertisementComponent({ interfaces }: RouterAdvertisements): Component {
  const name = "router-advertisements";
  if (interfaces.length === 0) return { name, status: "off", message: "The gateway is not advertised as IPv6 router" };
  const idle = interfaces.filter(({ status }) => status !== "advertising");
  if (idle.length === 0) {
    const names = interfaces.map((it) => it.interface).join(", ");
    return { name, status: "ok", message: `The gateway is advertised as IPv6 router on ${names}` };
  }
  const reasons = idle.map((it) => `${it.interface}: ${it.reason}`);
  return { name, status: "degraded", message: `The gateway is not advertised as IPv6 router on ${reasons.join("; ")}` };
}
