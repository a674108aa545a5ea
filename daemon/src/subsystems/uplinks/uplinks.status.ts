import type { UplinkDecisions, UplinkHealth, WanUplinks } from "@portcullis/contract/subsystems/uplinks";

/** What those who probe the uplinks have to say. */
export interface UplinkStatusSource {
  readonly decisions: (settings: WanUplinks) => UplinkDecisions;
  readonly health: (settings: WanUplinks) => UplinkHealth[];
}

/** Where no engine runs nothing is probed, and no uplink carries anything on the gateway's behalf. */
export const unprobed: UplinkStatusSource = {
  decisions: ({ wan_failover_mode, uplinks }) => ({
    mode: wan_failover_mode,
    active: null,
    since: null,
    decision: "Nothing is decided: no uplink is probed",
    uplinks: uplinks.map(({ name, interface: link, enabled }) => ({
      name,
      interface: link,
      role: enabled ? "standby" : "unusable",
      status: enabled ? "unknown" : "down",
      reason: whyDown(enabled),
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
      reason: whyDown(enabled),
      checked_at: null,
    })),
};

const whyDown = (enabled: boolean): string => (enabled ? "It is not probed" : "It is switched off");
