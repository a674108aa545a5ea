import { because } from "@portcullis/contract/reason";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import type { Channels } from "./channels.service.ts";
import type { Delivery } from "./delivery.ts";

interface Needs {
  readonly channels: Pick<Channels, "list">;
  readonly delivery: Pick<Delivery, "stateOf">;
  readonly nowMs: () => number;
}

/** Whether alerts reach their receivers. It is never ok over a channel whose last message was not accepted. */
export const channelsComponent =
  ({ channels, delivery, nowMs }: Needs) =>
  (): Component => {
    const states = channels
      .list()
      .filter(({ enabled }) => enabled)
      .map(delivery.stateOf);
    const named = (count: number) => ({ channels: count });
    if (states.length === 0) return component("alerts", "off", because("alert_channels_none"));

    const isRecent = (ms: number | null) => ms !== null && nowMs() - ms < recentMs;
    const refused = states.filter(
      ({ last, givenUp, droppedMs }) =>
        last === "refused" || isRecent(droppedMs) || givenUp.some(({ finished }) => isRecent(finished!.ms)),
    ).length;
    if (refused > 0) return component("alerts", "degraded", because("alert_channels_refused", named(refused)));

    const failing = states.filter(
      ({ last, waiting }) => last === "failed" || waiting.some(({ failure }) => failure !== null),
    ).length;
    if (failing > 0) return component("alerts", "degraded", because("alert_channels_failing", named(failing)));

    const unused = states.filter(({ last }) => last === undefined).length;
    if (unused > 0) return component("alerts", "ok", because("alert_channels_unused", named(unused)));
    return component("alerts", "ok", because("alert_channels_working"));
  };

const recentMs = 86_400_000;
