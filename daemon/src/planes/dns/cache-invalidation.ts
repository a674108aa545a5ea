import type { Frontend } from "../../engines/dnsdist/dnsdist.model.ts";
import type { Validator } from "../../engines/unbound/unbound.model.ts";

/** Domains, with their subdomains, whose cached answers are stale. */
export type StaleDomains = "all" | readonly string[];

interface Programs {
  readonly zones: readonly { readonly name: string }[];
  readonly frontends: readonly Pick<Frontend, "isResolving" | "isRebindingProtected" | "rebindable" | "conditional">[];
  readonly validators: readonly Pick<Validator, "isValidating" | "anchors">[];
}

/** Domains whose servers or zone have changed. A change of validation or of rebinding protection makes everything stale. */
export function staleDomains(before: Programs, now: Programs): StaleDomains {
  const [old, fresh] = [before, now].map(answering);
  if (old!.checks !== fresh!.checks) return "all";
  const names = new Set([...old!.domains.keys(), ...fresh!.domains.keys()]);
  return [...names].filter((name) => old!.domains.get(name) !== fresh!.domains.get(name));
}

function answering({ zones, frontends, validators }: Programs) {
  const [front] = frontends.filter(({ isResolving }) => isResolving);
  const [validator] = validators;
  return {
    checks: JSON.stringify([front?.isRebindingProtected, validator?.isValidating, validator?.anchors]),
    domains: new Map([
      ...(front?.rebindable.map((name) => [name, "private addresses allowed"] as const) ?? []),
      ...zones.map((zone) => [zone.name, JSON.stringify(zone)] as const),
      ...(front?.conditional.map((it) => [it.domain, JSON.stringify(it)] as const) ?? []),
    ]),
  };
}
