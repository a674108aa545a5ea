import { expect, test } from "vitest";
import { lossOf as lossOfTunnel } from "./tunnels/condition.ts";
import { lossOf } from "./uplinks.ts";

test("uplinks: one that is not probed has no loss, one that failed has", () => {
  expect(lossOf({ status: "unknown", loss: null })).toBeNull();
  expect(lossOf({ status: "connecting", loss: 0 })).toBeNull();
  expect(lossOf({ status: "failed", loss: 1 })).toBe(1);
  expect(lossOf({ status: "up", loss: 0 })).toBe(0);
});

test("tunnels: loss is blank while a tunnel is down and nothing was measured", () => {
  expect(lossOfTunnel({ status: "failed", loss: 0 })).toBeNull();
  expect(lossOfTunnel({ status: "failed", loss: 0.5 })).toBe(0.5);
  expect(lossOfTunnel({ status: "up", loss: 0 })).toBe(0);
  expect(lossOfTunnel({ status: "down", loss: null })).toBeNull();
});
