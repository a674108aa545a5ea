import Type, { type Static } from "typebox";
import { closed, Deleted, optionals, pageOf } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, IdOrName, named, Nullable, OneOf, ReferenceOrName, Text, Timestamp } from "../values.ts";

export const exceptionTypes = [
  "emergency-bypass",
  "diagnostic-bypass",
  "service-allowlist",
  "temporary-direct",
  "quarantine",
  "captive-portal",
] as const;
export type ExceptionType = (typeof exceptionTypes)[number];

const ExceptionTypeName = OneOf(exceptionTypes, {
  description: "quarantine blocks the device; the others let it use the uplink directly, in the clear",
});

/** Minutes. A longer duration is cut to the maximum instead of being refused: an exception may be urgent. */
export const exceptionMinutes = { default: 60, maximum: 1440 } as const;

const Destinations = Type.Array(Type.String({ minLength: 1, maxLength: 49, description: "Address or network" }), {
  maxItems: 64,
  uniqueItems: true,
  description: "Destinations of a service-allowlist or a captive-portal; the other types apply to every destination",
});
const Answers = Type.Array(
  Type.Object({
    name: Type.String(),
    addresses: Type.Array(Type.String()),
  }),
  {
    description:
      "Names of a portal and their addresses, which the gateway answers to the device while its egress is down; see /captive/check",
  },
);
const AllowsDirect = Type.Boolean({ description: "Determined by the type: true for all but quarantine" });

const fields = {
  id: Id,
  type: ExceptionTypeName,
  device_id: Type.String({ format: "uuid", description: "Id of the device, which may have been deleted" }),
  device_name: Nullable(Type.String({ description: "null: the device was deleted" })),
  allow_direct: AllowsDirect,
  duration_min: Type.Integer({ description: "Duration in minutes" }),
  reason: Type.String(),
  destinations: Destinations,
  answers: Answers,
  actor: Type.String({ description: "Actor that created it" }),
  created_at: Timestamp,
  expires_at: Timestamp,
  ended_at: Nullable(Timestamp),
  active: Type.Boolean(),
};
const Enforced = Type.Boolean({
  description: "Whether the kernel has it; false while the dataplane is off or an engine failed",
});

export const Exception = named("Exception", Type.Object(fields));
export type Exception = Static<typeof Exception>;

export const exceptions = {
  list: endpoint({
    method: "GET",
    path: "/exceptions",
    role: "viewer",
    summary: "List every exception of the last 30 days, newest first",
    query: pageOf({ type: ExceptionTypeName, device_id: IdOrName("device") }),
    result: Type.Array(Exception),
    paged: true,
    errors: [],
    cli: {
      words: ["exceptions", "list"],
      columns: ["id", "type", "device_name", "active", "expires_at", "actor", "reason"],
    },
  }),
  active: endpoint({
    method: "GET",
    path: "/exceptions/active",
    role: "viewer",
    summary: "List the active exceptions",
    result: Type.Array(Exception),
    errors: [],
    cli: { words: ["exceptions", "active"], columns: ["id", "type", "device_name", "expires_at", "actor", "reason"] },
  }),
  get: endpoint({
    method: "GET",
    path: "/exceptions/{id}",
    role: "viewer",
    summary: "Show one exception",
    params: Type.Object({ id: Id }),
    result: Exception,
    errors: ["not_found"],
    cli: { words: ["exceptions", "get"], args: ["id"] },
  }),
  create: endpoint({
    method: "POST",
    path: "/exceptions",
    role: "operator",
    summary: "Create a temporary bypass or quarantine for a device, immediately",
    description:
      "It is in force when the response is sent, independent of staged and pending changes, and expires by itself.",
    body: named(
      "ExceptionCreate",
      closed({
        type: ExceptionTypeName,
        device_id: ReferenceOrName("device"),
        ...optionals({
          allow_direct: AllowsDirect,
          duration_min: Type.Integer({
            minimum: 1,
            default: exceptionMinutes.default,
            description: `Minutes; more than ${exceptionMinutes.maximum} are cut to ${exceptionMinutes.maximum}`,
          }),
          reason: Text("Reason"),
          destinations: Destinations,
        }),
      }),
    ),
    result: named("StartedException", Type.Object({ ...fields, enforced: Enforced })),
    status: 201,
    errors: ["limit_reached"],
    audit: { verb: "create", noun: "exception" },
    cli: { words: ["exceptions", "create"] },
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/exceptions/{id}",
    role: "operator",
    summary: "End an exception now",
    params: Type.Object({ id: Id }),
    result: named("EndedException", Type.Object({ ...Deleted.properties, enforced: Enforced })),
    errors: ["not_found"],
    audit: { verb: "delete", noun: "exception" },
    cli: { words: ["exceptions", "delete"], args: ["id"] },
    aliases: ["/exceptions"],
  }),
};
