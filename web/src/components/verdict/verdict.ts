import type { PrivacyStatus } from "@portcullis/contract/subsystems/privacy";
import type { Status } from "@portcullis/contract/subsystems/status";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import type { StateName } from "../../ui/state.tsx";
import type { Filtering } from "../filtering.ts";
import { isFallback, isUsed, stateOf } from "../outcomes.ts";

export interface Known {
  /** Since when the gateway does not respond; undefined while it does. */
  readonly lostSince: Date | undefined;
  readonly status: Pick<Status, "dataplane_enabled" | "ready" | "not_enforced">;
  /** The last comparison of the kernel with the published configuration; undefined: not read. */
  readonly kernel: Kernel | undefined;
  readonly postures: Pick<PrivacyStatus, "protected" | "blocked" | "exposed" | "unknown_device">;
  readonly egress: readonly Egress[];
  /** Devices that the last leak check found leaking. */
  readonly foundLeaking: number;
  /** Result of the last leak check for all devices and the gateway itself; null: none has run. */
  readonly lastCheck: PrivacyStatus["last_verdict"];
  readonly filtering: Filtering;
}
interface Kernel {
  readonly running: boolean;
  readonly last_run: string | null;
  readonly engines: readonly { readonly name: string; readonly status: "ok" | "failed"; readonly message: string }[];
}
type Egress = Pick<TunnelEgress, "policy" | "outcome" | "hops" | "reason" | "shadowed_by">;

export type Counts = Readonly<Record<"protected" | "blocked" | "direct" | "leaking", number>>;

/** Devices by state. Devices that the last leak check found are leaking; a fallback that a policy allows is direct. */
export function countsOf(
  postures: Pick<PrivacyStatus, "protected" | "blocked" | "exposed">,
  found: readonly Pick<PrivacyStatus["devices"][number], "posture">[],
): Counts {
  const others = (posture: "protected" | "blocked" | "exposed") =>
    postures[posture] - found.filter((it) => it.posture === posture).length;
  return {
    protected: others("protected"),
    blocked: others("blocked"),
    direct: others("exposed"),
    leaking: found.length,
  };
}

type Unknown = PrivacyStatus["unknown_device"];

/** The verdict of the home page, as data. */
export type Verdict =
  | { readonly kind: "unreachable"; readonly since: Date }
  /** `reason` is empty if the dataplane is switched off. */
  | { readonly kind: "not enforced"; readonly reason: string }
  | { readonly kind: "catching up" | "nothing yet" | "gateway leaking" | "at risk" | "filtering off" }
  | { readonly kind: "found leaking"; readonly leaking: number }
  /** `reason` is empty if the kernel was never compared. */
  | { readonly kind: "not verified"; readonly reason: string }
  /** Nothing worse is known, but a part of what is known is old. */
  | { readonly kind: "not read" }
  | { readonly kind: "no device"; readonly unknown: Unknown }
  | { readonly kind: "no internet"; readonly all: number }
  /** Policies whose tunnel is down and that allow the direct connection then. */
  | { readonly kind: "fallback"; readonly policies: readonly string[] }
  | { readonly kind: "some direct"; readonly exposed: number; readonly all: number }
  /** Every known device is protected or blocked; an unknown one would use the direct connection. */
  | { readonly kind: "unknown direct" }
  /** `policies`: policies that send some destinations directly, by choice. */
  | {
      readonly kind: "protected";
      readonly devices: number;
      readonly blocked: number;
      readonly unknown: Unknown;
      readonly policies: readonly string[];
    };

/** While nothing is enforced, no device is protected or blocked, whatever its policy says. */
export const isEnforced = ({
  dataplane_enabled,
  not_enforced,
}: Pick<Status, "dataplane_enabled" | "not_enforced">): boolean => dataplane_enabled && not_enforced === null;

/** The worst condition decides. Only what is verified is called protected. */
export function verdictOf(known: Known): Verdict {
  const { lostSince, status, kernel, postures, egress, foundLeaking, lastCheck, filtering } = known;
  const { protected: behind, blocked, exposed, unknown_device: unknown } = postures;
  const all = behind + blocked + exposed;
  const used = egress.filter(isUsed);
  const fallback = used.filter(isFallback);
  if (lostSince) return { kind: "unreachable", since: lostSince };
  if (!status.dataplane_enabled) return { kind: "not enforced", reason: "" };
  if (status.not_enforced !== null) return { kind: "not enforced", reason: status.not_enforced };
  if (foundLeaking > 0) return { kind: "found leaking", leaking: foundLeaking };
  if (lastCheck === "leaking") return { kind: "gateway leaking" };
  if (!status.ready) return { kind: "catching up" };
  const unverified = whyUnverified(kernel);
  if (unverified !== undefined) return { kind: "not verified", reason: unverified };
  if (behind === 0 && blocked === 0 && egress.length === 0) return { kind: "nothing yet" };
  if (fallback.length > 0) return { kind: "fallback", policies: fallback.map(({ policy }) => policy) };
  if (all === 0) return { kind: "no device", unknown };
  if (behind === 0 && exposed === 0) return { kind: "no internet", all };
  if (exposed > 0) return { kind: "some direct", exposed, all };
  if (unknown === "exposed") return { kind: "unknown direct" };
  if (filtering === "off") return { kind: "filtering off" };
  if (lastCheck === "at-risk") return { kind: "at risk" };
  const direct = used.filter(({ outcome, hops }) => stateOf(outcome, hops) === "direct");
  return {
    kind: "protected",
    devices: behind,
    blocked: blocked,
    unknown,
    policies: direct.map(({ policy }) => policy),
  };
}

/** Why the kernel does not count as verified; undefined if it does. */
function whyUnverified(kernel: Kernel | undefined): string | undefined {
  if (!kernel?.running || kernel.last_run === null) return "";
  const failed = kernel.engines.find(({ status }) => status === "failed");
  return failed && `${failed.name}: ${failed.message}`;
}

const states: Readonly<Record<Verdict["kind"], StateName>> = {
  unreachable: "unknown",
  "not enforced": "unknown",
  "catching up": "unknown",
  "not verified": "unknown",
  "not read": "unknown",
  "nothing yet": "direct",
  "no device": "unknown",
  "no internet": "blocked",
  fallback: "direct",
  "some direct": "direct",
  "unknown direct": "direct",
  "filtering off": "direct",
  "at risk": "direct",
  "found leaking": "leaking",
  "gateway leaking": "leaking",
  protected: "protected",
};
export const stateOfVerdict = ({ kind }: Verdict): StateName => states[kind];

/** What counts while a part could not be read again: a fault that was found, but not that there is none. */
export function ofOldParts(verdict: Verdict): Verdict {
  const state = stateOfVerdict(verdict);
  return state === "protected" || state === "blocked" ? { kind: "not read" } : verdict;
}
