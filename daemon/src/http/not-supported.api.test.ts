import { expect, test } from "vitest";
import { startGateway } from "../../../testing/gateway.ts";

/* Fields of the specification that nothing reads: values without effect are refused, except the accepted defaults. */
test.each([
  ["/devices", "profile_id", "abroad", null],
  ["/trust-classes", "default_profile", "abroad", null],
  ["/privacy-classes", "default_fail_policy", "fail-open", "fail-closed"],
  ["/profiles", "chain_id", "a chain", null],
])(
  "unsupported fields: %s takes no %s that would ask for something, when it is made and when it is changed",
  async (path, field, requesting, harmless) => {
    await using gateway = await startGateway();
    await gateway.client.profiles.create({ body: { name: "abroad" } });
    const put = (method: string, to: string, value: unknown) =>
      gateway.request(method, to, { body: { name: "it", [field]: value } });
    const refused = await put("POST", path, requesting);
    expect(refused.status).toBe(501);
    expect(refused.json().error).toMatchObject({
      code: "not_supported",
      details: { field: `body.${field}`, allowed: [harmless] },
    });
    const made = await put("POST", path, harmless);
    expect([made.status, made.json()[field]]).toEqual([201, harmless]);
    expect((await put("PUT", `${path}/${made.json().id}`, requesting)).status).toBe(501);
    expect((await put("PUT", `${path}/${made.json().id}`, harmless)).status).toBe(200);
  },
);

test("unsupported fields: no chain is made or changed, and the list of those from before can be read", async () => {
  await using gateway = await startGateway();
  const refused = await gateway.request("POST", "/chains", { body: { name: "all", stages: [] } });
  expect([refused.status, refused.json().error.code]).toEqual([501, "not_supported"]);
  expect((await gateway.request("GET", "/chains")).json()).toEqual([]);
  expect((await gateway.request("POST", "/chains", { body: { nmae: "x" } })).status).toBe(400);
});
