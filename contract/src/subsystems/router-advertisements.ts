import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { InterfaceName, named, OneOf, optionalReasonFields } from "../values.ts";

const required = {
  interface: { ...InterfaceName, description: "LAN interface on which the gateway is advertised as IPv6 router" },
};
const optional = {
  lifetime_sec: Type.Integer({
    minimum: 120,
    maximum: 9000,
    default: 1800,
    description:
      "How long clients use the router, their addresses and the resolvers after the last advertisement. Advertisements are " +
      "sent at least three times in it, and to each client that requests one",
  }),
};

export const RouterAdvertisement = named("RouterAdvertisement", Type.Object({ ...required, ...optional }));
export type RouterAdvertisement = Readonly<Static<typeof RouterAdvertisement>>;
/** The published settings: one resource. */
export interface PublishedRouterAdvertisements {
  readonly id: string;
  readonly interfaces: readonly RouterAdvertisement[];
}

const RouterAdvertisementStatus = Type.Object({
  ...required,
  ...optional,
  status: OneOf(["advertising", "starting", "failed", "off"], {
    description: "Only advertising sends advertisements; off: the gateway enforces nothing on this machine",
  }),
  ...optionalReasonFields("Why it is not advertising, as a sentence; empty while it is"),
  prefixes: Type.Array(Type.String(), {
    description:
      "Networks of 64 bits in which clients choose their addresses: those in which the gateway has an address",
  }),
  resolvers: Type.Array(Type.String(), {
    description:
      "DNS servers that clients get: the gateway's address if it answers DNS queries there, else its IPv6 upstreams",
  }),
});
const RouterAdvertisements = named(
  "RouterAdvertisements",
  Type.Object({ interfaces: Type.Array(RouterAdvertisementStatus) }),
);
export type RouterAdvertisements = Static<typeof RouterAdvertisements>;

export const routerAdvertisements = {
  get: endpoint({
    method: "GET",
    path: "/router-advertisements",
    role: "viewer",
    summary: "IPv6 router advertisements: on which LAN interfaces, and their state",
    result: RouterAdvertisements,
    errors: [],
    cli: { words: ["router-advertisements"] },
  }),
  put: endpoint({
    method: "PUT",
    path: "/router-advertisements",
    role: "operator",
    summary: "Choose the LAN interfaces on which the gateway is advertised as IPv6 router, immediately",
    description:
      "The list is replaced as a whole. Clients of an interface that is no longer listed are notified to use the router, " +
      "their addresses and the resolvers no longer. An interface is left out, with the reason, while devices or policies there are " +
      "identified by IPv4 addresses alone: they would not apply to the new IPv6 addresses.",
    body: named(
      "RouterAdvertisementsUpdate",
      closed({ interfaces: Type.Array(closed({ ...required, ...optionals(optional) }), { maxItems: 64 }) }),
    ),
    result: RouterAdvertisements,
    errors: ["conflict", "change_pending"],
    audit: { verb: "update", noun: "router_advertisements" },
    cli: { words: ["router-advertisements", "configure"] },
  }),
};
