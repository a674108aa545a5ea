import { expect, test } from "vitest";
import { expectWithin, repeatable } from "../../../../testing/deadline.ts";
import type { Resources } from "../../compiler/input/read-document.ts";
import { levelIn, ownersIn } from "./attribution.ts";

const count = 10_000;
const classes = [
  { id: "open", name: "open", log_level: "full" },
  { id: "hidden", name: "hidden", log_level: "none" },
];
const device = Array.from({ length: count }, (_, n) => ({
  id: `device ${n}`,
  mac: `02:00:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${(n & 255).toString(16).padStart(2, "0")}`,
  ips: [],
  privacy_class: n === count - 1 ? "hidden" : "open",
  trust_class: null,
}));
const inventory = { device, privacy_class: classes, trust_class: [] } as unknown as Resources;

test(
  "attribution: the log levels of 10,000 devices are found at once, and an unknown device has none",
  repeatable,
  () => {
    const startedMs = performance.now();
    const levelOf = levelIn(inventory);
    const levels = device.map(({ id }) => levelOf(id));
    expectWithin(0.1, { "log levels of 10,000 devices": (performance.now() - startedMs) / 1000 });
    expect(new Set(levels.slice(0, -1))).toEqual(new Set(["full"]));
    expect([levels.at(-1), levelOf("gone")]).toEqual(["none", "none"]);
  },
);

test("attribution: an address belongs to the device whose card has it now; one without a card is nobody's, and has the strictest level", () => {
  const ownerOf = ownersIn(inventory, [{ address: "10.0.0.7", mac: device[7]!.mac }]);
  expect(ownerOf("10.0.0.7")).toEqual({ device: "device 7", level: "full" });
  expect(ownerOf("10.0.0.8")).toEqual({ device: undefined, level: "none" });
});
