import { afterEach, beforeEach, expect, test } from "vitest";
import { openHousehold } from "../hopping.ts";
import { openLab, type Lab } from "../namespaces.ts";

let lab: Lab;
beforeEach(() => void (lab = openLab()));
afterEach(() => lab[Symbol.asyncDispose]());

test("a device's packets leave through WireGuard, and nothing else is seen on the wire", {
  timeout: 60_000,
}, async () => {
  await using house = await openHousehold(lab);
  const v1 = await house.wireguard("v1", 1);
  await house.route("phone", [{ type: "vpn", target: "v1" }]);
  await house.ready("v1");
  const { talk, who } = await house.talking("phone");
  expect(await who()).toEqual([v1.site.v4]);
  void talk;
});
