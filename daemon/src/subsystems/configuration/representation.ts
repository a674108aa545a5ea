import type { Section } from "@portcullis/contract/config-sections";
import { storedSecret } from "@portcullis/contract/declarable";
import { channelSecrets } from "@portcullis/contract/subsystems/alert-channels";
import type { Resource } from "../../ledger/collection.ts";

/** A resource as a configuration document contains it. */
export type Item = Readonly<Record<string, unknown>>;

/** The name of a resource, or its id if no other resource may be meant by the name. */
export type NameOf = (kind: string, id: string) => string;

/** A stored resource → its form in a document; undefined: no document contains it. */
export function represented(
  { kind, item, key, isCreated }: Section,
  { id, ...stored }: Resource,
  nameOf: NameOf,
): Item | undefined {
  // The reference of its sealed value; the schema of a channel has a field of this name.
  const { secret: _, ...resource } = stored as Item;
  if (isHidden[kind]?.(resource)) return undefined;
  const [own] = key;
  const named = withNames({ ...resource, ...(!isCreated && own !== undefined && { [own]: id }) }, nameOf);
  return { ...(pick(item, named, nameOf) as Item), ...secretsOf(kind, named) };
}

const isHidden: Readonly<Record<string, (resource: Item) => boolean>> = {
  // The others belong to a tunnel, a proxy or another resource, which represents them.
  secret: ({ purpose }) => purpose !== "stored",
  // A browser makes it, and only this gateway can use it.
  alert_channel: ({ type }) => type === "web_push",
};

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly "x-refers-to"?: string;
}

/** The fields that the schema has. null is left out where the schema refuses it. */
function pick(schema: Schema, value: unknown, nameOf: NameOf): unknown {
  const { "x-refers-to": kind, properties, items, anyOf } = schema;
  if (typeof value === "string") return kind === undefined ? value : nameOf(kind, value);
  if (Array.isArray(value)) return items ? value.map((it) => pick(items, it, nameOf)) : value;
  if (typeof value !== "object" || value === null) return value;
  const inner = properties ?? anyOf?.find((it) => it.properties)?.properties;
  if (!inner) return value;
  return Object.fromEntries(
    Object.entries(inner).flatMap(([field, its]) => {
      const given = (value as Item)[field];
      return given === undefined || (given === null && !takesNull(its)) ? [] : [[field, pick(its, given, nameOf)]];
    }),
  );
}

const takesNull = ({ type, anyOf = [] }: Schema): boolean =>
  type === "null" || (Array.isArray(type) && type.includes("null")) || anyOf.some(takesNull);

/** Ids that no schema marks: of the source of a policy or a DNS entry, and of hops. */
function withNames(resource: Item, nameOf: NameOf): Item {
  const { source_type: type, source_value: value, hops } = resource;
  const isReference = type === "device" || type === "device_group" || type === "privacy_class";
  return {
    ...resource,
    ...(isReference && { source_value: nameOf(type, value as string) }),
    ...(Array.isArray(hops) && { hops: hops.map((hop: Hop) => hopNamed(hop, nameOf)) }),
  };
}

interface Hop {
  readonly type: string;
  readonly target: string;
}
function hopNamed(hop: Hop, nameOf: NameOf): Hop {
  const kind = { vpn: "tunnel", proxy: "proxy" }[hop.type];
  return kind === undefined ? hop : { ...hop, target: nameOf(kind, hop.target) };
}

/** Secrets in place of their values; null where there is none. */
function secretsOf(kind: string, resource: Item): Item {
  const password = () => ({ password: resource["has_password"] === true ? storedSecret : null });
  switch (kind) {
    case "secret":
      return { value: storedSecret };
    case "proxy":
    case "mqtt":
    case "dns_extfilter":
      return password();
    case "alert_channel": {
      const field = channelSecrets[resource["type"] as keyof typeof channelSecrets];
      return { [field]: resource["has_secret"] === true ? storedSecret : null };
    }
    case "tunnel":
      return { config: { ...configOf(resource["type"], resource["config"] as Config) } };
    default:
      return {};
  }
}

interface Config extends Item {
  readonly peers?: readonly (Item & { readonly has_preshared_key: boolean })[];
  readonly blocks?: Item;
  readonly secret_blocks?: readonly string[];
}

function configOf(type: unknown, config: Config): Item {
  if (type === "wireguard") {
    const { public_key: _, peers = [], ...rest } = config;
    const marked = peers.map(({ has_preshared_key: has, ...peer }) => ({
      ...peer,
      preshared_key: has ? storedSecret : null,
    }));
    return { private_key: storedSecret, ...rest, peers: marked };
  }
  const { secret_blocks = [], requires_credentials, has_password, directives, blocks, ...rest } = config;
  const lacksLogin = requires_credentials === true && rest["username"] === null;
  return {
    ...rest,
    directives: [...(directives as readonly unknown[]), ...(lacksLogin ? [{ name: "auth-user-pass", args: [] }] : [])],
    blocks: { ...blocks, ...Object.fromEntries(secret_blocks.map((tag) => [tag, storedSecret])) },
    password: has_password === true ? storedSecret : null,
  };
}
