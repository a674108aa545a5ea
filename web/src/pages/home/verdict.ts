import type { Postures } from "@portcullis/contract/subsystems/routing";
import type { Status } from "@portcullis/contract/subsystems/status";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import type { StateName } from "../../kit/state.tsx";

export interface Known {
  readonly status: Pick<Status, "dataplane_enabled" | "ready">;
  readonly postures: Pick<Postures, "protected" | "shut" | "exposed" | "unknown_device">;
  readonly egress: readonly Egress[];
}
type Egress = Pick<TunnelEgress, "policy" | "outcome" | "hops" | "reason">;

/** In the clear although it names hops: they are down, and it lets go. */
const hasFallen = ({ outcome, hops }: Pick<Egress, "outcome" | "hops">): boolean =>
  outcome === "direct" && hops.length > 0;

/** How many devices leave in the clear because of that. */
export function leakingOf(
  devices: Postures["devices"],
  egress: readonly Pick<TunnelEgress, "policy_id" | "outcome" | "hops">[],
): number {
  const fallen = new Set(egress.filter(hasFallen).map(({ policy_id }) => policy_id));
  return devices.filter(
    ({ posture, policy_id }) => posture === "exposed" && policy_id !== null && fallen.has(policy_id),
  ).length;
}

/** The one sentence of the home page, as data: what to say, and of whom. */
export type Verdict =
  | { readonly kind: "not enforced" | "catching up" | "nothing yet" | "protected" }
  /** In the clear although a policy names hops. */
  | { readonly kind: "leaking"; readonly policies: readonly string[]; readonly reason: string }
  | { readonly kind: "some direct"; readonly exposed: number; readonly all: number }
  /** Everybody known is looked after, but whoever comes next would not be. */
  | { readonly kind: "strangers direct" };

/** The worst thing that is true decides. Only what is known to be so may be called protected. */
export function verdictOf({ status, postures, egress }: Known): Verdict {
  const fallen = egress.filter(hasFallen);
  const all = postures.protected + postures.shut + postures.exposed;
  if (!status.dataplane_enabled) return { kind: "not enforced" };
  if (fallen.length > 0)
    return { kind: "leaking", policies: fallen.map(({ policy }) => policy), reason: fallen[0]!.reason };
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
  protected: "protected",
};
export const stateOfVerdict = ({ kind }: Verdict): StateName => states[kind];
