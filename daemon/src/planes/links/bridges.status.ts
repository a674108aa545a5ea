import type { BridgeState } from "../../engines/bridge/bridge.diff.ts";
import type { BridgeStatusSource, BridgeStatus, StagedBridge } from "../../subsystems/bridges/bridges.status.ts";
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
        {
          name: "exists",
          passed: found !== undefined,
          message: found ? "The interface exists" : "The interface does not exist",
        },
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
    ...(up ? [] : ["It is down."]),
    ...(carrier ? [] : [members.length === 0 ? "It has no port." : "No port has a link."]),
    ...(silent.length === 0 ? [] : [`Not forwarding: ${silent.join(", ")}.`]),
  ];
  return {
    status: problems.length > 0 ? "failed" : up ? "up" : "down",
    carrier,
    members: ports,
    healthy: trouble.length === 0,
    reason: trouble.length === 0 ? "It is up and all of its ports forward" : trouble.join(" "),
  };
}

function checksOf({ status, carrier, members, reason }: BridgeStatus, { members: wanted }: StagedBridge) {
  const ports = wanted.map((name) => ({ name, port: members.find((it) => it.interface === name) }));
  return [
    { name: "up", passed: status === "up", message: status === "up" ? "It is up" : reason },
    { name: "carrier", passed: carrier, message: carrier ? "A port has a link" : "No port has a link" },
    ...ports.map(({ name, port }) => ({
      name: `port ${name}`,
      passed: port?.state === "forwarding",
      message: port ? `It is ${port.state}` : "It is no port of the bridge",
    })),
  ];
}

/** Neighbours must answer ARP, even if they ignore other packets. */
async function answers(system: System, device: string, target: string) {
  const passed = await system.run("ping", ["-n", "-c", "3", "-i", "0.2", "-W", "1", "-I", device, target]).then(
    () => true,
    () => false,
  );
  return { name: `answer of ${target}`, passed, message: passed ? "It answers" : "It does not answer" };
}
