import { expect, test } from "vitest";
import { type Choice, policiesFor, unknownByDefault } from "./plan.ts";
import { stepFrom } from "./steps.ts";

const names = { everyone: "All devices", known: "Known", unknown: "Others", group: "Known devices" };
const hops = [{ type: "vpn", target: "ams" }];

test.each<[Choice["known"], Choice["unknown"], readonly object[]]>([
  ["through", "through", [{ name: "All devices", source_type: "all", hops, fail_policy: "fail-closed" }]],
  [
    "through",
    "blocked",
    [
      { name: "Known", source_type: "device_group", source_value: "Known devices", hops, fail_policy: "fail-closed" },
      { name: "Others", source_type: "all", hops: [], fail_policy: "fail-closed" },
    ],
  ],
  [
    "direct",
    "through",
    [
      { name: "Known", hops: [], fail_policy: "fail-open" },
      { name: "Others", hops, fail_policy: "fail-closed" },
    ],
  ],
])("first start plan: known devices %s, unknown devices %s", (known, unknown, expected) => {
  expect(policiesFor({ tunnel: "ams", known, unknown }, names)).toMatchObject(expected);
});

test("first start plan: the policy for known devices comes first", () => {
  const [known, others] = policiesFor({ tunnel: "ams", known: "through", unknown: "blocked" }, names);
  expect(known!.priority).toBeLessThan(others!.priority);
});

test("first start: continues at the last step, but requires an account", () => {
  expect(stepFrom("proof", "classes", false)).toBe("account");
  expect(stepFrom("", "classes", true)).toBe("classes");
  expect(stepFrom("proof", "classes", true)).toBe("proof");
  expect(stepFrom("account", "nonsense", true)).toBe("network");
});

test("first start: the default for unknown devices keeps internet access, and uses the tunnel if there is one", () => {
  const policies = (hasTunnel: boolean) =>
    policiesFor({ tunnel: "nl", known: hasTunnel ? "through" : "direct", unknown: unknownByDefault(hasTunnel) }, names);
  expect(policies(true)).toMatchObject([
    { source_type: "all", hops: [{ type: "vpn", target: "nl" }], fail_policy: "fail-closed" },
  ]);
  expect(policies(false)).toMatchObject([{ source_type: "all", hops: [], fail_policy: "fail-open" }]);
});
