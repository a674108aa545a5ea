import type { DnsLogEntry } from "@portcullis/contract/subsystems/dns-log";
import type { DnsStatus } from "@portcullis/contract/subsystems/dns";
import { State, type StateName } from "../../ui/state.tsx";
import { useTranslation } from "../../i18n/i18n.tsx";

type Verdict = DnsLogEntry["verdict"];

const verdictStates: Readonly<Record<Verdict, StateName>> = {
  none: "unknown",
  allow: "protected",
  block: "blocked",
  cname: "blocked",
  rebind: "blocked",
  rewrite: "direct",
};

export function VerdictState({ verdict }: { readonly verdict: Verdict }) {
  const { verdicts } = useTranslation().dns;
  return <State state={verdictStates[verdict]} text={verdicts[verdict]} />;
}

/** A failed resolver answers no queries: that is blocked, not a leak. */
const planeStates: Readonly<Record<DnsStatus["status"], StateName>> = {
  running: "protected",
  degraded: "direct",
  failed: "blocked",
  off: "unknown",
};

export function PlaneState({ status }: { readonly status: DnsStatus["status"] }) {
  const { planes } = useTranslation().dns;
  return <State state={planeStates[status]} text={planes[status]} />;
}
