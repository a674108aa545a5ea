import { api } from "@portcullis/contract/api";
import type { Endpoint } from "@portcullis/contract/endpoint";
import { expect, test } from "vitest";
import { openEventStream } from "../../../../testing/event-stream.ts";
import { startGateway } from "../../../../testing/gateway.ts";
import { kinds } from "../../app/resource-kinds.ts";
import { restricted } from "./rights.ts";

const keys = { admin: "an-admin-key-0123456789", operator: "an-operator-key-012345678" };
type Role = keyof typeof keys;

async function gatewayWithRoles(now?: () => Date) {
  const gateway = await startGateway({
    ...(now && { now }),
    config: {
      auth: {
        enabled: true,
        local_net: "10.99.0.0/16",
        api_keys: (["admin", "operator"] as const).map((role) => ({ key: keys[role], role, name: role })),
      },
    },
  });
  return {
    gateway,
    as: (role: Role, method: string, path: string, body?: unknown) =>
      gateway.request(method, path, {
        headers: { authorization: `Bearer ${keys[role]}` },
        ...(body !== undefined && { body }),
      }),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}
type Roles = Awaited<ReturnType<typeof gatewayWithRoles>>;

/** A device called Old, a setting and a secret; then New, and neither setting nor secret any more. Answers the snapshot of the first. */
async function changedByAdmin({ as }: Roles): Promise<string> {
  const device = (await as("admin", "POST", "/devices", { name: "Old" })).json();
  await as("admin", "PUT", "/settings/pq_crypto_mode", { value: "default" });
  const secret = (await as("admin", "POST", "/secrets", { name: "deleted", value: "hush" })).json();
  const proxy = { name: "Far", kind: "upstream", address: "192.0.2.7:1080", username: "me", password: "one" };
  const { id } = (await as("operator", "POST", "/proxies", proxy)).json();
  const [snapshot] = (await as("admin", "GET", "/snapshots?limit=1")).json();
  await as("operator", "DELETE", `/proxies/${id}`);
  await as("admin", "PUT", `/devices/${device.id}`, { name: "New" });
  await as("admin", "DELETE", "/settings/pq_crypto_mode");
  await as("admin", "DELETE", `/secrets/${secret.id}`);
  return snapshot.id;
}

/** What is there, as an admin sees it. */
async function present({ as }: Roles) {
  const named = async (path: string) =>
    (await as("admin", "GET", path))
      .json()
      .map(({ name }: { name: string }) => name)
      .toSorted();
  return {
    devices: await named("/devices"),
    proxies: await named("/proxies"),
    setting: (await as("admin", "GET", "/settings/pq_crypto_mode")).json().source,
    secrets: await named("/secrets"),
  };
}

const before = {
  devices: ["Old"],
  proxies: ["Far"],
  setting: "store",
  secrets: ["Far", "deleted"],
};
const after = { devices: ["New"], proxies: [], setting: "default", secrets: [] };
/** What an operator can bring back of it. */
const operators = { ...after, devices: ["Old"], proxies: ["Far"], secrets: ["Far"] };
const excluded = [
  { kind: "setting", count: 1, names: ["pq_crypto_mode"] },
  { kind: "secret", count: 1, names: [] },
];

test("rollback: an operator restores what an operator may change, and the response lists what stayed", async () => {
  await using roles = await gatewayWithRoles();
  const snapshot = await changedByAdmin(roles);
  expect(await present(roles)).toEqual(after);
  const reply = await roles.as("operator", "POST", "/rollback", { snapshot });
  expect([reply.status, reply.json().excluded, reply.json().confirm_until]).toEqual([200, excluded, null]);
  expect(await present(roles)).toEqual(operators);
  const [entry] = (await roles.as("admin", "GET", "/audit?limit=1")).json();
  expect(entry).toMatchObject({ action: "rollback_snapshot", details: { excluded } });
});

test("rollback: an admin restores everything", async () => {
  await using roles = await gatewayWithRoles();
  const snapshot = await changedByAdmin(roles);
  expect((await roles.as("admin", "POST", "/rollback", { snapshot })).json().excluded).toEqual([]);
  expect(await present(roles)).toEqual(before);
});

test("rollback on trial: an operator's keeps admin settings on confirm and on revert", async () => {
  await using roles = await gatewayWithRoles();
  const snapshot = await changedByAdmin(roles);
  const trial = await roles.as("operator", "POST", "/rollback?confirm_within=600", { snapshot });
  const { pending } = (await roles.as("operator", "GET", "/changes")).json();
  expect([trial.json().excluded, trial.json().confirm_until]).toEqual([excluded, pending.deadline]);
  expect((await roles.as("operator", "POST", "/changes/revert")).status).toBe(200);
  expect(await present(roles)).toEqual(after);

  await roles.as("operator", "POST", "/rollback?confirm_within=600", { snapshot });
  expect((await roles.as("operator", "POST", "/changes/confirm")).status).toBe(200);
  expect(await present(roles)).toEqual(operators);
});

test.each(["confirm", "revert"])(
  "rights: an operator cannot %s an admin's rollback of admin settings; an admin can",
  async (verb) => {
    await using roles = await gatewayWithRoles();
    const snapshot = await changedByAdmin(roles);
    await roles.as("admin", "POST", "/rollback?confirm_within=600", { snapshot });
    const refused = await roles.as("operator", "POST", `/changes/${verb}`);
    expect([refused.status, refused.json().error.code, refused.json().error.details.excluded]).toEqual([
      403,
      "forbidden",
      excluded,
    ]);
    expect(await present(roles)).toEqual(before);
    expect((await roles.as("admin", "POST", `/changes/${verb}`)).status).toBe(200);
    expect(await present(roles)).toEqual(verb === "confirm" ? before : after);
  },
);

test.each(["admin", "operator"] as const)(
  "rights: the gateway itself takes the whole trial of an %s back",
  async (role) => {
    await using roles = await gatewayWithRoles();
    const snapshot = await changedByAdmin(roles);
    await using events = await openEventStream(roles.gateway.origin, { authorization: `Bearer ${keys.admin}` });
    await roles.as(role, "POST", "/rollback?confirm_within=1", { snapshot });
    expect(await present(roles)).toEqual(role === "admin" ? before : operators);
    await events.next(({ event }) => event === "change.reverted");
    expect(await present(roles)).toEqual(after);
  },
);

test("rights: every published kind that only an admin may change is one that a rollback of others leaves alone", () => {
  const byAdmin = Object.values(api)
    .flatMap((group) => Object.values(group) as Endpoint[])
    .flatMap(({ role, audit }) => (role === "admin" && audit && audit.noun in kinds ? [audit.noun] : []));
  expect(byAdmin).toContain("setting");
  expect([...new Set(byAdmin)].filter((kind) => !(kind in restricted))).toEqual([]);
});
