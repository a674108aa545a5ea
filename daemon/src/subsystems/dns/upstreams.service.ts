import { formatAddress, parseAddress } from "../../net/addresses.ts";
import type { InputOf } from "@portcullis/contract/endpoint";
import {
  type DnsForwarder,
  type dnsForwarders,
  maxDnsForwarders,
  type DnsRotation,
  defaultRotation,
} from "@portcullis/contract/subsystems/dns-upstreams";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { given, newId, refuseField } from "../resources.ts";
import { domainBelow, domainIn } from "./domains.ts";
import { entries, wanted } from "./entries.ts";

/** Upstream resolvers, for all names or for given domains. */
export function forwarderService({ ledger }: { ledger: Ledger }) {
  type Create = InputOf<typeof dnsForwarders.create>["body"];
  type Update = InputOf<typeof dnsForwarders.update>["body"];
  type Query = InputOf<typeof dnsForwarders.list>["query"];
  return entries<DnsForwarder, Create, Update, Query>({
    ledger,
    kind: "dns_forwarder",
    noun: "forwarder",
    limit: maxDnsForwarders,
    create: (body) => normalize({ ...blank, ...body, id: newId() }),
    update: (before, body) => normalize({ ...before, ...given(body) }),
    contradiction: (one, other) => (one.name === other.name ? "Another forwarder has this name" : undefined),
    matcher: ({ enabled, protocol }) => wanted<DnsForwarder>(given({ enabled, protocol })),
  });
}

const blank: Omit<DnsForwarder, "id" | "name" | "address"> = {
  enabled: true,
  port: null,
  protocol: "plain",
  server_name: null,
  path: "/dns-query",
  domains: [],
  post_quantum: false,
  priority: 100,
};

function normalize(forwarder: DnsForwarder): DnsForwarder {
  const { protocol, server_name, post_quantum, domains } = forwarder;
  const address = parseAddress(forwarder.address);
  if (!address) return refuseField("address", "must be an IP address: a name would have to be resolved first");
  if (protocol === "plain" && server_name !== null)
    refuseField("server_name", "is for dot and doh; a plain resolver shows no certificate");
  if (protocol === "plain" && post_quantum)
    refuseField("post_quantum", "is for dot and doh; plain queries are not encrypted");
  return {
    ...forwarder,
    address: formatAddress(address),
    server_name: server_name === null ? null : domainIn("server_name", server_name),
    domains: [...new Set(domains.map((domain, index) => domainBelow(`domains.${index}`, domain)))],
  };
}

export type Rotation = ReturnType<typeof rotationService>;

export function rotationService({ ledger }: { ledger: Ledger }) {
  const id = "rotation";
  const collection = ledger.staged<DnsRotation & { readonly id: string }>("dns_rotation");
  const get = (): DnsRotation => ({ mode: collection.get(id)?.mode ?? defaultRotation });
  return {
    get,
    put: (cause: Cause, { mode }: DnsRotation): DnsRotation => {
      ledger.change(cause, (draft) => draft.put("dns_rotation", { id, mode } as { readonly id: string }));
      return get();
    },
  };
}
