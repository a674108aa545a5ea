import { because, explained } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { peerKey, wireguardConfig, wireguardKey } from "../../../../testing/tunnels.ts";
import { publicKeyOf } from "./keys.ts";

const unknownId = "00000000-0000-7000-8000-000000000000";
const everywhere = ["0.0.0.0/0", "::/0"];

const inactive = {
  status: "down",
  healthy: false,
  ...explained(because("dataplane_off")),
  since: null,
  rtt_ms: null,
  loss: null,
  last_handshake: null,
  tx_bytes: 0,
  rx_bytes: 0,
  counters_at: null,
  endpoint: null,
};

const wireguard = (gateway: TestGateway, name: string, more: object = {}) =>
  gateway.client.tunnels.create({ body: { name, type: "wireguard", config: wireguardConfig(), ...more } });

async function refusal(gateway: TestGateway, method: string, path: string, body?: unknown) {
  const reply = await gateway.request(method, path, body === undefined ? {} : { body });
  const { code, details, message } = reply.json().error ?? {};
  return { status: reply.status, code, message, field: details?.fields?.[0]?.field, details };
}

test("tunnels: a WireGuard tunnel is made, read, listed, changed and deleted, and its keys stay inside", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const privateKey = wireguardKey();
  const preshared = wireguardKey();
  const config = {
    private_key: privateKey,
    addresses: ["10.2.0.2", "fd00::2/64"],
    dns: ["10.2.0.1"],
    peers: [{ public_key: peerKey, preshared_key: preshared, endpoint: "NL.example.net:51820" }],
  };
  const reply = await gateway.request("POST", "/tunnels", { body: { name: "Amsterdam", type: "wireguard", config } });
  expect(reply.status).toBe(201);
  const made = reply.json();
  expect(reply.headers.get("location")).toBe(`/api/v1/tunnels/${made.id}`);
  expect(made).toEqual({
    id: made.id,
    name: "Amsterdam",
    type: "wireguard",
    interface: "wg-amsterdam",
    enabled: true,
    mtu: null,
    probe_target: null,
    config: {
      addresses: ["10.2.0.2/32", "fd00::2/64"],
      dns: ["10.2.0.1"],
      listen_port: null,
      public_key: publicKeyOf(privateKey),
      peers: [
        {
          public_key: peerKey,
          endpoint: "nl.example.net:51820",
          allowed_ips: everywhere,
          persistent_keepalive: 0,
          has_preshared_key: true,
        },
      ],
    },
    ...inactive,
  });
  const params = { id: made.id };
  expect(await client.tunnels.get({ params })).toEqual(made);
  expect(await client.tunnels.list()).toMatchObject({ items: [made], total: 1 });

  const changed = await client.tunnels.update({
    params,
    body: { name: "Rotterdam", mtu: 1380, probe_target: "10.2.0.1" },
  });
  expect(changed).toEqual({ ...made, name: "Rotterdam", mtu: 1380, probe_target: "10.2.0.1" });
  const unprobed = await client.tunnels.update({ params: { id: made.id }, body: { probe_target: "none" } });
  expect(unprobed).toMatchObject({ probe_target: "none" });
  await expect(
    client.tunnels.update({ params: { id: made.id }, body: { probe_target: "unknown" } }),
  ).rejects.toMatchObject({ code: "invalid_request" });
  const [secret] = (await client.secrets.list()).items;
  expect(secret).toMatchObject({ name: "Rotterdam", purpose: "tunnel", version: 1 });
  expect(await client.tunnels.remove({ params })).toEqual({ id: made.id, deleted: true });
  expect((await client.secrets.list()).items).toEqual([]);
  expect((await gateway.request("GET", `/tunnels/${made.id}`)).status).toBe(404);
});

test("tunnels: an update keeps what it does not give, secrets as well", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const peers = [
    { public_key: peerKey, preshared_key: wireguardKey(), allowed_ips: ["10.0.0.0/8"] },
    { public_key: wireguardKey(), preshared_key: wireguardKey(), allowed_ips: ["0.0.0.0/0"] },
  ];
  const made = await wireguard(gateway, "Two", { config: { ...wireguardConfig(), peers } });
  const params = { id: made.id };
  const update = (config: object) => client.tunnels.update({ params, body: { config } });
  const kept = async () => {
    const { config } = await client.tunnels.get({ params });
    const own = config as { public_key: string; peers: { has_preshared_key: boolean }[] };
    return [own.public_key, ...own.peers.map((peer) => peer.has_preshared_key)];
  };
  const version = async () => (await client.secrets.list()).items[0]!.version;
  const [publicKey] = await kept();

  await update({ dns: ["10.2.0.1"] });
  expect([await kept(), await version()]).toEqual([[publicKey, true, true], 1]);
  await update({ peers: peers.map(({ public_key, allowed_ips }) => ({ public_key, allowed_ips })) });
  expect([await kept(), await version()]).toEqual([[publicKey, true, true], 1]);
  await update({ peers: [{ public_key: peerKey, preshared_key: null }] });
  expect([await kept(), await version()]).toEqual([[publicKey, false], 2]);
  const fresh = wireguardKey();
  await update({ private_key: fresh });
  expect([await kept(), await version()]).toEqual([[publicKeyOf(fresh), false], 3]);
});

test("tunnels: without a private key the gateway makes one", async () => {
  await using gateway = await startGateway();
  const [one, other] = [await wireguard(gateway, "One"), await wireguard(gateway, "Other")];
  const keyOf = ({ config }: typeof one) => (config as { public_key: string }).public_key;
  expect(keyOf(one)).toMatch(/^.{43}=$/);
  expect(keyOf(one)).not.toBe(keyOf(other));
});

test("tunnels: names and interfaces are unique, and interfaces of others are refused", async () => {
  await using gateway = await startGateway({ config: { network: { lan_iface: "lan7", wan_iface: "wan7" } } });
  const first = await wireguard(gateway, "Amsterdam");
  const create = (more: object) =>
    refusal(gateway, "POST", "/tunnels", { name: "Next", type: "wireguard", config: wireguardConfig(), ...more });
  expect(await create({ name: "Amsterdam" })).toMatchObject({
    status: 409,
    details: { field: "name", existing_id: first.id },
  });
  expect(await create({ interface: "wg-amsterdam" })).toMatchObject({ status: 409, details: { field: "interface" } });
  for (const name of ["lan7", "wan7", "lo", "all", "default"])
    expect(await create({ interface: name })).toMatchObject({ status: 400, field: "body.interface" });
  for (const name of ["", "Wg0", "-wg", "a/b", "a b", "wg0123456789abcd", "wg:1"])
    expect(await create({ interface: name })).toMatchObject({ status: 400, field: "body.interface" });
  expect(await create({ name: "amsterdam" })).toMatchObject({ status: 409 });
  expect((await wireguard(gateway, "Amsterdam!")).interface).toBe("wg-amsterdam-2");
  expect((await wireguard(gateway, "Mine", { interface: "wg0.1_x" })).interface).toBe("wg0.1_x");
  const update = (body: object) => refusal(gateway, "PUT", `/tunnels/${first.id}`, body);
  expect(await update({ interface: "wg0.1_x" })).toMatchObject({ status: 409 });
  expect(await update({ interface: "lan7" })).toMatchObject({ status: 400 });
  expect(await update({ interface: "wg-amsterdam", name: "Amsterdam" })).toMatchObject({ status: 200 });
});

test("tunnels: what makes no tunnel is refused by its field", async () => {
  await using gateway = await startGateway();
  const { id } = await wireguard(gateway, "Good");
  const peer = wireguardConfig().peers[0]!;
  const privateKey = wireguardKey();
  const mistakes: [field: string, config: object][] = [
    ["addresses", { addresses: [] }],
    ["addresses", { addresses: ["10.2.0.2/33"] }],
    ["addresses", { addresses: ["10.2.0.2, 10.2.0.3"] }],
    ["addresses", { addresses: ["127.0.0.1/8"] }],
    ["dns", { dns: ["resolver.example.net"] }],
    ["peers", { peers: [] }],
    ["peers", { peers: [peer, peer] }],
    ["peers", { peers: [{ ...peer, endpoint: "nl.example.net:0" }] }],
    ["peers", { peers: [{ ...peer, endpoint: "[1:2]:1" }] }],
    ["peers.0.endpoint", { peers: [{ ...peer, endpoint: "nl.example.net" }] }],
    ["peers.0.public_key", { peers: [{ ...peer, public_key: `${"A".repeat(43)}B` }] }],
    ["peers", { peers: [{ ...peer, allowed_ips: ["10.0.0.0/40"] }] }],
    ["peers", { peers: [peer, { ...peer, public_key: wireguardKey(), allowed_ips: ["::/0"] }] }],
    ["peers", { private_key: privateKey, peers: [{ public_key: publicKeyOf(privateKey) }] }],
    ["private_key", { private_key: "AAAA" }],
    ["remotes", { remotes: [] }],
    ["username", { username: "me" }],
  ];
  for (const [field, wrong] of mistakes) {
    const body = { name: "Bad", type: "wireguard", config: { ...wireguardConfig(), ...wrong } };
    const expected = { status: 400, code: "invalid_request", field: `body.config.${field}` };
    expect([wrong, await refusal(gateway, "POST", "/tunnels", body)]).toEqual([
      wrong,
      expect.objectContaining(expected),
    ]);
    expect(await refusal(gateway, "PUT", `/tunnels/${id}`, { config: wrong })).toMatchObject(expected);
  }
  expect(await refusal(gateway, "PUT", `/tunnels/${id}`, { type: "openvpn" })).toMatchObject({ field: "body.type" });
  expect(await refusal(gateway, "PUT", `/tunnels/${id}`, { type: "wireguard" })).toMatchObject({ status: 200 });
  expect((await gateway.client.tunnels.list()).total).toBe(1);
});

test("tunnels: up, down and toggle switch a tunnel, also under their other names, and are written down", async () => {
  await using gateway = await startGateway();
  const { id } = await wireguard(gateway, "Amsterdam");
  const act = async (verb: string, body?: unknown) => {
    const reply = await gateway.request("POST", `/tunnels/${id}/${verb}`, body === undefined ? {} : { body });
    return reply.json().enabled;
  };
  expect(await act("down")).toBe(false);
  expect(await act("up")).toBe(true);
  expect(await act("up")).toBe(true);
  expect(await act("disconnect")).toBe(false);
  expect(await act("connect")).toBe(true);
  expect(await act("toggle")).toBe(false);
  expect(await act("toggle", { enabled: false })).toBe(false);
  const { items } = await gateway.client.audit.list({ query: { resource_id: id } });
  const actions = ["create", "down", "up", "up", "down", "up", "toggle", "toggle"].map((verb) => `${verb}_tunnel`);
  expect(items.map(({ action }) => action)).toEqual(actions.toReversed());
  for (const verb of ["up", "down", "toggle", "connect"])
    expect(await refusal(gateway, "POST", `/tunnels/${unknownId}/${verb}`)).toMatchObject({ status: 404 });
});

test("tunnels: the configuration comes as a file, with a comment where a secret is", async () => {
  await using gateway = await startGateway();
  const private_key = wireguardKey();
  const preshared_key = wireguardKey();
  const [peer] = wireguardConfig().peers;
  const config = { ...wireguardConfig(), private_key, listen_port: 51820, peers: [{ ...peer, preshared_key }] };
  const { id } = await wireguard(gateway, "Amsterdam", { config, mtu: 1380 });
  const file = await gateway.client.tunnels.config({ params: { id } });
  expect(file).toMatchObject({ type: "wireguard", filename: "wg-amsterdam.conf" });
  expect(file.text.split("\n")).toEqual([
    "[Interface]",
    "# PrivateKey: stored by the gateway, not shown",
    "Address = 10.2.0.2/32",
    "MTU = 1380",
    "ListenPort = 51820",
    "",
    "[Peer]",
    `PublicKey = ${peerKey}`,
    "# PresharedKey: stored by the gateway, not shown",
    "AllowedIPs = 0.0.0.0/0, ::/0",
    "Endpoint = nl.example.net:51820",
    "",
  ]);
  expect((await gateway.request("GET", `/tunnels/${unknownId}/config`)).status).toBe(404);
});

test("tunnels: generated keys fit together, and nothing remembers them", async () => {
  await using gateway = await startGateway();
  const revision = (await gateway.client.status.status()).revision;
  const pair = await gateway.client.tunnels.generateKeys({});
  expect(publicKeyOf(pair.private_key)).toBe(pair.public_key);
  expect(pair).not.toHaveProperty("preshared_key");
  const all = await gateway.client.tunnels.generateKeys({ body: { preshared_key: true } });
  expect(Buffer.from(all.preshared_key!, "base64")).toHaveLength(32);
  expect((await gateway.client.audit.list()).items).toEqual([]);
  expect((await gateway.client.status.status()).revision).toBe(revision);
});

test("tunnels: a list comes in pages and narrows", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  for (const name of ["a", "b", "c"]) await wireguard(gateway, name, { enabled: name !== "b" });
  const first = await client.tunnels.list({ query: { limit: 2 } });
  expect([first.items.map(({ name }) => name), first.total]).toEqual([["a", "b"], 3]);
  const second = await client.tunnels.list({ query: { limit: 2, cursor: first.next! } });
  expect(second.items.map(({ name }) => name)).toEqual(["c"]);
  const names = async (query: object) => (await client.tunnels.list({ query })).items.map(({ name }) => name);
  expect(await names({ enabled: false })).toEqual(["b"]);
  expect(await names({ type: "openvpn" })).toEqual([]);
  expect(await names({ status: "down" })).toEqual(["a", "b", "c"]);
  expect(await names({ status: "up" })).toEqual([]);
  expect(await client.tunnels.egress()).toEqual([]);
});

test("tunnels: a tunnel that hops lead to stays, staged or in force, and keeps the name they call it by", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const byName = await wireguard(gateway, "Amsterdam");
  const byId = await wireguard(gateway, "Rotterdam");
  const hops = [
    { type: "vpn" as const, target: "Amsterdam" },
    { type: "vpn" as const, target: byId.id },
  ];
  const policy = await client.routing.create({ body: { name: "All", source_type: "all", hops } });
  const profile = await client.profiles.create({ body: { name: "Away", hops: hops.slice(0, 1) } });
  await client.routing.create({
    body: {
      name: "Else",
      source_type: "subnet",
      source_value: "10.9.0.0/16",
      hops: [{ type: "interface", target: "Amsterdam" }],
    },
  });
  const used = (id: string) => client.references.show({ params: { type: "tunnel", id } });
  expect(await used("Amsterdam")).toEqual({
    type: "tunnel",
    id: byName.id,
    name: "Amsterdam",
    referenced_by: { routing_policies: 1, profiles: 1 },
    total: 2,
  });
  expect(await used(byId.id)).toMatchObject({ referenced_by: { routing_policies: 1 }, total: 1 });
  const inUse = { status: 409, code: "in_use" };
  expect(await refusal(gateway, "DELETE", `/tunnels/${byName.id}`)).toMatchObject(inUse);
  expect(await refusal(gateway, "DELETE", `/tunnels/${byId.id}`)).toMatchObject(inUse);
  expect(await refusal(gateway, "PUT", `/tunnels/${byName.id}`, { name: "Den Haag" })).toMatchObject(inUse);
  expect(await refusal(gateway, "PUT", `/tunnels/${byId.id}`, { name: "Den Haag" })).toMatchObject({ status: 200 });

  await client.profiles.remove({ params: { id: profile.id } });
  await client.routing.apply({});
  await client.routing.update({ params: { id: policy.id }, body: { hops: [] } });
  // Nothing staged names them, but what is in force does.
  expect(await used("Amsterdam")).toMatchObject({ total: 1 });
  expect(await refusal(gateway, "DELETE", `/tunnels/${byName.id}`)).toMatchObject(inUse);
  expect(await refusal(gateway, "PUT", `/tunnels/${byName.id}`, { name: "Leiden" })).toMatchObject(inUse);
  await client.routing.apply({});
  expect(await refusal(gateway, "DELETE", `/tunnels/${byName.id}`)).toMatchObject({ status: 200 });
});

test("tunnels: the secret of a tunnel is the gateway's own: others can neither change nor delete it", async () => {
  await using gateway = await startGateway();
  await wireguard(gateway, "Amsterdam");
  const [secret] = (await gateway.client.secrets.list()).items;
  const refused = { status: 409, code: "conflict" };
  expect(await refusal(gateway, "DELETE", `/secrets/${secret!.id}`)).toMatchObject(refused);
  expect(await refusal(gateway, "PUT", `/secrets/${secret!.id}`, { value: "mine" })).toMatchObject(refused);
});

test("tunnels: a rollback brings a tunnel back with the key it had", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const made = await wireguard(gateway, "Amsterdam");
  const { revision } = await client.status.status();
  const params = { id: made.id };
  await client.tunnels.update({ params, body: { config: { private_key: wireguardKey() } } });
  await client.tunnels.remove({ params });
  await client.snapshots.rollback({ body: { snapshot: String(revision) } });
  expect(await client.tunnels.get({ params })).toEqual(made);
  // Its key can be read: what hangs on it changes, and the public key stays.
  const after = await client.tunnels.update({ params, body: { config: { dns: ["10.2.0.1"] } } });
  expect(after.config).toEqual({ ...made.config, dns: ["10.2.0.1"] });
});

test("tunnels: two who change a tunnel at once do not undo each other", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const { id } = await wireguard(gateway, "Amsterdam");
  const update = (config: object) => client.tunnels.update({ params: { id }, body: { config } });
  const key = wireguardKey();
  await Promise.all([update({ private_key: key }), update({ dns: ["10.2.0.1"] }), update({ listen_port: 7 })]);
  expect((await client.tunnels.get({ params: { id } })).config).toMatchObject({
    public_key: publicKeyOf(key),
    dns: ["10.2.0.1"],
    listen_port: 7,
  });
});
