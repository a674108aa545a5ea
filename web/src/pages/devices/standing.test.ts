import { describe, expect, it } from "vitest";
import { standingOf, standingsOf, waysOf } from "./standing.ts";

describe("device state", () => {
  const way = { hops: ["Amsterdam"] };

  it("is protected or blocked, with the hops of the deciding policy", () => {
    expect(standingOf({ posture: "protected" }, way)).toEqual({ state: "protected", hops: ["Amsterdam"] });
    expect(standingOf({ posture: "blocked" }, way)).toEqual({ state: "blocked", hops: ["Amsterdam"] });
  });
  it("is blocked without a path if no policy decides", () => {
    expect(standingOf({ posture: "blocked" }, undefined)).toEqual({ state: "blocked", hops: [] });
  });
  it("is direct, not leaking, when its policy allows the direct connection while its hops are down", () => {
    expect(standingOf({ posture: "exposed" }, way)).toEqual({ state: "direct", hops: [] });
  });
  it("is direct by choice", () => {
    expect(standingOf({ posture: "exposed" }, undefined)).toEqual({ state: "direct", hops: [] });
    expect(standingOf({ posture: "exposed" }, { hops: ["wan0"] })).toEqual({ state: "direct", hops: [] });
  });
  it("is leaking when the last leak check found a leak, for that device only", () => {
    const posture = (device_id: string) => ({ device_id, posture: "protected" as const, policy_id: "p" });
    const standings = standingsOf([posture("a"), posture("b")], new Map([["p", way]]), new Set(["b"]));
    expect([standings.get("a"), standings.get("b")]).toEqual([
      { state: "protected", hops: ["Amsterdam"] },
      { state: "leaking", hops: ["Amsterdam"] },
    ]);
  });
  it("is looked up by id", () => {
    const postures = [
      { device_id: "a", posture: "protected" as const, policy_id: "p" },
      { device_id: "b", posture: "blocked" as const, policy_id: null },
    ];
    const standings = standingsOf(postures, new Map([["p", way]]));
    expect(standings.get("a")).toEqual({ state: "protected", hops: ["Amsterdam"] });
    expect(standings.get("b")).toEqual({ state: "blocked", hops: [] });
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
  const wayOf = (...it: Parameters<typeof row>) => waysOf(tunnels, [row(...it)]).get("p");

  it("use the names of hops", () => {
    expect(wayOf("egress", "Amsterdam", "2")).toEqual({ hops: ["Amsterdam", "Zurich"] });
    expect(wayOf("block", "tun9")).toEqual({ hops: ["tun9"] });
  });
  it("join the tunnels of a split policy", () => {
    expect(wayOf("split", "Amsterdam", "2")?.hops).toEqual(["Amsterdam + Zurich"]);
  });
});
