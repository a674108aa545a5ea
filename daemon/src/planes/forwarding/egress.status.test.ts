import { expect, test } from "vitest";
import { componentOf, type Counts, egressComponent } from "./egress.status.ts";

const counts = (changed: Partial<Counts>): Counts => ({
  protected: 0,
  blocked: 0,
  exposed: 0,
  unknown_device: "blocked",
  ...changed,
});

test.each<[string, Partial<Counts>, RegExp]>([
  ["failed", {}, /^No device has Internet access: no device is known.*`portcullis devices create`/],
  ["failed", { blocked: 3 }, /^No device has Internet access: all 3 .*`portcullis evaluate/],
  ["degraded", { exposed: 2, unknown_device: "exposed" }, /^No device is protected: all traffic leaves directly/],
  ["degraded", { exposed: 1, blocked: 4 }, /^No device is protected: 4 of 5 known devices are blocked, and traffic of/],
  ["degraded", { blocked: 4, unknown_device: "exposed" }, /^No device is protected: 4 of 4 known devices are blocked/],
  ["degraded", { unknown_device: "exposed" }, /^No device is protected/],
  ["ok", { protected: 1 }, /^1 of 1 known devices are protected$/],
  ["ok", { protected: 1, blocked: 2, exposed: 1 }, /^1 of 4 known devices are protected, 2 blocked$/],
  ["ok", { unknown_device: "protected" }, /^0 of 0 known/],
])("egress is %s with %j", (status, changed, message) =>
  expect(componentOf(counts(changed))).toMatchObject({
    name: "egress",
    status,
    message: expect.stringMatching(message),
  }),
);

test("egress is counted once for each state of the dataplane, and again after a failure", async () => {
  let version: object | undefined;
  let times = 0;
  let isBroken = false;
  const component = egressComponent({
    version: () => version,
    counts: async () => {
      times += 1;
      if (isBroken) throw new Error("ip does not answer");
      return counts({ protected: 1 });
    },
  });
  expect(await component()).toMatchObject({ status: "degraded" });
  version = {};
  await Promise.all([component(), component()]);
  expect([await component(), times]).toMatchObject([{ status: "ok" }, 1]);
  version = {};
  isBroken = true;
  expect(await component()).toMatchObject({ status: "degraded", message: expect.stringContaining("ip does not") });
  isBroken = false;
  expect([await component(), times]).toMatchObject([{ status: "ok" }, 3]);
});
