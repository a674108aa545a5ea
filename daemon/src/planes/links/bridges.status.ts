import { because, explained } from "@portcullis/contract/reason";
import type { BridgeState } from "../../engines/bridge/bridge.diff.ts";
import {
  type BridgeStatusSource,
  type BridgeStatus,
  check,
  type StagedBridge,
} from "../../subsystems/bridges/bridges.status.ts";
import type { System } from "../../system/system.ts";

interface Needs {
  readonly system: System;
  readonly seen: () => readonly BridgeState[];
  readonly refresh: () => Promise<void>;
}

/** The state of bridges, in the types of the API. */
export function bridgeReports({ system, seen, refresh }: Needs): BridgeStatusSource {
  const sight = (name: string): BridgeStatus | undefined => {
    const state = seen().find((it) => it.interface === name);
    return state?.exists ? sightOf(state) : undefined;
  };
  return {
    seen: sight,
    probe: async (bridge, target) => {
      await refresh();
      const found = sight(bridge.interface);
      const checks = [
        check("exists", found !== undefined, because(found ? "bridge_exists" : "bridge_missing")),
        ...(found ? checksOf(found, bridge) : []),
        ...(target === undefined ? [] : [await answers(system, bridge.interface, target)]),
      ];
      return { healthy: checks.every(({ passed }) => passed), checks };
    },
  };
}

const portStates = ["forwarding", "learning", "listening", "blocking", "disabled"] as const;

function sightOf({ up, carrier: isOn, members, problems }: BridgeState): BridgeStatus {
  // The kernel reports a carrier for a bridge without ports.
  const carrier = isOn && members.length > 0;
  const ports = members.map(({ name, state }) => ({
    interface: name,
    present: true,
    state: portStates.find((it) => it === state) ?? ("unknown" as const),
  }));
  const silent = ports.filter(({ state }) => state !== "forwarding").map((it) => it.interface);
  const trouble = [
    ...problems,
    ...(up ? [] : [because("bridge_down")]),
    ...(carrier ? [] : [because(members.length === 0 ? "bridge_without_port" : "bridge_without_link")]),
    ...(silent.length === 0 ? [] : [because("bridge_ports_blocked", { ports: silent })]),
  ];
  return {
    status: problems.length > 0 ? "failed" : up ? "up" : "down",
    carrier,
    members: ports,
    healthy: trouble.length === 0,
    ...explained(trouble.length === 0 ? because("bridge_works") : because("bridge_troubles", { troubles: trouble })),
  };
}

function checksOf({ status, carrier, members, coded_reason: why }: BridgeStatus, { members: wanted }: StagedBridge) {
  const ports = wanted.map((name) => ({ name, port: members.find((it) => it.interface === name) }));
  return [
    check("up", status === "up", status === "up" ? because("bridge_up") : why),
    check("carrier", carrier, because(carrier ? "bridge_linked" : "bridge_without_link")),
    ...ports.map(({ name, port }) =>
      check(
        `port ${name}`,
        port?.state === "forwarding",
        port ? because("port_state", { state: port.state }) : because("port_missing"),
      ),
    ),
  ];
}

/** Neighbours must answer ARP, even if they ignore other packets. */
async function answers(system: System, device: string, target: string) {
  const passed = await system.run("ping", ["-n", "-c", "3", "-i", "0.2", "-W", "1", "-I", device, target]).then(
    () => true,
    () => false,
  );
  return check(`answer of ${target}`, passed, because(passed ? "target_answers" : "target_silent"));
}
