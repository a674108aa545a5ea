import { parseAddress } from "../../net/addresses.ts";
import type { InputOf, Page } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { proxies, Proxy, ProxyCondition, PublishedProxy } from "@portcullis/contract/subsystems/proxies";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { found, given, newId, pageOf, refuseField, refuseFull, resolveOptional } from "../resources.ts";
import { serial } from "../../system/async.ts";
import { type SecretKeeping, sealedResource, withoutSecret } from "../sealed.ts";
import { discardedPassword, neededAgain, secretAfter } from "../sent-secrets.ts";

type CreateBody = InputOf<typeof proxies.create>["body"];
type UpdateBody = InputOf<typeof proxies.update>["body"];
type ListQuery = InputOf<typeof proxies.list>["query"];

interface Needs {
  readonly ledger: Ledger;
  readonly secrets: SecretKeeping;
  readonly refuseInUse: (kind: string, id: string) => void;
  /** A hop may refer to a proxy by its name. */
  readonly refuseNamed: (kind: string, name: string) => void;
  /** TCP ports of the gateway that are in use. */
  readonly reservedPorts: () => readonly number[];
  /** The observed status. */
  readonly condition: (id: string) => ProxyCondition;
}

export type Proxies = ReturnType<typeof proxyService>;

/** SOCKS5 proxies: servers of the gateway for devices, and upstream servers as hops. */
export function proxyService({ ledger, secrets, refuseInUse, refuseNamed, reservedPorts, condition }: Needs) {
  const collection = ledger.staged<PublishedProxy>("proxy");
  const sealed = sealedResource<PublishedProxy>({ ledger, secrets, kind: "proxy" });
  const inTurn = serial();

  const shown = (proxy: PublishedProxy): Proxy => ({ ...withoutSecret(proxy), ...condition(proxy.id) });

  /** The requested proxy, validated as a whole. */
  function normalize(
    before: PublishedProxy,
    requested: Omit<UpdateBody, "password">,
    { isStored: has_password, isDiscarded = false }: { isStored: boolean; isDiscarded?: boolean },
  ): PublishedProxy {
    const tunnel_id = resolveOptional(ledger.staged("tunnel"), "tunnel_id", requested.tunnel_id);
    const proxy = { ...before, ...given({ ...requested, tunnel_id }), has_password };
    if ((proxy.username !== null) !== has_password)
      refuseField(has_password ? "username" : "password", isDiscarded ? neededAgain : missing);
    return proxy.kind === "local" ? { ...proxy, listen: listening(proxy) } : { ...proxy, address: reachable(proxy) };
  }

  function listening({ id, listen, address }: PublishedProxy): string {
    if (address !== null) refuseField("address", "is for an upstream proxy; a local one has listen");
    const endpoint = hostAndPort(listen);
    if (listen === null || !endpoint || !parseAddress(endpoint.host))
      return refuseField("listen", "must be an address of the gateway and a port, such as 192.168.1.1:1080");
    const existing = collection.all().find((it) => it.id !== id && hostAndPort(it.listen)?.port === endpoint.port);
    if (existing || reservedPorts().includes(endpoint.port))
      throw new Problem(
        "conflict",
        { field: "listen", ...(existing && { existing_id: existing.id }) },
        { message: "This port is in use" },
      );
    return listen;
  }

  return {
    list: (query: ListQuery): Page<Proxy> => {
      const { items, ...rest } = pageOf(collection, query, matcher(query));
      return { items: items.map(shown), ...rest };
    },
    get: (id: string): Proxy => shown(found(collection, "proxy", id)),
    create: (cause: Cause, { password, ...requested }: CreateBody): Promise<Proxy> =>
      inTurn(async () => {
        refuseFull(collection, "proxies");
        const { kind, name } = requested;
        const proxy = normalize({ ...blank, kind, name, id: newId() }, requested, {
          isStored: typeof password === "string",
        });
        const change = password == null ? ({ kind: "keep" } as const) : ({ kind: "seal", value: password } as const);
        return shown(await sealed.put(cause, undefined, proxy, change));
      }),
    update: (cause: Cause, id: string, { password, ...requested }: UpdateBody): Promise<Proxy> =>
      inTurn(async () => {
        const before = found(collection, "proxy", id);
        const { kind, name } = requested;
        if (kind !== undefined && kind !== before.kind) refuseField("kind", "cannot change; make another proxy");
        if (name !== undefined && name !== before.name) refuseNamed("proxy", before.name);
        const secret = secretAfter({
          requested: password,
          isStored: before.has_password,
          before: destinationOf(before),
          after: destinationOf({ ...before, ...given(requested) }),
        });
        const wanted = secret.isDiscarded ? { username: null, ...given(requested) } : requested;
        const proxy = await sealed.put(cause, before, normalize(before, wanted, secret), secret.change);
        return { ...shown(proxy), ...(secret.isDiscarded && discardedPassword) };
      }),
    remove: (cause: Cause, id: string): void => {
      found(collection, "proxy", id);
      refuseInUse("proxy", id);
      sealed.remove(cause, id);
    },
  };
}

const blank = {
  enabled: true,
  listen: null,
  address: null,
  username: null,
  has_password: false,
  tunnel_id: null,
  secret: null,
};

const missing = "is missing: username and password belong together";

/** The destination of its password. A local proxy receives a password from its clients and sends none. */
const destinationOf = ({ kind, address }: Pick<PublishedProxy, "kind" | "address">): string =>
  kind === "local" ? "" : (address ?? "").toLowerCase();

function reachable({ address, listen, tunnel_id }: PublishedProxy): string {
  if (listen !== null) refuseField("listen", "is for a local proxy; an upstream one has address");
  if (tunnel_id !== null)
    refuseField("tunnel_id", "is for a local proxy; an upstream one is reached through the previous hop");
  if (address === null || !hostAndPort(address))
    return refuseField("address", "must be a host and a port, such as 192.0.2.7:1080");
  return address;
}

/** The schema checks the format; this also checks the port and the IPv6 address. */
function hostAndPort(text: string | null): { readonly host: string; readonly port: number } | undefined {
  const [, v6, plain, digits] = /^(?:\[(.+)\]|([^[\]:]+)):(\d+)$/.exec(text ?? "") ?? [];
  const port = Number(digits);
  if (port < 1 || port > 65_535 || (v6 !== undefined && parseAddress(v6)?.family !== 6)) return undefined;
  const host = v6 ?? plain;
  return host === undefined ? undefined : { host, port };
}

/** The filter of a list; undefined: all proxies. */
function matcher({ kind, enabled }: ListQuery): ((proxy: PublishedProxy) => boolean) | undefined {
  if (kind === undefined && enabled === undefined) return undefined;
  return (proxy) => (kind === undefined || proxy.kind === kind) && (enabled === undefined || proxy.enabled === enabled);
}
