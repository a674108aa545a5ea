import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

const keys = {
  diagnostics: "diagnostics-diagnostics",
  operator: "operator-operator",
  viewer: "viewer-viewer-viewer",
} as const;
const auth = {
  enabled: true,
  local_net: "192.0.2.0/24",
  api_keys: Object.entries(keys).map(([role, key]) => ({ key, role, name: role })),
};
const as = (role: keyof typeof keys) => ({ authorization: `Bearer ${keys[role]}` });

test("who may look may not open: that takes an operator", async () => {
  await using gateway = await startGateway({ config: { auth } });
  const check = async (role: keyof typeof keys, body: object) => {
    const reply = await gateway.request("POST", "/captive/check", { body, headers: as(role) });
    return [reply.status, (reply.json() as { error: { code: string } }).error.code];
  };
  expect(await check("viewer", {})).toEqual([403, "forbidden"]);
  expect(await check("diagnostics", { open_for: "phone" })).toEqual([403, "forbidden"]);
  // The dataplane is off: no probe is sent.
  expect(await check("diagnostics", {})).toEqual([409, "conflict"]);
  expect(await check("operator", { open_for: "phone" })).toEqual([400, "invalid_request"]);
  const made = await gateway.request("POST", "/devices", {
    body: { name: "phone", mac: "02:00:00:00:00:01" },
    headers: as("operator"),
  });
  expect(made.status).toBe(201);
  expect(await check("operator", { open_for: "phone" })).toEqual([409, "conflict"]);
  expect(await check("operator", { open_for: "phone", duration_min: 61 })).toEqual([400, "invalid_request"]);
  expect((await gateway.request("GET", "/exceptions/active", { headers: as("operator") })).json()).toEqual([]);
});
