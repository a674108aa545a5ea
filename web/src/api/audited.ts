import { routes } from "virtual:routes";

/** Every action that can appear in the audit log, from the contract: `create_device` of `device`. */
export const audited: readonly { readonly action: string; readonly verb: string; readonly noun: string }[] = [
  ...new Map(
    Object.values(routes)
      .flatMap((endpoints) => Object.values(endpoints))
      .flatMap(({ audit }) =>
        audit ? [{ action: `${audit.verb}_${audit.noun}`, verb: audit.verb, noun: audit.noun }] : [],
      )
      .map((it) => [it.action, it]),
  ).values(),
].toSorted((one, other) => one.action.localeCompare(other.action));
