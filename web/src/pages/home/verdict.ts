import type { Postures } from "@portcullis/contract/subsystems/routing";
import type { Status } from "@portcullis/contract/subsystems/status";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import type { StateName } from "../../kit/state.tsx";
import { fallenPolicies } from "../../parts/privacy/verdicts.ts";

export interface Known {
  readonly status: Pick<Status, "dataplane_enabled" | "ready">;
  readonly postures: Pick<Postures, "protected" | "shut" | "exposed" | "unknown_device">;
  readonly egress: readonly Egress[];
  /** Devices that the last leak check found leaking. */
  readonly foundLeaking: number;
}
type Egress = Pick<TunnelEgress, "policy" | "outcome" | "hops" | "reason">;

/** In the clear although it names hops: they are down, and it lets go. */
const hasFallen = ({ outcome, hops }: Pick<Egress, "outcome" | "hops">): boolean =>
  outcome === "direct" && hops.length > 0;

export type Counts = Readonly<Record<"protected" | "shut" | "direct" | "leaking", number>>;

/** How many stand how. Those leak whose policy has fallen, and those of whom the last leak check says so. */
export function countsOf(
  devices: Postures["devices"],
  egress: readonly Pick<TunnelEgress, "policy_id" | "outcome" | "hops">[],
  found: readonly { readonly device_id: string }[],
): Counts {
  const fallen = fallenPolicies(egress);
  const leaky = new Set(found.map(({ device_id }) => device_id));
  const counts = { protected: 0, shut: 0, direct: 0, leaking: 0 };
  for (const { device_id, posture, policy_id } of devices) {
    const leaks = posture === "exposed" && policy_id !== null && fallen.has(policy_id);
    counts[leaks || leaky.has(device_id) ? "leaking" : posture === "exposed" ? "direct" : posture] += 1;
  }
  return counts;
}

/** The one sentence of the home page, as data: what to say, and of whom. */
export type Verdict =
  | { readonly kind: "not enforced" | "catching up" | "nothing yet" | "protected" }
  /** In the clear although a policy names hops. */
  | { readonly kind: "leaking"; readonly policies: readonly string[]; readonly reason: string }
  /** A way around was found, whatever the policies say. */
  | { readonly kind: "found leaking"; readonly leaking: number }
  | { readonly kind: "some direct"; readonly exposed: number; readonly all: number }
  /** Everybody known is looked after, but whoever comes next would not be. */
  | { readonly kind: "strangers direct" };

/** The worst thing that is true decides. Only what is known to be so may be called protected. */
export function verdictOf({ status, postures, egress, foundLeaking }: Known): Verdict {
  const fallen = egress.filter(hasFallen);
  const all = postures.protected + postures.shut + postures.exposed;
  if (!status.dataplane_enabled) return { kind: "not enforced" };
  if (fallen.length > 0)
    return { kind: "leaking", policies: fallen.map(({ policy }) => policy), reason: fallen[0]!.reason };
  if (foundLeaking > 0) return { kind: "found leaking", leaking: foundLeaking };
  if (!status.ready) return { kind: "catching up" };
  if (postures.protected === 0 && postures.shut === 0 && egress.length === 0) return { kind: "nothing yet" };
  if (postures.exposed > 0) return { kind: "some direct", exposed: postures.exposed, all };
  return { kind: postures.unknown_device === "exposed" ? "strangers direct" : "protected" };
}

const states: Readonly<Record<Verdict["kind"], StateName>> = {
  "not enforced": "unknown",
  "catching up": "unknown",
  "nothing yet": "direct",
  "some direct": "direct",
  "strangers direct": "direct",
  leaking: "leaking",
  "found leaking": "leaking",
  protected: "protected",
};
export const stateOfVerdict = ({ kind }: Verdict): StateName => states[kind];
