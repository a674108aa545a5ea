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
  /** The value of the bootstrap file, which applies unless the option is set. */
  readonly filteringEnabled: boolean;
}

export const optionsId = "options";

export type Options = ReturnType<typeof optionService>;

/** Options of the resolver. An option that was never set has the value of the bootstrap file, or its default. */
export function optionService({ ledger, filteringEnabled }: Needs) {
  const collection = ledger.staged<PublishedDnsOptions>("dns_options");
  const stored = (): PublishedDnsOptions => collection.get(optionsId) ?? { id: optionsId };
  const get = (): DnsOptions => {
    const { id: _, ...options } = stored();
    const tunnel_resolvers = options.tunnel_resolvers === "ignore" ? "ignore" : "only"; // Older ledgers may contain "prefer".
    return { ...defaultDnsOptions, filtering_enabled: filteringEnabled, ...options, tunnel_resolvers };
  };
  return {
    get,
    put: (cause: Cause, body: InputOf<typeof dnsOptions.put>["body"]): DnsOptions => {
      const rebinding_allowed = body.rebinding_allowed?.map((domain, index) =>
        domainBelow(`rebinding_allowed.${index}`, domain),
      );
      const wanted = { ...stored(), ...given({ ...body, rebinding_allowed }) };
      ledger.change(cause, (draft) => draft.put("dns_options", wanted));
      return get();
    },
  };
}
