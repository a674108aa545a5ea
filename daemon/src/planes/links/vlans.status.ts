import { because, explained } from "@portcullis/contract/reason";
import type { VlanState } from "../../engines/vlan/vlan.diff.ts";
import type { VlanStatus, VlanStatusSource } from "../../subsystems/vlans/vlans.status.ts";
import type { LinksPlane } from "./links.plane.ts";

/** The state of VLANs, in the types of the API. */
export function vlanReports({ engines, latest }: Pick<LinksPlane, "engines" | "latest">): VlanStatusSource {
  let states: readonly VlanState[] = [];
  return {
    seen: (name) => {
      const state = states.find((it) => it.interface === name);
      return state && statusOf(state);
    },
    refresh: async () => {
      const wanted = latest()?.links.vlan ?? [];
      // Without VLANs no program runs. If ip fails, the previous values are reported.
      states = wanted.length === 0 ? [] : await engines.vlan.states(wanted).catch(() => states);
    },
  };
}

function statusOf({ exists, up, hasLink, problems }: VlanState): VlanStatus {
  const [problem] = problems;
  if (problem) return { status: "failed", ...explained(problem) };
  if (!exists) return { status: "down", ...explained(because("vlan_absent")) };
  if (!up) return { status: "down", ...explained(because("vlan_down")) };
  return hasLink
    ? { status: "up", ...explained(because("vlan_works")) }
    : { status: "down", ...explained(because("vlan_without_link")) };
}
