import { api, type GatewayApi } from "@portcullis/contract/api";
import { type Client } from "@portcullis/contract/client";
import { auditAction, operations } from "@portcullis/contract/endpoint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dnsExercises } from "../../../../testing/dns-exercises.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { folderWithObservations, observedExercises } from "../../../../testing/observed-exercises.ts";
import { privacyExercises } from "../../../../testing/privacy-exercises.ts";
import { openvpnFile, peerKey, pem, wireguardConfig, wireguardKey } from "../../../../testing/tunnels.ts";

type Exercise = (client: Client<GatewayApi>, gateway: TestGateway) => Promise<() => Promise<unknown>>;

const secret = "hush, hush, not a word";
const admin = { username: "ada", password: secret };
let serial = 0;
const name = () => `Name ${(serial += 1)}`;

/** Two devices ago: a rollback to it changes something. */
async function olderSnapshot({ devices, snapshots }: Client<GatewayApi>): Promise<string> {
  await devices.create({ body: { name: name() } });
  await devices.create({ body: { name: name() } });
  return (await snapshots.list({ query: { limit: 2 } })).items[1]!.id;
}

/** A rollback that waits for its confirmation. */
async function pendingChange(client: Client<GatewayApi>): Promise<void> {
  const snapshot = await olderSnapshot(client);
  await client.snapshots.rollback({ query: { confirm_within: 3600 }, body: { snapshot } });
}

const crud = (
  subsystem: "devices" | "deviceGroups" | "trustClasses" | "privacyClasses" | "profiles" | "bridges",
): Record<string, Exercise> => ({
  [`${subsystem}.create`]: async (client) => () => client[subsystem].create({ body: { name: name() } }),
  [`${subsystem}.update`]: async (client) => {
    const { id } = await client[subsystem].create({ body: { name: name() } });
    return () => client[subsystem].update({ params: { id }, body: { name: name() } });
  },
  [`${subsystem}.remove`]: async (client) => {
    const { id } = await client[subsystem].create({ body: { name: name() } });
    return () => client[subsystem].remove({ params: { id } });
  },
});

/** A device with a MAC address. */
const recognisable = async ({ devices }: Client<GatewayApi>): Promise<string> =>
  (await devices.create({ body: { name: name(), ips: ["10.0.0.7"] } })).id;

const pauseOf = (source_value: string) =>
  ({ type: "filtering", source_type: "device", source_value, duration_min: 5 }) as const;

let networks = 0;
/** Each of a network of its own, so that none contradicts another. */
const policy = () => ({ name: name(), source_type: "subnet" as const, source_value: `10.9.${(networks += 1)}.0/24` });

const wireguard = () => ({ name: name(), type: "wireguard" as const, config: wireguardConfig() });
const proxy = () => ({ name: name(), kind: "upstream" as const, address: "192.0.2.7:1080" });

let vlanNumbers = 0;
const vlan = () => ({ name: name(), parent: "eth1", vlan_id: (vlanNumbers += 1) });

/** A tunnel in the pool of splitting. */
async function createTunnel(client: Client<GatewayApi>): Promise<string> {
  const { id } = await client.tunnels.create({ body: wireguard() });
  return (await client.splittingEndpoints.create({ body: { tunnel_id: id } })).id;
}

/** Every endpoint that changes something, called once in earnest. The first part prepares, the second is watched. */
const exercises: Record<string, Exercise> = {
  "auth.setup": async (client, gateway) => () => client.auth.setup({ body: { ...admin, code: gateway.setupCode() } }),
  "auth.login": async (client) => () => client.auth.login({ body: admin }),
  "auth.loginWithKey": async (client) => {
    const { key } = await client.auth.createKey({ body: { name: name(), role: "viewer" } });
    return () => client.auth.loginWithKey({ body: { key } });
  },
  "auth.logout": async (client, gateway) => {
    const { key } = await client.auth.createKey({ body: { name: name(), role: "viewer" } });
    const { headers } = await gateway.request("POST", "/auth/key-login", { body: { key } });
    const cookie = headers.get("set-cookie")!.split(";", 1)[0]!;
    return () => gateway.request("POST", "/auth/logout", { headers: { cookie } });
  },
  "auth.endSession": async (client) => {
    const { id: keyId, key } = await client.auth.createKey({ body: { name: name(), role: "viewer" } });
    await client.auth.loginWithKey({ body: { key } });
    const { id } = (await client.auth.tokens()).find(({ key_id }) => key_id === keyId)!;
    return () => client.auth.endSession({ params: { id } });
  },
  "auth.changePassword": async (client) => () =>
    client.auth.changePassword({ body: { current_password: admin.password, new_password: `${secret}!` } }),
  "auth.createKey": async (client) => () => client.auth.createKey({ body: { name: name(), role: "viewer" } }),
  "auth.removeKey": async (client) => {
    const { id } = await client.auth.createKey({ body: { name: name(), role: "viewer" } });
    return () => client.auth.removeKey({ params: { id } });
  },
  ...crud("devices"),
  ...crud("deviceGroups"),
  ...crud("trustClasses"),
  ...crud("privacyClasses"),
  ...crud("profiles"),
  "routing.create": async (client) => () => client.routing.create({ body: policy() }),
  "routing.update": async (client) => {
    const { id } = await client.routing.create({ body: policy() });
    return () => client.routing.update({ params: { id }, body: { name: name() } });
  },
  "routing.remove": async (client) => {
    const { id } = await client.routing.create({ body: policy() });
    return () => client.routing.remove({ params: { id } });
  },
  "routing.toggle": async (client) => {
    const { id } = await client.routing.create({ body: policy() });
    return () => client.routing.toggle({ params: { id } });
  },
  "routing.apply": async (client) => {
    await client.routing.create({ body: policy() });
    return () => client.routing.apply();
  },
  ...crud("bridges"),
  "bridges.toggle": async (client) => {
    const { id } = await client.bridges.create({ body: { name: name() } });
    return () => client.bridges.toggle({ params: { id } });
  },
  "bridges.test": async (client) => {
    const { id } = await client.bridges.create({ body: { name: name() } });
    return () => client.bridges.test({ params: { id } });
  },
  "vlans.create": async (client) => () => client.vlans.create({ body: vlan() }),
  "vlans.update": async (client) => {
    const { id } = await client.vlans.create({ body: vlan() });
    return () => client.vlans.update({ params: { id }, body: { name: name() } });
  },
  "vlans.remove": async (client) => {
    const { id } = await client.vlans.create({ body: vlan() });
    return () => client.vlans.remove({ params: { id } });
  },
  "splittingEndpoints.create": async (client) => {
    const { id } = await client.tunnels.create({ body: wireguard() });
    return () => client.splittingEndpoints.create({ body: { tunnel_id: id } });
  },
  "splittingEndpoints.update": async (client) => {
    const id = await createTunnel(client);
    return () => client.splittingEndpoints.update({ params: { id }, body: { weight: 2 } });
  },
  "splittingEndpoints.remove": async (client) => {
    const id = await createTunnel(client);
    return () => client.splittingEndpoints.remove({ params: { id } });
  },
  "splitting.activate": async (client) => {
    await createTunnel(client);
    await createTunnel(client);
    const { id } = await client.routing.create({ body: policy() });
    return () => client.splitting.activate({ body: { policy_id: id } });
  },
  "uplinks.put": async (client) => () => client.uplinks.put({ body: { wan_failover_mode: "auto" } }),
  "segments.update": async (client) => () =>
    client.segments.update({ params: { segment: "eth1" }, body: { name: "Home" } }),
  "routerAdvertisements.put": async (client) => () =>
    client.routerAdvertisements.put({ body: { interfaces: [{ interface: "eth1" }] } }),
  "dhcp.put": async (client) => () => client.dhcp.put({ body: { ranges: [] } }),
  "exceptions.create": async (client) => {
    const device_id = await recognisable(client);
    return () => client.exceptions.create({ body: { type: "temporary-direct", device_id } });
  },
  "exceptions.remove": async (client) => {
    const device_id = await recognisable(client);
    const { id } = await client.exceptions.create({ body: { type: "quarantine", device_id } });
    return () => client.exceptions.remove({ params: { id } });
  },
  "pauses.create": async (client) => {
    const body = pauseOf(await recognisable(client));
    return () => client.pauses.create({ body });
  },
  "pauses.remove": async (client) => {
    const { id } = await client.pauses.create({ body: pauseOf(await recognisable(client)) });
    return () => client.pauses.remove({ params: { id } });
  },
  "tunnels.create": async (client) => () => client.tunnels.create({ body: wireguard() }),
  "tunnels.update": async (client) => {
    const { id } = await client.tunnels.create({ body: wireguard() });
    return () => client.tunnels.update({ params: { id }, body: { config: { private_key: wireguardKey() } } });
  },
  "tunnels.remove": async (client) => {
    const { id } = await client.tunnels.create({ body: wireguard() });
    return () => client.tunnels.remove({ params: { id } });
  },
  "tunnels.up": async (client) => {
    const { id } = await client.tunnels.create({ body: wireguard() });
    return () => client.tunnels.up({ params: { id } });
  },
  "tunnels.down": async (client) => {
    const { id } = await client.tunnels.create({ body: wireguard() });
    return () => client.tunnels.down({ params: { id } });
  },
  "tunnels.toggle": async (client) => {
    const { id } = await client.tunnels.create({ body: wireguard() });
    return () => client.tunnels.toggle({ params: { id } });
  },
  "tunnels.importWireguard": async (client) => () =>
    client.tunnels.importWireguard({
      body: {
        config: `[Interface]\nPrivateKey=${wireguardKey()}\nAddress=10.2.0.2\n[Peer]\nPublicKey=${peerKey}\nAllowedIPs=::/0`,
      },
    }),
  "tunnels.uploadOvpn": async (client) => () =>
    client.tunnels.uploadOvpn({
      body: { config: openvpnFile({ ca: pem("CERTIFICATE", "ca") }, "remote 192.0.2.7", "auth-user-pass") },
    }),
  "proxies.create": async (client) => () => client.proxies.create({ body: proxy() }),
  "proxies.update": async (client) => {
    const { id } = await client.proxies.create({ body: proxy() });
    return () => client.proxies.update({ params: { id }, body: { username: "ada", password: secret } });
  },
  "proxies.remove": async (client) => {
    const { id } = await client.proxies.create({ body: proxy() });
    return () => client.proxies.remove({ params: { id } });
  },
  ...dnsExercises,
  ...privacyExercises,
  ...observedExercises,
  "enforcement.reconcile": async (client) => () => client.enforcement.reconcile(),
  "snapshots.update": async (client) => () => client.snapshots.update({ params: { id: "1" }, body: { pinned: true } }),
  "snapshots.rollback": async (client) => {
    const snapshot = await olderSnapshot(client);
    return () => client.snapshots.rollback({ body: { snapshot } });
  },
  "changes.confirm": async (client) => {
    await pendingChange(client);
    return () => client.changes.confirm();
  },
  "changes.revert": async (client) => {
    await pendingChange(client);
    return () => client.changes.revert();
  },
  "dnsLog.clear": async (client) => () => client.dnsLog.clear({ query: {} }),
  "settings.update": async (client) => () => client.settings.update({ body: { pq_crypto_mode: "default" } }),
  "settings.put": async (client) => {
    await client.settings.remove({ params: { key: "pq_crypto_mode" } });
    return () => client.settings.put({ params: { key: "pq_crypto_mode" }, body: { value: "default" } });
  },
  "settings.remove": async (client) => {
    await client.settings.put({ params: { key: "pq_crypto_mode" }, body: { value: "default" } });
    return () => client.settings.remove({ params: { key: "pq_crypto_mode" } });
  },
  "configuration.apply": async (client) => () => client.configuration.apply({ body: { devices: [{ name: name() }] } }),
  "configuration.import": async (client) => () =>
    client.configuration.import({ body: { devices: [{ name: name() }] } }),
  "pqCrypto.put": async (client) => {
    await client.settings.remove({ params: { key: "pq_crypto_mode" } });
    return () => client.pqCrypto.put({ body: { mode: "preferred" } });
  },
  "secrets.create": async (client) => () => client.secrets.create({ body: { name: name(), value: secret } }),
  "secrets.update": async (client) => {
    const { id } = await client.secrets.create({ body: { name: name(), value: secret } });
    return () => client.secrets.update({ params: { id }, body: { value: `${secret}!` } });
  },
  "secrets.remove": async (client) => {
    const { id } = await client.secrets.create({ body: { name: name(), value: secret } });
    return () => client.secrets.remove({ params: { id } });
  },
  "secrets.setPassphrase": async (client) => () => client.secrets.setPassphrase({ body: { passphrase: secret } }),
  "secrets.clearPassphrase": async (client) => () => client.secrets.clearPassphrase(),
};

const changing = operations(api)
  // No chain can be made as long as chains have no effect. Nothing is enforced for the first time where the dataplane is off:
  // see lab/journeys/first-enforcement.lab.test.ts. A setup needs a machine with two interfaces: see lab/package-journey.ts.
  // A capture needs tcpdump and root: see captures.service.test.ts.
  .filter(
    ({ subsystem, endpoint }) =>
      endpoint.audit !== undefined && !["captures", "chains", "firstEnforcement", "setup"].includes(subsystem),
  )
  .map(({ subsystem, name: word, endpoint }) => ({ call: `${subsystem}.${word}`, ...endpoint }));

test("audit log: every endpoint that changes something is exercised below, and no other", () =>
  expect(Object.keys(exercises).toSorted()).toEqual(changing.map(({ call }) => call).toSorted()));

describe("audit log: every change has an entry", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ folder: folderWithObservations() });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test.each(changing)("$call writes exactly one entry under its own name", async ({ call, audit, path, method }) => {
    const { client } = gateway;
    const perform = await exercises[call]!(client, gateway);
    const newest = async () => (await client.audit.list({ query: { limit: 10 } })).items;
    const [before] = await newest();
    const result = (await perform()) as { id?: string };
    // The first session of all makes a key for sessions, which the gateway does by itself.
    const fresh = (await newest()).filter(
      ({ id, action }) => id > (before?.id ?? 0) && action !== "create_session_key",
    );
    expect(fresh).toHaveLength(1);
    expect(fresh[0]).toMatchObject({ action: auditAction(audit!), resource_type: audit!.noun });
    expect(fresh[0]!.resource_id).not.toBe("");
    expect(JSON.stringify(fresh)).not.toContain(secret);
    const isAboutResult = path.endsWith("/{id}") || (method === "POST" && path !== "/rollback");
    expect(fresh[0]!.resource_id).toBe((isAboutResult && result.id) || fresh[0]!.resource_id);
  });

  test("reading writes nothing", async () => {
    const { items: before } = await gateway.client.audit.list();
    for (const path of [
      "/devices",
      "/settings",
      "/snapshots",
      "/changes",
      "/status",
      "/observer",
      "/audit",
      "/secrets",
    ])
      expect((await gateway.request("GET", path)).status).toBe(200);
    expect((await gateway.client.audit.list()).items).toEqual(before);
  });

  test("what is refused writes nothing", async () => {
    const { items: before } = await gateway.client.audit.list();
    const unknownId = "00000000-0000-7000-8000-000000000000";
    expect((await gateway.request("POST", "/devices", { body: {} })).status).toBe(400);
    expect((await gateway.request("DELETE", `/devices/${unknownId}`)).status).toBe(404);
    expect((await gateway.request("POST", "/changes/confirm")).status).toBe(404);
    expect((await gateway.request("POST", "/auth/setup", { body: admin })).status).toBe(409);
    expect((await gateway.client.audit.list()).items).toEqual(before);
  });
});
