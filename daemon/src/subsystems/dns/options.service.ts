import type { InputOf } from "@portcullis/contract/endpoint";
import {
  type DnsOptions,
  type dnsOptions,
  type PublishedDnsOptions,
  defaultDnsOptions,
} from "@portcullis/contract/subsystems/dns-settings";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { given } from "../resources.ts";
import { domainBelow } from "./domains.ts";

interface Needs {
  readonly ledger: Ledger;
  /** What the bootstrap file says, until somebody says otherwise. */
  readonly filteringEnabled: boolean;
}

export const optionsId = "options";

export type Options = ReturnType<typeof optionService>;

/** How the resolver behaves towards everybody. What was never set has the value it has in the bootstrap file, or the usual one. */
export function optionService({ ledger, filteringEnabled }: Needs) {
  const collection = ledger.staged<PublishedDnsOptions>("dns_options");
  const stored = (): PublishedDnsOptions => collection.get(optionsId) ?? { id: optionsId };
  const get = (): DnsOptions => {
    const { id: _, ...options } = stored();
    const tunnel_resolvers = options.tunnel_resolvers === "ignore" ? "ignore" : "only"; // "prefer" before it was said truly.
    return { ...defaultDnsOptions, filtering_enabled: filteringEnabled, ...options, tunnel_resolvers };
  };
  return {
    get,
    put: (cause: Cause, body: InputOf<typeof dnsOptions.put>["body"]): DnsOptions => {
      const rebinding_allowed = body.rebinding_allowed?.map((domain, place) =>
        domainBelow(`rebinding_allowed.${place}`, domain),
      );
      const wanted = { ...stored(), ...given({ ...body, rebinding_allowed }) };
      ledger.change(cause, (draft) => draft.put("dns_options", wanted));
      return get();
    },
  };
}
