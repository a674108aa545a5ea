import { expect, test } from "vitest";
import { startGateway } from "../../../../testing/gateway.ts";

test("visibility: who may not read the inventory of secrets does not find it in history either", async () => {
  const keys = { admin: "an-admin-key-0123456789", viewer: "a-viewer-key-0123456789" };
  await using gateway = await startGateway({
    config: {
      auth: {
        enabled: true,
        local_net: "10.99.0.0/16",
        api_keys: [
          { key: keys.admin, role: "admin", name: "root" },
          { key: keys.viewer, role: "viewer", name: "eyes" },
        ],
      },
    },
  });
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  await gateway.request("POST", "/secrets", { ...as(keys.admin), body: { name: "vpn-password", value: "hush" } });
  const { id } = (await gateway.request("GET", "/snapshots", as(keys.admin))).json()[0];
  await gateway.request("POST", "/rollback?confirm_within=600", { ...as(keys.admin), body: { snapshot: "1" } });

  for (const path of [`/snapshots/${id}`, "/snapshots/1/differences?to=" + id, "/changes"]) {
    expect((await gateway.request("GET", path, as(keys.admin))).text).toContain("vpn-password");
    const seen = await gateway.request("GET", path, as(keys.viewer));
    expect([seen.status, seen.text.includes("vpn-password")]).toEqual([200, false]);
  }
});
