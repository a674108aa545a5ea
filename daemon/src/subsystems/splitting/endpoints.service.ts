import { contains, formatAddress, parseAddress, parseCidr } from "../../net/addresses.ts";
import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import type { SplittingEndpoint, splittingEndpoints } from "@portcullis/contract/subsystems/splitting";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { found, given, newId, pageOf, refuseField, refuseFull, refuseTaken, resolve } from "../resources.ts";

type CreateBody = InputOf<typeof splittingEndpoints.create>["body"];
type UpdateBody = InputOf<typeof splittingEndpoints.update>["body"];
type ListQuery = InputOf<typeof splittingEndpoints.list>["query"];

interface Needs {
  readonly ledger: Ledger;
  readonly refuseInUse: (kind: string, id: string) => void;
}

export type SplittingEndpoints = ReturnType<typeof splittingEndpointService>;

/** The pool: tunnels over which connections are spread, and tunnels for padding. */
export function splittingEndpointService({ ledger, refuseInUse }: Needs) {
  const kind = "splitting_endpoint";
  const noun = "splitting endpoint";
  const collection = ledger.staged<SplittingEndpoint>(kind);

  function put(cause: Cause, endpoint: SplittingEndpoint): SplittingEndpoint {
    ledger.change(cause, (draft) => {
      refuseTaken(collection, noun, "name", endpoint.name, endpoint.id);
      refuseTwice(collection.all(), endpoint);
      draft.put(kind, endpoint);
    });
    return endpoint;
  }
  const tunnelOf = (word: string): string => resolve(ledger.staged("tunnel"), "tunnel_id", word);

  return {
    list: (query: ListQuery) => {
      const { role, enabled, tunnel_id } = query;
      const wanted = Object.entries(given({ role, enabled, tunnel_id }));
      const matches = (it: SplittingEndpoint) =>
        wanted.every(([field, value]) => it[field as keyof SplittingEndpoint] === value);
      return pageOf(collection, query, wanted.length > 0 ? matches : undefined);
    },
    get: (id: string): SplittingEndpoint => found(collection, noun, id),
    create: (cause: Cause, body: CreateBody): SplittingEndpoint => {
      refuseFull(collection, noun);
      const role = body.role ?? "member";
      const enabled = role === "member"; // Padding needs an explicit setting.
      return put(
        cause,
        normalize({ ...blank, role, enabled, ...given(body), tunnel_id: tunnelOf(body.tunnel_id), id: newId() }),
      );
    },
    update: (cause: Cause, id: string, body: UpdateBody): SplittingEndpoint => {
      const before = found(collection, noun, id);
      const tunnel_id = body.tunnel_id === undefined ? undefined : tunnelOf(body.tunnel_id);
      return put(cause, normalize({ ...before, ...roleChange(before, body), ...given({ ...body, tunnel_id }) }));
    },
    remove: (cause: Cause, id: string): void => {
      found(collection, noun, id);
      refuseInUse(kind, id);
      ledger.change(cause, (draft) => draft.remove(kind, id));
    },
  };
}

const blank = {
  name: null,
  weight: 1,
  target: null,
  bytes_per_second: 1024,
} as const satisfies Partial<SplittingEndpoint>;

/** An endpoint that becomes cover is disabled until it is enabled explicitly; one that becomes a member has no target. */
function roleChange({ role }: SplittingEndpoint, body: UpdateBody): Partial<SplittingEndpoint> {
  if (body.role === undefined || body.role === role) return {};
  return body.role === "cover" ? { enabled: false } : { target: null };
}

function normalize(endpoint: SplittingEndpoint): SplittingEndpoint {
  const { role, target } = endpoint;
  if (role === "member") return target === null ? endpoint : refuseField("target", "is for cover only");
  if (target === null) return refuseField("target", "is required: the destination address of the padding");
  const address = parseAddress(target);
  if (!address || unusableTargets.some((range) => contains(range, address)))
    return refuseField("target", "must be the address of one host behind the tunnel");
  return { ...endpoint, target: formatAddress(address) };
}

/** Loopback, link-local and multicast. */
const unusableTargets = [
  "0.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/3",
  "::/127",
  "fe80::/10",
  "ff00::/8",
].map((range) => parseCidr(range)!);

/** A tunnel is a member once, and covers each target once. */
function refuseTwice(pool: readonly SplittingEndpoint[], { id, tunnel_id, role, target }: SplittingEndpoint): void {
  const existing = pool.find(
    (it) => it.id !== id && it.tunnel_id === tunnel_id && it.role === role && it.target === target,
  );
  if (existing)
    throw new Problem(
      "conflict",
      { field: "tunnel_id", existing_id: existing.id },
      { message: role === "member" ? "This tunnel is a member already" : "This tunnel covers this target already" },
    );
}
