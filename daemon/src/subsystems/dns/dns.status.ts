import type { DnsCacheEntry, DnsCondition, DnsOutcome } from "@portcullis/contract/subsystems/dns";
import type { DnsListCondition } from "@portcullis/contract/subsystems/dns-lists";
import type { ExternalFilterCondition } from "@portcullis/contract/subsystems/dns-settings";

/** What is known of those who answer questions, and what can be asked of them. */
export interface DnsStatusSource {
  readonly status: () => Promise<DnsCondition>;
  readonly cache: (wanted: {
    readonly limit: number;
    /** A name, `*.` and a name for it and all below, or null for everything. */
    readonly pattern: string | null;
  }) => Promise<readonly DnsCacheEntry[]>;
  /** How many answers were forgotten. */
  readonly flush: (pattern: string | null) => Promise<number>;
  /** How each list is, by its id. */
  readonly lists: () => ReadonlyMap<string, DnsListCondition>;
  /** Why lists are not read at all; empty where they are. */
  readonly listsOff: string;
  /** Reads a list anew; resolves when that is done, however it ended. */
  readonly refreshList: (id: string) => Promise<void>;
  readonly test: (question: {
    readonly name: string;
    /** In capitals. */
    readonly type: string;
    /** null: somebody nobody knows. */
    readonly address: string | null;
  }) => Promise<DnsOutcome>;
  /** An address that a device has now, if anybody has seen or said one. */
  readonly seenAt: (deviceId: string) => string | undefined;
  readonly external: () => Promise<ExternalFilterCondition>;
}

/** Where no resolver runs, and why. */
export const inactiveDns = (reason: string): DnsStatusSource => ({
  status: async () => ({
    status: "off",
    reason,
    dates_ignored: false,
    egresses: [],
    lists: { names: 0, built_at: null, bytes: 0 },
    log: { rows: 0, dropped: 0 },
  }),
  cache: async () => [],
  flush: async () => 0,
  lists: () => new Map(),
  listsOff: `Lists are not read: ${reason}`,
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
    trace: [`Nobody answers: ${reason}.`],
  }),
  seenAt: () => undefined,
  external: async () => ({ dns_status: "down", dns_rtt_ms: null, reason }),
});
