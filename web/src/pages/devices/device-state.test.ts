import { describe, expect, it } from "vitest";
import { deviceStateOf, deviceStatesOf, policyPathsOf } from "./device-state.ts";

describe("device state", () => {
  const path = { hops: ["Amsterdam"] };

  it("is protected or blocked, with the hops of the deciding policy", () => {
    expect(deviceStateOf({ posture: "protected" }, path)).toEqual({ state: "protected", hops: ["Amsterdam"] });
    expect(deviceStateOf({ posture: "blocked" }, path)).toEqual({ state: "blocked", hops: ["Amsterdam"] });
  });
  it("is blocked without a path if no policy decides", () => {
    expect(deviceStateOf({ posture: "blocked" }, undefined)).toEqual({ state: "blocked", hops: [] });
  });
  it("is direct, not leaking, when its policy allows the direct connection while its hops are down", () => {
    expect(deviceStateOf({ posture: "exposed" }, path)).toEqual({ state: "direct", hops: [] });
  });
  it("is direct by choice", () => {
    expect(deviceStateOf({ posture: "exposed" }, undefined)).toEqual({ state: "direct", hops: [] });
    expect(deviceStateOf({ posture: "exposed" }, { hops: ["wan0"] })).toEqual({ state: "direct", hops: [] });
  });
  it("is leaking when the last leak check found a leak, for that device only", () => {
    const posture = (device_id: string) => ({ device_id, posture: "protected" as const, policy_id: "p" });
    const deviceStates = deviceStatesOf([posture("a"), posture("b")], new Map([["p", path]]), new Set(["b"]), true);
    expect([deviceStates.get("a"), deviceStates.get("b")]).toEqual([
      { state: "protected", hops: ["Amsterdam"] },
      { state: "leaking", hops: ["Amsterdam"] },
    ]);
  });
  it("is unknown while the policies are not enforced, or may not be; a leak that was found stays one", () => {
    const posture = (device_id: string, of: "protected" | "blocked" | "exposed") => ({
      device_id,
      posture: of,
      policy_id: "p",
    });
    const postures = [
      posture("a", "protected"),
      posture("b", "blocked"),
      posture("c", "exposed"),
      posture("d", "blocked"),
    ];
    const statesIf = (enforced: boolean | undefined) =>
      [...deviceStatesOf(postures, new Map([["p", path]]), new Set(["d"]), enforced).values()].map(
        ({ state }) => state,
      );
    expect(statesIf(false)).toEqual(["unknown", "unknown", "unknown", "leaking"]);
    expect(statesIf(undefined)).toEqual(["unknown", "unknown", "unknown", "leaking"]);
    expect(statesIf(true)).toEqual(["protected", "blocked", "direct", "leaking"]);
  });
  it("is looked up by id", () => {
    const postures = [
      { device_id: "a", posture: "protected" as const, policy_id: "p" },
      { device_id: "b", posture: "blocked" as const, policy_id: null },
    ];
    const deviceStates = deviceStatesOf(postures, new Map([["p", path]]), new Set(), true);
    expect(deviceStates.get("a")).toEqual({ state: "protected", hops: ["Amsterdam"] });
    expect(deviceStates.get("b")).toEqual({ state: "blocked", hops: [] });
  });
});

describe("policy paths", () => {
  const tunnels = [
    { id: "1", name: "Amsterdam" },
    { id: "2", name: "Zurich" },
  ];
  const row = (outcome: "egress" | "split" | "direct" | "block", ...targets: string[]) => ({
    policy_id: "p",
    outcome,
    hops: targets.map((target) => ({ type: "vpn", target, tunnel_id: target === "2" ? "2" : null, status: null })),
  });
  const pathOf = (...it: Parameters<typeof row>) => policyPathsOf(tunnels, [row(...it)]).get("p");

  it("use the names of hops", () => {
    expect(pathOf("egress", "Amsterdam", "2")).toEqual({ hops: ["Amsterdam", "Zurich"] });
    expect(pathOf("block", "tun9")).toEqual({ hops: ["tun9"] });
  });
  it("join the tunnels of a split policy", () => {
    expect(pathOf("split", "Amsterdam", "2")?.hops).toEqual(["Amsterdam + Zurich"]);
  });
});
