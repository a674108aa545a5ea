import type { ResultOf } from "@portcullis/contract/endpoint";
import type { policyViews } from "@portcullis/contract/subsystems/routing";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import type { RibbonHop } from "../../components/ribbon.tsx";

export type Evaluation = ResultOf<typeof policyViews.evaluate>;
type HopsUp = Readonly<Record<string, boolean>>;

/** The simulation in the URL: none, all hops up, all hops down, or one hop down. */
export const allUp = "all up";
export const allDown = "all down";

/** Every hop in use, those of the device's own path first. */
export function hopTargets(egress: readonly Pick<TunnelEgress, "policy_id" | "hops">[], own: string | null): string[] {
  const mine = egress.filter(({ policy_id }) => policy_id === own);
  const all = [...mine, ...egress].flatMap(({ hops }) => hops.map(({ target }) => target));
  return [...new Set(all)];
}

/** An option per hop: the value is the policy's target, the label is the name. */
export const downChoices = (
  targets: readonly string[],
  nameOf: (target: string) => string,
  label: (name: string) => string,
): { readonly value: string; readonly label: string }[] =>
  targets.map((target) => ({ value: target, label: label(nameOf(target)) }));

/** The evaluator's assumptions; hops outside the selection have none. */
export function hopsUp(simulated: string, targets: readonly string[]): HopsUp | undefined {
  if (simulated === "") return undefined;
  if (simulated === allUp || simulated === allDown)
    return Object.fromEntries(targets.map((target) => [target, simulated === allUp]));
  return { [simulated]: false };
}

/** The hops in their simulated state. */
export const withSimulation = (
  hops: readonly RibbonHop[],
  targets: readonly string[],
  simulated: HopsUp | undefined,
): RibbonHop[] =>
  hops.map((hop, index) => {
    const isUp = simulated?.[targets[index] ?? ""];
    if (isUp === undefined) return hop;
    const { note: _, ...rest } = hop;
    return { ...rest, state: isUp ? "up" : "down" };
  });

/** The first address of each family. A policy may protect only one of them. */
export function sourcesOf(ips: readonly string[]): { readonly family: 4 | 6; readonly source: string }[] {
  const four = ips.find((ip) => !ip.includes(":"));
  const six = ips.find((ip) => ip.includes(":"));
  return [
    ...(four ? [{ family: 4 as const, source: four }] : []),
    ...(six ? [{ family: 6 as const, source: six }] : []),
  ];
}

/** Whether the families have the same outcome, so that one drawing is enough. */
export const haveSameOutcome = (
  all: readonly Pick<Evaluation, "outcome" | "policy_id" | "exception_id" | "interfaces">[],
) =>
  all.every(
    (it) =>
      it.outcome === all[0]!.outcome &&
      it.policy_id === all[0]!.policy_id &&
      it.exception_id === all[0]!.exception_id &&
      it.interfaces.join() === all[0]!.interfaces.join(),
  );
