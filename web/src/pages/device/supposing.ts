import type { ResultOf } from "@portcullis/contract/endpoint";
import type { policyViews } from "@portcullis/contract/subsystems/routing";
import type { TunnelEgress } from "@portcullis/contract/subsystems/tunnels";
import type { RibbonHop } from "../../components/ribbon.tsx";

export type Evaluation = ResultOf<typeof policyViews.evaluate>;
type HopsUp = Readonly<Record<string, boolean>>;

/** What is supposed, as the address has it: nothing, that all hops are up or down, or that one is down. */
export const everythingUp = "all up";
export const everythingDown = "all down";

/** Every hop that is in use, those of the device's own path first. */
export function hopTargets(egress: readonly Pick<TunnelEgress, "policy_id" | "hops">[], own: string | null): string[] {
  const mine = egress.filter(({ policy_id }) => policy_id === own);
  const all = [...mine, ...egress].flatMap(({ hops }) => hops.map(({ target }) => target));
  return [...new Set(all)];
}

/** A choice for each hop: what is chosen is what the policy has, what is shown is the name. */
export const downChoices = (
  targets: readonly string[],
  nameOf: (target: string) => string,
  label: (name: string) => string,
): { readonly value: string; readonly label: string }[] =>
  targets.map((target) => ({ value: target, label: label(nameOf(target)) }));

/** The question's assumptions; nothing is assumed of what nobody spoke of. */
export function hopsUp(supposed: string, targets: readonly string[]): HopsUp | undefined {
  if (supposed === "") return undefined;
  if (supposed === everythingUp || supposed === everythingDown)
    return Object.fromEntries(targets.map((target) => [target, supposed === everythingUp]));
  return { [supposed]: false };
}

/** The hops as they would be then. */
export const asSupposed = (
  hops: readonly RibbonHop[],
  targets: readonly string[],
  supposed: HopsUp | undefined,
): RibbonHop[] =>
  hops.map((hop, place) => {
    const isUp = supposed?.[targets[place] ?? ""];
    if (isUp === undefined) return hop;
    const { note: _, ...rest } = hop;
    return { ...rest, state: isUp ? "up" : "down" };
  });

/** Addresses to ask for: the first of each family. What protects one of them need not protect the other. */
export function sourcesOf(ips: readonly string[]): { readonly family: 4 | 6; readonly source: string }[] {
  const four = ips.find((ip) => !ip.includes(":"));
  const six = ips.find((ip) => ip.includes(":"));
  return [
    ...(four ? [{ family: 4 as const, source: four }] : []),
    ...(six ? [{ family: 6 as const, source: six }] : []),
  ];
}

/** Whether two families fare the same, so that one drawing tells both. */
export const fareAlike = (all: readonly Pick<Evaluation, "outcome" | "policy_id" | "exception_id" | "interfaces">[]) =>
  all.every(
    (it) =>
      it.outcome === all[0]!.outcome &&
      it.policy_id === all[0]!.policy_id &&
      it.exception_id === all[0]!.exception_id &&
      it.interfaces.join() === all[0]!.interfaces.join(),
  );
