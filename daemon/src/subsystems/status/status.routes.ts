import type { HandlersOf } from "@portcullis/contract/handler";
import type { Component, Platform, Status, status as endpoints } from "@portcullis/contract/subsystems/status";

interface Needs {
  readonly status: () => Status;
  /** Every part of the house says how it is. */
  readonly components: readonly (() => Component)[];
  readonly platform: () => Promise<Platform>;
  readonly now: () => Date;
}

export const statusRoutes = ({ status, components, platform, now }: Needs): HandlersOf<typeof endpoints> => ({
  health: () => ({ status: "ok" }),
  status: () => status(),
  observer: () => {
    const states = components.map((component) => component());
    return { status: worst(states), checked_at: now().toISOString(), components: states };
  },
  platform: () => platform(),
});

/** The whole is as well as its sickest part; what is off on purpose does not count. */
export function worst(components: readonly Component[]): Component["status"] {
  const order = ["failed", "degraded"] as const;
  return order.find((state) => components.some((it) => it.status === state)) ?? "ok";
}
