import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { Id, named, Nullable, OneOf, ReferenceOrName } from "../values.ts";
import { dnsSource, sourceName, storedDnsSource } from "./dns-source.ts";

const categories = ["video", "social", "messaging", "games", "music", "ai", "dating", "shopping", "search"] as const;
export type ServiceCategory = (typeof categories)[number];

const ServiceId = Type.String({
  pattern: "^[a-z0-9][a-z0-9-]*$",
  maxLength: 40,
  description: "Id of a service or of a category",
});

const Service = named(
  "DnsService",
  Type.Object({
    id: { ...ServiceId, description: "The pattern of filter rules with the match `service`" },
    name: Type.String(),
    category: OneOf(categories, { description: "Also a pattern: all services of the category" }),
    safe_search: Type.Boolean({ description: "Whether its operator has a server without adult results" }),
    domains: Type.Array(Type.String(), { description: "Its domains; names below them belong to it as well" }),
    hosts: Type.Array(Type.String(), { description: "Its names in domains that others use as well" }),
  }),
);
export type DnsService = Readonly<Static<typeof Service>>;

const ServiceAction = OneOf(["none", "allow", "block", "safe_search"], {
  description: "none: no rule; safe_search: the service is reached by its server without adult results",
});

const Decision = named(
  "DnsServiceRule",
  Type.Object({
    service: ServiceId,
    action: ServiceAction,
    ...storedDnsSource,
    ...sourceName,
    rule_id: Nullable({ ...Id, description: "The filter rule; null: none" }),
  }),
);
export type DnsServiceRule = Readonly<Static<typeof Decision>>;

/** The catalogue of services. The rules about them are filter rules. */
export const dnsServices = {
  list: endpoint({
    method: "GET",
    path: "/dns/services",
    role: "viewer",
    summary: "Services that filter rules can name, with their domains",
    result: Type.Array(Service),
    errors: [],
    cli: { words: ["services"], columns: ["id", "name", "category", "safe_search"] },
  }),
  set: endpoint({
    method: "PUT",
    path: "/dns/services/{id}",
    role: "operator",
    summary: "Block, allow or restrict a service or a category of services",
    description: "Creates, changes or removes the filter rule of the service for the source.",
    params: Type.Object({ id: ServiceId }),
    body: named(
      "DnsServiceChange",
      closed({
        action: ServiceAction,
        ...optionals({
          ...dnsSource,
          schedule_id: Nullable({
            ...ReferenceOrName("schedule"),
            description: "The rule applies while this schedule is active; null: always; absent: as before",
          }),
        }),
      }),
    ),
    result: Decision,
    errors: ["conflict", "limit_reached", "change_pending"],
    audit: { verb: "set", noun: "dns_service" },
    cli: { words: ["services", "set"], args: ["id", "action", "source_type", "source_value", "schedule_id"] },
  }),
};
