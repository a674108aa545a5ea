import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, named, Nullable, OneOf, ReferenceOrName, sentencesFields, Timestamp } from "../values.ts";

const CaptiveCheck = named(
  "CaptiveCheck",
  Type.Object({
    checked_at: Timestamp,
    uplink: Type.String({ description: "The interface of the probe" }),
    state: OneOf(["open", "captive", "offline"], {
      description: "open: the expected response came; captive: another server answered; offline: no answer",
    }),
    portal_url: Nullable(Type.String({ description: "URL to which the portal redirects a browser" })),
    portal_addresses: Type.Array(Type.String(), {
      description: "Addresses of the portal, from the resolver of that network",
    }),
    ...sentencesFields("evidence", "Requests and responses, in order"),
    exception_id: Nullable({ ...Id, description: "The exception that was created; null: none" }),
    expires_at: Nullable(Timestamp),
  }),
);
export type CaptiveCheck = Static<typeof CaptiveCheck>;

export const captive = {
  check: endpoint({
    method: "POST",
    path: "/captive/check",
    role: "diagnostics",
    summary: "Detect a captive portal between the uplink and the Internet",
    description:
      "The gateway sends the probe itself, through the uplink, without any device's data. With open_for, which requires the operator role, the portal's addresses, and nothing else, are opened to that device for some minutes.",
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
