import type { WanUplinks } from "@portcullis/contract/subsystems/uplinks";

/** An uplink in the editor. The order of the list is the order of preference. */
export interface UplinkDraft {
  /** Constant while the name is typed. */
  readonly key: number;
  readonly name: string;
  readonly interface: string;
  readonly enabled: boolean;
  /** As typed: addresses separated by commas or spaces. */
  readonly targets: string;
}
export interface Draft {
  readonly mode: WanUplinks["wan_failover_mode"];
  /** Key of the uplink that was selected manually; empty: the preferred one that is enabled. */
  readonly active: number | undefined;
  readonly uplinks: readonly UplinkDraft[];
}

export function draftOf({ wan_failover_mode, active, uplinks }: WanUplinks): Draft {
  const ordered = uplinks.toSorted((one, other) => one.priority - other.priority);
  const index = ordered.findIndex(({ name }) => name === active);
  return {
    mode: wan_failover_mode,
    active: index === -1 ? undefined : index,
    uplinks: ordered.map(({ name, interface: link, enabled, probe_targets }, key) => ({
      key,
      name,
      interface: link,
      enabled,
      targets: probe_targets.join(", "),
    })),
  };
}

export function withAnother(draft: Draft): Draft {
  const key = Math.max(-1, ...draft.uplinks.map((it) => it.key)) + 1;
  return { ...draft, uplinks: [...draft.uplinks, { key, name: "", interface: "", enabled: true, targets: "" }] };
}

export const without = (draft: Draft, key: number): Draft => ({
  ...draft,
  active: draft.active === key ? undefined : draft.active,
  uplinks: draft.uplinks.filter((it) => it.key !== key),
});

export const changed = (draft: Draft, key: number, change: Partial<UplinkDraft>): Draft => ({
  ...draft,
  active: draft.active === key && change.enabled === false ? undefined : draft.active,
  uplinks: draft.uplinks.map((it) => (it.key === key ? { ...it, ...change } : it)),
});

/** One position up (-1) or down (1); nothing moves at the ends. */
export function moved(draft: Draft, key: number, step: -1 | 1): Draft {
  const from = draft.uplinks.findIndex((it) => it.key === key);
  const neighbour = draft.uplinks[from + step];
  if (from === -1 || !neighbour) return draft;
  return { ...draft, uplinks: draft.uplinks.with(from, neighbour).with(from + step, draft.uplinks[from]!) };
}

const betweenTwo = 10;

/** The request body. Without targets the gateway uses its defaults. */
export const bodyOf = ({ mode, active, uplinks }: Draft) => ({
  wan_failover_mode: mode,
  active: uplinks.find(({ key }) => key === active)?.name ?? null,
  uplinks: uplinks.map(({ name, interface: link, enabled, targets }, index) => {
    const probe_targets = targets.split(/[\s,;]+/).filter((it) => it !== "");
    return {
      name: name.trim(),
      interface: link,
      enabled,
      priority: (index + 1) * betweenTwo,
      ...(probe_targets.length > 0 && { probe_targets }),
    };
  }),
});

/** The effect on current traffic. */
export type Outcome =
  | { readonly kind: "auto" }
  | { readonly kind: "stays"; readonly on: string }
  | { readonly kind: "moves"; readonly from: string | null; readonly to: string }
  | { readonly kind: "none" };

/** `current` is the uplink in use now, by its interface: the name may just have been changed. */
export function outcomeOf(
  { mode, active, uplinks }: Draft,
  current: { name: string; interface: string } | null,
): Outcome {
  const usable = uplinks.filter(({ enabled }) => enabled);
  const chosen = usable.find(({ key }) => key === active) ?? usable[0];
  if (!chosen) return { kind: "none" };
  if (mode === "auto") return { kind: "auto" };
  if (chosen.interface === current?.interface) return { kind: "stays", on: chosen.name };
  return { kind: "moves", from: current?.name ?? null, to: chosen.name };
}
