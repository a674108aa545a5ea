import type { DnsService } from "@portcullis/contract/subsystems/dns-services";
import { services } from "./catalogue.ts";

/** The catalogue as the API shows it. */
export const offeredServices = (): DnsService[] =>
  services.map(({ safeSearch, domains, hosts = [], ...it }) => ({
    ...it,
    domains: [...domains],
    hosts: [...hosts],
    safe_search: safeSearch !== undefined,
  }));
