import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, named, Nullable, OneOf, ReferenceOrName, Timestamp } from "../values.ts";

const CaptiveCheck = named(
  "CaptiveCheck",
  Type.Object({
    checked_at: Timestamp,
    uplink: Type.String({ description: "The interface that was asked through" }),
    state: OneOf(["open", "captive", "offline"], {
      description: "The answer came as it was; somebody else answered; nobody did",
    }),
    portal_url: Nullable(Type.String({ description: "Where the portal wants a browser to go" })),
    portal_addresses: Type.Array(Type.String(), { description: "Where that is, as the network there says" }),
    evidence: Type.Array(Type.String(), { description: "What was asked and what came, in order" }),
    exception_id: Nullable({ ...Id, description: "The way through that was opened; null: none" }),
    expires_at: Nullable(Timestamp),
  }),
);
export type CaptiveCheck = Static<typeof CaptiveCheck>;

export const captive = {
  check: endpoint({
    method: "POST",
    path: "/captive/check",
    role: "diagnostics",
    summary: "Find out whether a portal stands between the uplink and the internet",
    description:
      "The gateway asks by itself, by the uplink, with no device's data. With open_for, which takes an operator, the portal's addresses, and nothing else, are opened to that device for some minutes.",
    body: named(
      "CaptiveCheckRequest",
      closed(
        optionals({
          open_for: ReferenceOrName("device"),
          duration_min: Type.Integer({ minimum: 1, maximum: 60, default: 10 }),
        }),
      ),
    ),
    bodyOptional: true,
    result: CaptiveCheck,
    errors: ["not_found", "conflict", "limit_reached"],
    audit: { verb: "check", noun: "captive_portal" },
    cli: { words: ["captive"] },
  }),
};
