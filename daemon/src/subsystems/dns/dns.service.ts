import { formatAddress, parseAddress } from "../../net/addresses.ts";
import type { InputOf } from "@portcullis/contract/endpoint";
import type { dns, DnsCacheEntry, DnsStatus, DnsTest } from "@portcullis/contract/subsystems/dns";
import type { DnsOptions } from "@portcullis/contract/subsystems/dns-settings";
import type { DnsRotation } from "@portcullis/contract/subsystems/dns-upstreams";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Resource } from "../../ledger/collection.ts";
import { refuseField, resolve } from "../resources.ts";
import { domainIn, patternIn } from "./domains.ts";
import type { DnsStatusSource } from "./dns.status.ts";

interface Needs {
  readonly ledger: Ledger;
  readonly statusSource: Pick<DnsStatusSource, "status" | "cache" | "flush" | "test" | "seenAt">;
  /** Of the bootstrap file. */
  readonly listenAddr: string;
  readonly upstreamMode: string;
  readonly options: () => DnsOptions;
  readonly rotation: () => DnsRotation;
  /** Whether queries are forwarded to an external filter. */
  readonly isExternal: () => boolean;
}

interface Device extends Resource {
  readonly name: string;
  readonly ips: readonly string[];
}

export type Dns = ReturnType<typeof dnsService>;

/** Status, cache and evaluation of the DNS plane. */
export function dnsService({ ledger, statusSource, listenAddr, upstreamMode, options, rotation, isExternal }: Needs) {
  function clientAddressOf({ device_id, address }: InputOf<typeof dns.test>["body"]): string | null {
    if (device_id !== undefined && address !== undefined)
      refuseField("address", "and device_id are two clients; give one");
    if (address !== undefined) {
      const known = parseAddress(address);
      return known ? formatAddress(known) : refuseField("address", "is not a client address");
    }
    if (device_id === undefined) return null;
    const devices = ledger.staged<Device>("device");
    const { id, name, ips } = devices.get(resolve(devices, "device_id", device_id))!;
    return (
      statusSource.seenAt(id) ??
      ips[0] ??
      refuseField("device_id", `has no address: none is configured or observed for ${name}`)
    );
  }
  const named = (kind: string, id: string): string => {
    if (unnamed.has(kind)) return id;
    const { name, domain } = (ledger.staged(kind).get(id) ?? {}) as { name?: string; domain?: string };
    return name ?? domain ?? id;
  };
  return {
    status: async (): Promise<DnsStatus> => {
      const { dates_ignored, ...condition } = await statusSource.status();
      const { filtering_enabled, dnssec } = options();
      return {
        ...condition,
        listen_addr: listenAddr,
        backend: isExternal() ? "extfilter" : "integrated",
        filtering_enabled,
        upstream_mode: upstreamMode,
        rotation: rotation().mode,
        dnssec: { enabled: dnssec, dates_ignored },
      };
    },
    cache: async ({ limit = defaultLimit, pattern }: InputOf<typeof dns.cache>["query"]): Promise<DnsCacheEntry[]> => {
      const wanted = pattern === undefined ? null : patternIn(pattern, "query");
      return [...(await statusSource.cache({ limit, pattern: wanted }))];
    },
    flush: async (cause: Cause, body: InputOf<typeof dns.flush>["body"]): Promise<{ flushed: number }> => {
      const pattern = body?.pattern === undefined ? null : patternIn(body.pattern, "body");
      const flushed = await statusSource.flush(pattern);
      ledger.change(cause, (draft) => draft.about("cache", { pattern, flushed }));
      return { flushed };
    },
    test: async (body: InputOf<typeof dns.test>["body"]): Promise<DnsTest> => {
      const name = domainIn("name", body.name);
      const outcome = await statusSource.test({
        name,
        type: (body.type ?? "A").toUpperCase(),
        address: clientAddressOf(body),
      });
      const { by } = outcome;
      return { ...outcome, by: by && { ...by, name: named(by.resource_type, by.resource_id) } };
    },
  };
}

/** What decides about names and is no resource, so that it has no name. */
const unnamed: ReadonlySet<string> = new Set(["exception", "pause", "privacy_control"]);

const defaultLimit = 1000;
