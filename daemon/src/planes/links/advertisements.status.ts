import { interfaceBecause } from "./interface-because.ts";
import { because, explained } from "@portcullis/contract/reason";
import type { RouterAdvertisements } from "@portcullis/contract/subsystems/router-advertisements";
import { type Component, component } from "@portcullis/contract/subsystems/status";
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
  if (interfaces.length === 0) return component(name, "off", because("advertisement_none"));
  const idle = interfaces.filter(({ status }) => status !== "advertising");
  return idle.length === 0
    ? component(name, "ok", because("advertisement_works", { interfaces: interfaces.map((it) => it.interface) }))
    : component(name, "degraded", because("advertisement_idle", { interfaces: idle.map(interfaceBecause) }));
}
