import { useQuery } from "@tanstack/react-query";
import { allRows } from "../api/queries.ts";

interface Sourced {
  readonly id: string;
  readonly source_type: string;
  readonly source_value: string;
}
/** An entry that refers to a device, and its address. */
export interface Mention {
  readonly id: string;
  readonly kind: "policy" | "block" | "allow" | "rule" | "rewrite" | "list";
  readonly name: string;
  readonly to: string;
}

/** Entries with this device as their source. Fetched only while `enabled`. */
export function useMentions(device: { readonly id: string; readonly name: string }, enabled = true) {
  const about = { enabled: enabled };
  const policies = useQuery({ ...allRows("routing", "list", { source_type: "device" }), ...about });
  const blocks = useQuery({ ...allRows("dnsBlocklist", "list", { source_type: "device" }), ...about });
  const allows = useQuery({ ...allRows("dnsAllowlist", "list", { source_type: "device" }), ...about });
  const rules = useQuery({ ...allRows("dnsFilterRules", "list", { source_type: "device" }), ...about });
  const rewrites = useQuery({ ...allRows("dnsRewrites", "list", { source_type: "device" }), ...about });
  const lists = useQuery({ ...allRows("dnsPresets", "list", { source_type: "device" }), ...about });
  const all = [policies, blocks, allows, rules, rewrites, lists];
  const mine = <T extends Sourced>(rows: readonly T[] = []): T[] => rows.filter((it) => refersTo(it, device));
  const mentions: Mention[] = [
    ...mine(policies.data).map(({ id, name }) => mention("policy", id, name, `/routing?open=${id}`)),
    ...mine(blocks.data).map(({ id, domain }) => mention("block", id, domain, "/dns?tab=lists")),
    ...mine(allows.data).map(({ id, domain }) => mention("allow", id, domain, "/dns?tab=lists")),
    ...mine(rules.data).map(({ id, name }) => mention("rule", id, name, "/dns?tab=lists")),
    ...mine(rewrites.data).map(({ id, domain }) => mention("rewrite", id, domain, "/dns?tab=lists")),
    ...mine(lists.data).map(({ id, name }) => mention("list", id, name, "/dns?tab=lists")),
  ];
  return {
    mentions,
    isReady: all.every(({ isPending }) => !isPending),
    problem: all.find(({ error, data }) => error && !data)?.error ?? null,
  };
}

const mention = (kind: Mention["kind"], id: string, name: string, to: string): Mention => ({ kind, id, name, to });

const refersTo = ({ source_type, source_value }: Sourced, { id, name }: { id: string; name: string }): boolean =>
  source_type === "device" && (source_value === id || source_value === name);
