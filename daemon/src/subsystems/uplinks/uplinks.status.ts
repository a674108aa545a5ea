import { because, explained, explainedAs } from "@portcullis/contract/reason";
import type { UplinkDecisions, UplinkHealth, WanUplinks } from "@portcullis/contract/subsystems/uplinks";

/** The source of the status of uplinks. */
export interface UplinkStatusSource {
  readonly decisions: (settings: WanUplinks) => UplinkDecisions;
  readonly health: (settings: WanUplinks) => UplinkHealth[];
}

/** Used while no engine runs. */
export const unprobed: UplinkStatusSource = {
  decisions: ({ wan_failover_mode, uplinks }) => ({
    mode: wan_failover_mode,
    active: null,
    since: null,
    ...explainedAs("decision", undecided),
    uplinks: uplinks.map(({ name, interface: link, enabled }) => ({
      name,
      interface: link,
      role: enabled ? "standby" : "unusable",
      status: enabled ? "unknown" : "down",
      ...whyDown(enabled),
      rtt_ms: null,
      loss: null,
      flaps: 0,
      pinned_until: null,
    })),
    switches: [],
    timing: {
      probe_interval_ms: 0,
      fail_after_ms: 0,
      hold_ms: 0,
      return_after_sec: 0,
      flap_limit: 0,
      flap_window_sec: 0,
      pin_sec: 0,
    },
  }),
  health: ({ uplinks }) =>
    uplinks.map(({ name, interface: link, enabled, probe_targets }) => ({
      name,
      interface: link,
      reachable: enabled ? null : false,
      status: enabled ? "unknown" : "down",
      targets: probe_targets,
      rtt_ms: null,
      loss: null,
      gateway_v4: null,
      gateway_v6: null,
      ...whyDown(enabled),
      checked_at: null,
    })),
};

const undecided = because("uplink_undecided");
const whyDown = (enabled: boolean) => explained(because(enabled ? "link_not_probed" : "link_disabled"));
