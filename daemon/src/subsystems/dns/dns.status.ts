import { because, explained, explainedAll, type Reason } from "@portcullis/contract/reason";
import type { DnsCacheEntry, DnsCondition, DnsOutcome } from "@portcullis/contract/subsystems/dns";
import type { DnsListCondition } from "@portcullis/contract/subsystems/dns-lists";
import type { ExternalFilterCondition } from "@portcullis/contract/subsystems/dns-settings";

/** Status and operations of the DNS plane. */
export interface DnsStatusSource {
  readonly status: () => Promise<DnsCondition>;
  readonly cache: (wanted: {
    readonly limit: number;
    /** A name, `*.` and a name for the name and its subdomains, or null for all. */
    readonly pattern: string | null;
  }) => Promise<readonly DnsCacheEntry[]>;
  /** Returns the number of removed entries. */
  readonly flush: (pattern: string | null) => Promise<number>;
  /** The status of the lists, by id. */
  readonly lists: () => ReadonlyMap<string, DnsListCondition>;
  /** Why no list is read; null: lists are read. */
  readonly listsOff: Reason | null;
  /** Refreshes a list; resolves when that has succeeded or failed. */
  readonly refreshList: (id: string) => Promise<void>;
  readonly test: (query: {
    readonly name: string;
    /** In capitals. */
    readonly type: string;
    /** null: an unknown device. */
    readonly address: string | null;
  }) => Promise<DnsOutcome>;
  /** The current address of a device, if one is observed or configured. */
  readonly seenAt: (deviceId: string) => string | undefined;
  readonly external: () => Promise<ExternalFilterCondition>;
}

/** Used while no resolver runs. */
export const inactiveDns = (code: "dns_disabled" | "dataplane_off"): DnsStatusSource => ({
  status: async () => ({
    status: "off",
    ...explained(because(code)),
    dates_ignored: false,
    egresses: [],
    lists: { names: 0, built_at: null, bytes: 0 },
    filtering_paused: false,
    log: { rows: 0, dropped: 0 },
  }),
  cache: async () => [],
  flush: async () => 0,
  lists: () => new Map(),
  listsOff: because("lists_off", { why: because(code) }),
  refreshList: async () => {},
  test: async () => ({
    verdict: "none",
    by: null,
    answers: [],
    egress: { name: "none", number: 0, status: "down" },
    policy_id: null,
    zone_id: null,
    forwarder_ids: [],
    log: "none",
    ...explainedAll("trace", [because("trace_no_resolver", { why: because(code) })]),
  }),
  seenAt: () => undefined,
  external: async () => ({ dns_status: "down", dns_rtt_ms: null, ...explained(because(code)) }),
});
