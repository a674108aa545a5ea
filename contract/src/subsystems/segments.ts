import Type, { type Static } from "typebox";
import { closed } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { InterfaceName, Name, named } from "../values.ts";

const reaches = (what: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 120 }), { maxItems: 64, uniqueItems: true, description: what });

export const Segment = named(
  "Segment",
  Type.Object({
    interface: { ...InterfaceName, description: "LAN interface of the gateway" },
    name: { ...Name, description: "Name of the segment, unique among them; without one, that of its interface" },
    reaches: reaches(
      "Names of other segments to whose devices, and to whose address of the gateway, its devices may connect",
    ),
    up: Type.Boolean({ description: "Whether the interface exists and is up" }),
    addresses: Type.Array(Type.String(), { description: "The gateway's addresses there" }),
    networks: Type.Array(Type.String()),
  }),
);
export type Segment = Static<typeof Segment>;

/** The published settings of one LAN interface, which is its id. */
export interface PublishedSegment {
  readonly id: string;
  readonly name: string;
  /** LAN interfaces. */
  readonly reaches: readonly string[];
}

const params = Type.Object({
  segment: Type.String({ minLength: 1, maxLength: 120, description: "Name or interface of a segment" }),
});

export const segments = {
  list: endpoint({
    method: "GET",
    path: "/segments",
    role: "viewer",
    summary: "The segments of the network: one per LAN interface, and which other ones each reaches",
    result: Type.Array(Segment),
    errors: [],
    cli: { words: ["segments", "list"], columns: ["interface", "name", "reaches", "networks", "up"] },
  }),
  get: endpoint({
    method: "GET",
    path: "/segments/{segment}",
    role: "viewer",
    summary: "Show one segment",
    params,
    result: Segment,
    errors: ["not_found"],
    cli: { words: ["segments", "get"], args: ["segment"] },
  }),
  update: endpoint({
    method: "PUT",
    path: "/segments/{segment}",
    role: "operator",
    summary: "Name a segment, or choose which other ones it reaches, immediately",
    description:
      "Segments are isolated from each other unless this says otherwise. It holds for the direction in which a connection is " +
      "opened; replies pass. What a segment reaches is replaced as a whole; a field that is not given is kept.",
    params,
    body: named(
      "SegmentUpdate",
      closed({
        name: Type.Optional({ ...Name, description: "Name of the segment, unique among them" }),
        reaches: Type.Optional(reaches("Names or interfaces of the other segments that it reaches")),
      }),
    ),
    result: Segment,
    errors: ["not_found", "conflict", "change_pending"],
    audit: { verb: "update", noun: "segment" },
    cli: { words: ["segments", "update"], args: ["segment"] },
  }),
};
