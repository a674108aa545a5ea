import { describe, expect, it } from "vitest";
import {
  withSimulation,
  downChoices,
  allDown,
  allUp,
  haveSameOutcome,
  hopsUp,
  hopTargets,
  sourcesOf,
} from "./simulation.ts";

const hop = (target: string) => ({ type: "vpn", target, tunnel_id: null, status: null });

describe("simulation", () => {
  it("offers each hop once, the device's own hops first", () => {
    const egress = [
      { policy_id: "1", hops: [hop("Amsterdam")] },
      { policy_id: "2", hops: [hop("Zurich"), hop("Amsterdam")] },
    ];
    expect(hopTargets(egress, "2")).toEqual(["Zurich", "Amsterdam"]);
    expect(hopTargets(egress, null)).toEqual(["Amsterdam", "Zurich"]);
  });
  it("shows a hop by its name, whether the policy has its name or its id", () => {
    const names: Record<string, string> = { "01890a5d-ac96-774b-bcce-b302099a8057": "Oslo" };
    const nameOf = (target: string) => names[target] ?? target;
    const [id] = Object.keys(names) as [string];
    expect(downChoices([id, "Zurich"], nameOf, (name) => `If ${name} is down`)).toEqual([
      { value: id, label: "If Oslo is down" },
      { value: "Zurich", label: "If Zurich is down" },
    ]);
  });
  it("assumes nothing about hops outside the selection", () => {
    expect(hopsUp("", ["a", "b"])).toBeUndefined();
    expect(hopsUp("a", ["a", "b"])).toEqual({ a: false });
    expect(hopsUp(allUp, ["a", "b"])).toEqual({ a: true, b: true });
    expect(hopsUp(allDown, ["a", "b"])).toEqual({ a: false, b: false });
  });
  it("draws a simulated hop without its measurements", () => {
    const drawn = [
      { name: "Amsterdam", kind: "WireGuard", state: "up" as const, note: "18 ms" },
      { name: "Zurich", kind: "WireGuard", state: "up" as const, note: "20 ms" },
    ];
    expect(withSimulation(drawn, ["Amsterdam", "Zurich"], { Amsterdam: false })).toEqual([
      { name: "Amsterdam", kind: "WireGuard", state: "down" },
      drawn[1],
    ]);
  });
});

describe("address families", () => {
  it("evaluates the first address of each", () => {
    expect(sourcesOf(["fd00::1", "10.0.0.1", "10.0.0.2"])).toEqual([
      { family: 4, source: "10.0.0.1" },
      { family: 6, source: "fd00::1" },
    ]);
    expect(sourcesOf([])).toEqual([]);
  });
  it("are shown separately when their outcomes differ", () => {
    const four = { outcome: "egress" as const, policy_id: "1", exception_id: null, interfaces: ["wg-a"] };
    expect(haveSameOutcome([four, { ...four }])).toBe(true);
    expect(haveSameOutcome([four, { ...four, outcome: "block" as const, interfaces: [] }])).toBe(false);
  });
});
