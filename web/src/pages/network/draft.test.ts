import type { WanUplinks } from "@portcullis/contract/subsystems/uplinks";
import { expect, test } from "vitest";
import { bodyOf, changed, draftOf, moved, outcomeOf, withAnother, without } from "./draft.ts";

const uplink = (name: string, priority: number) => ({
  name,
  interface: `${name}0`,
  priority,
  enabled: true,
  probe_targets: ["1.1.1.1"],
});
const two: WanUplinks = {
  wan_failover_mode: "manual",
  active: "mobile",
  uplinks: [uplink("mobile", 200), uplink("fibre", 10)],
};

test("uplinks: the order of the list is the order of preference, in both directions", () => {
  const { uplinks, active } = bodyOf(draftOf(two));
  expect(uplinks.map(({ name, priority }) => [name, priority])).toEqual([
    ["fibre", 10],
    ["mobile", 20],
  ]);
  expect(active).toBe("mobile");
});

test("uplinks: a row moves past its neighbour, and not beyond the end", () => {
  const names = (draft: ReturnType<typeof draftOf>) => draft.uplinks.map(({ name }) => name);
  const draft = draftOf(two);
  expect(names(moved(draft, 1, -1))).toEqual(["mobile", "fibre"]);
  expect(names(moved(draft, 0, -1))).toEqual(["fibre", "mobile"]);
  expect(names(moved(draft, 1, 1))).toEqual(["fibre", "mobile"]);
});

test("uplinks: the selection survives a rename, and ends when the uplink is disabled or removed", () => {
  const draft = draftOf(two);
  expect(bodyOf(changed(draft, 1, { name: "lte" })).active).toBe("lte");
  expect(bodyOf(changed(draft, 1, { enabled: false })).active).toBeNull();
  expect(bodyOf(without(draft, 1)).active).toBeNull();
});

test("uplinks: targets are read with any separator; none: the gateway's default", () => {
  const draft = withAnother(changed(draftOf(two), 0, { targets: " 1.1.1.1,9.9.9.9  2620:fe::fe " }));
  expect(bodyOf(draft).uplinks.map((it) => it.probe_targets)).toEqual([
    ["1.1.1.1", "9.9.9.9", "2620:fe::fe"],
    ["1.1.1.1"],
    undefined,
  ]);
});

test.each([
  ["the same interface goes on", draftOf(two), "mobile", { kind: "stays", on: "mobile" }],
  ["another is chosen", { ...draftOf(two), active: 0 }, "mobile", { kind: "moves", from: "mobile", to: "fibre" }],
  [
    "none is selected: the preferred one",
    { ...draftOf(two), active: undefined },
    null,
    { kind: "moves", from: null, to: "fibre" },
  ],
  ["the gateway chooses", { ...draftOf(two), mode: "auto" as const }, "mobile", { kind: "auto" }],
  ["all are off", { ...draftOf(two), uplinks: [] }, "mobile", { kind: "none" }],
])("uplink outcome: %s", (_, draft, active, outcome) => {
  expect(outcomeOf(draft, active === null ? null : { name: active, interface: `${active}0` })).toEqual(outcome);
});
