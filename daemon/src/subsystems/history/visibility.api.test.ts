import { expect, test } from "vitest";
import { roles } from "@portcullis/contract/role";
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

test("visibility: alert channels are in history, in the settings and in the audit log only for roles that may read them", async () => {
  const keyOf = (role: string) => `the-key-of-${role}-0123456789`;
  const api_keys = roles.map((role) => ({ key: keyOf(role), role, name: role }));
  await using gateway = await startGateway({
    config: { auth: { enabled: true, local_net: "10.99.0.0/16", api_keys } },
  });
  const as = (role: string) => ({ headers: { authorization: `Bearer ${keyOf(role)}` } });
  const url = "https://receiver.example/T0ken";
  const made = await gateway.request("POST", "/alert-channels", {
    ...as("admin"),
    body: { name: "Ops", type: "webhook", url, secret: "hush" },
  });
  const path = `/alert-channels/${made.json().id}`;
  await gateway.request("PUT", path, { ...as("admin"), body: { url: `${url}2`, secret: "hush" } });
  await gateway.request("PUT", "/settings/webhook_url", { ...as("admin"), body: { value: `${url}3` } });
  const { id } = (await gateway.request("GET", "/snapshots", as("admin"))).json()[0];
  await gateway.request("POST", "/rollback?confirm_within=600", { ...as("admin"), body: { snapshot: "1" } });

  for (const place of [`/snapshots/${id}`, `/snapshots/1/differences?to=${id}`, "/changes", "/audit"]) {
    const seenBy = async (role: string) => {
      const { status, text } = await gateway.request("GET", place, as(role));
      return status === 200 && text.includes("T0ken");
    };
    const seen = Object.fromEntries(await Promise.all(roles.map(async (role) => [role, await seenBy(role)])));
    expect([place, seen]).toEqual([
      place,
      { admin: true, operator: true, viewer: false, diagnostics: false, metrics: false },
    ]);
  }
  expect((await gateway.request("GET", "/settings", as("viewer"))).text).not.toContain("T0ken");
  expect((await gateway.request("GET", path, as("viewer"))).status).toBe(403);

  // An operator, who may not change a channel, does not restore one either.
  await gateway.request("POST", "/changes/confirm", as("admin"));
  const restored = await gateway.request("POST", "/rollback", { ...as("operator"), body: { snapshot: id } });
  expect(restored.json().excluded).toContainEqual({ kind: "alert_channel", count: 2, names: ["Ops", "webhook"] });
  expect((await gateway.request("GET", "/alert-channels", as("operator"))).json()).toEqual([]);
});
