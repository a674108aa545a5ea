import { explained } from "@portcullis/contract/reason";
import type { Link } from "../../compiler/input/facts.ts";
import { isUsable } from "../../health/link-state.machine.ts";
import type { Health } from "../../health/health.ts";
import type { Uplinks } from "../../health/uplinks.ts";
import { uplinkKey } from "./probe-targets.ts";
import { unprobed, type UplinkStatusSource } from "../../subsystems/uplinks/uplinks.status.ts";

interface Needs {
  readonly uplinks: Uplinks;
  readonly health: Health;
  readonly links: () => readonly Link[];
}

/** The state of uplinks, in the types of the API. */
export const uplinkStatus = ({ uplinks, health, links }: Needs): UplinkStatusSource => ({
  decisions: (settings) => {
    const report = uplinks.report();
    const known = new Set(report.uplinks.map(({ name }) => name));
    // Disabled uplinks are no candidates, but are shown.
    const others = unprobed.decisions(settings).uplinks.filter(({ name }) => !known.has(name));
    return {
      ...report,
      // The configured mode, not that of the last decision, which a failing engine may delay.
      mode: settings.wan_failover_mode,
      uplinks: [...report.uplinks, ...others],
      switches: report.switches.toReversed(),
      timing: { ...report.timing },
    };
  },
  health: (settings) =>
    unprobed.health(settings).map((it) => {
      const condition = health.condition(uplinkKey(it.interface));
      const link = links().find(({ name }) => name === it.interface);
      return {
        ...it,
        gateway_v4: link?.gateways?.v4 ?? null,
        gateway_v6: link?.gateways?.v6 ?? null,
        ...(condition && {
          reachable: isUsable(condition),
          status: condition.status,
          rtt_ms: condition.rttMs ?? null,
          loss: condition.loss,
          ...explained(condition.reason),
          checked_at: condition.probedAtMs === undefined ? null : new Date(condition.probedAtMs).toISOString(),
        }),
      };
    }),
});
