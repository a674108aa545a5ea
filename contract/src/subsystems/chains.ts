import Type, { type Static } from "typebox";
import { closed, collection } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, Name, named, OneOf } from "../values.ts";

const Stage = closed({
  kind: OneOf(["dns", "filter", "vpn", "proxy", "nat", "shape"]),
  config: Type.Record(Type.String({ maxLength: 120 }), Type.Unknown(), { maxProperties: 50 }),
});

export const Chain = named(
  "TrafficChain",
  Type.Object({ id: Id, name: Name, stages: Type.Array(Stage, { maxItems: 32 }) }),
);
export type Chain = Static<typeof Chain>;

const plainChains = collection({
  path: "/chains",
  noun: "traffic chain",
  key: "chain",
  resource: Chain,
  required: { name: Name },
  optional: { stages: Type.Array(Stage, { maxItems: 32 }) },
  cli: "chains",
  columns: ["id", "name"],
});
const noChains = "Traffic chains have no effect yet: policies and profiles send traffic through hops";

/** Existing chains can be read and deleted. */
export const chains = {
  ...plainChains,
  create: endpoint({ ...plainChains.create, notSupported: noChains }),
  update: endpoint({ ...plainChains.update, notSupported: noChains }),
};
