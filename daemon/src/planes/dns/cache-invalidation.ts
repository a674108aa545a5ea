import type { Frontend } from "../../engines/dnsdist/dnsdist.model.ts";
import type { Validator } from "../../engines/unbound/unbound.model.ts";

/** Answers that would be others now: of these domains and all below them, or all there are. */
export type StaleDomains = "all" | readonly string[];

interface Programs {
  readonly zones: readonly { readonly name: string }[];
  readonly frontends: readonly Pick<Frontend, "isResolving" | "isRebindingProtected" | "rebindable" | "conditional">[];
  readonly validators: readonly Pick<Validator, "isValidating" | "anchors">[];
}

/** Domains that are answered by others now, or may lead elsewhere. Who believes or doubts more than before forgets everything. */
export function staleDomains(before: Programs, now: Programs): StaleDomains {
  const [old, fresh] = [before, now].map(answering);
  if (old!.beliefs !== fresh!.beliefs) return "all";
  const names = new Set([...old!.domains.keys(), ...fresh!.domains.keys()]);
  return [...names].filter((name) => old!.domains.get(name) !== fresh!.domains.get(name));
}

function answering({ zones, frontends, validators }: Programs) {
  const [front] = frontends.filter(({ isResolving }) => isResolving);
  const [validator] = validators;
  return {
    beliefs: JSON.stringify([front?.isRebindingProtected, validator?.isValidating, validator?.anchors]),
    domains: new Map([
      ...(front?.rebindable.map((name) => [name, "may lead into the house"] as const) ?? []),
      ...zones.map((zone) => [zone.name, JSON.stringify(zone)] as const),
      ...(front?.conditional.map((it) => [it.domain, JSON.stringify(it)] as const) ?? []),
    ]),
  };
}
