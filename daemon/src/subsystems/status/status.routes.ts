import type { HandlersOf } from "@portcullis/contract/handler";
import type { Component, Overall, Platform, Status, status as endpoints } from "@portcullis/contract/subsystems/status";

interface Needs {
  readonly status: () => Omit<Status, "health">;
  /** Each must be cheap, because /health needs no credential. */
  readonly components: readonly (() => Component | Promise<Component>)[];
  readonly platform: () => Promise<Platform>;
  readonly now: () => Date;
}

export function statusRoutes({ status, components, platform, now }: Needs): HandlersOf<typeof endpoints> {
  const read = () => Promise.all(components.map(async (component) => component()));
  return {
    health: async () => ({ status: worst(await read()) }),
    status: async () => ({ ...status(), health: worst(await read()) }),
    observer: async () => {
      const states = await read();
      return { status: worst(states), checked_at: now().toISOString(), components: states };
    },
    platform: () => platform(),
  };
}

/** The worst status of all components; a disabled component does not count. */
export function worst(components: readonly Component[]): Overall {
  const order = ["failed", "degraded"] as const;
  return order.find((state) => components.some((it) => it.status === state)) ?? "ok";
}
