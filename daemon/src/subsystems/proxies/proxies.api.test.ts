import { because, explained } from "@portcullis/contract/reason";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { wireguardConfig } from "../../../../testing/tunnels.ts";

const inactive = {
  status: "down",
  healthy: false,
  ...explained(because("dataplane_off")),
  connections: 0,
  tx: 0,
  rx: 0,
  counters_at: null,
};

async function refusal(gateway: TestGateway, method: string, path: string, body?: unknown) {
  const reply = await gateway.request(method, path, body === undefined ? {} : { body });
  const { code, details } = reply.json().error ?? {};
  return { status: reply.status, code, field: details?.fields?.[0]?.field ?? details?.field };
}

/** Free a moment ago, at least. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("proxies: a local proxy leaves by a tunnel, and an upstream one is somewhere else", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const tunnel = await client.tunnels.create({
    body: { name: "Amsterdam", type: "wireguard", config: wireguardConfig() },
  });
  const local = { name: "Desk", kind: "local" as const, listen: "192.168.1.1:1080", tunnel_id: "Amsterdam" };
  const made = await client.proxies.create({ body: local });
  expect(made).toEqual({
    id: made.id,
    ...local,
    enabled: true,
    address: null,
    username: null,
    has_password: false,
    tunnel_id: tunnel.id,
    ...inactive,
  });
  const upstream = { name: "Far", kind: "upstream" as const, address: "[2001:db8::7]:1080" };
  const far = await client.proxies.create({ body: { ...upstream, username: "me", password: "secret" } });
  expect(far).toMatchObject({ ...upstream, listen: null, tunnel_id: null, username: "me", has_password: true });
  expect((await client.proxies.list()).items).toEqual([made, far]);
  expect((await client.proxies.list({ query: { kind: "upstream" } })).items).toEqual([far]);
  expect((await client.secrets.list()).items).toMatchObject([
    { name: "Amsterdam", purpose: "tunnel" },
    { name: "Far", purpose: "proxy" },
  ]);
  expect(await client.references.show({ params: { type: "tunnel", id: "Amsterdam" } })).toMatchObject({
    referenced_by: { proxies: 1 },
  });
  expect(await refusal(gateway, "DELETE", `/tunnels/${tunnel.id}`)).toMatchObject({ status: 409, code: "in_use" });
  await client.proxies.update({ params: { id: made.id }, body: { tunnel_id: null } });
  expect((await gateway.request("DELETE", `/tunnels/${tunnel.id}`)).status).toBe(200);
  expect(await client.tproxy.status()).toEqual({ running: false, redirectors: [], udp: "blocked" });
});

test("proxies: changing and deleting take the id in the path, the query or the body", async () => {
  await using gateway = await startGateway();
  const make = async (name: string) =>
    (await gateway.client.proxies.create({ body: { name, kind: "upstream", address: "192.0.2.7:1080" } })).id;
  const [a, b, c] = [await make("a"), await make("b"), await make("c")];
  const put = async (path: string, body: object) => (await gateway.request("PUT", path, { body })).json().enabled;
  expect(await put(`/proxies/${a}`, { enabled: false })).toBe(false);
  expect(await put(`/proxies?id=${b}`, { enabled: false })).toBe(false);
  expect(await put("/proxies", { id: c, enabled: false })).toBe(false);
  expect((await gateway.request("DELETE", `/proxies/${a}`)).json()).toEqual({ id: a, deleted: true });
  expect((await gateway.request("DELETE", `/proxies?id=${b}`)).json()).toEqual({ id: b, deleted: true });
  expect((await gateway.request("DELETE", "/proxies", { body: { id: c } })).json()).toEqual({ id: c, deleted: true });
  expect(await refusal(gateway, "DELETE", `/proxies?id=${c}`)).toMatchObject({ status: 404 });
});

test("proxies: what makes no proxy is refused by its field", async () => {
  const port = await freePort();
  await using gateway = await startGateway({ config: { listen: { api_addr: `127.0.0.1:${port}` } } });
  const { client } = gateway;
  const taken = await client.proxies.create({ body: { name: "Taken", kind: "local", listen: "0.0.0.0:1080" } });
  const local = { name: "New", kind: "local", listen: "192.168.1.1:1081" };
  const upstream = { name: "New", kind: "upstream", address: "far.example.net:1080" };
  const mistakes: [status: number, field: string, body: object][] = [
    [400, "body.listen", { ...local, listen: undefined }],
    [400, "body.listen", { ...local, listen: "gateway.lan:1081" }],
    [400, "body.listen", { ...local, listen: "192.168.1.1:0" }],
    [400, "body.listen", { ...local, listen: "192.168.1.1:65536" }],
    [400, "body.listen", { ...local, listen: "1081" }],
    [409, "listen", { ...local, listen: "192.168.1.1:1080" }],
    [409, "listen", { ...local, listen: `192.168.1.1:${port}` }],
    [409, "listen", { ...local, listen: "192.168.1.1:53" }],
    [400, "body.address", { ...local, address: "far.example.net:1080" }],
    [400, "body.tunnel_id", { ...local, tunnel_id: "Absent" }],
    [400, "body.password", { ...local, username: "me" }],
    [400, "body.username", { ...local, password: "secret" }],
    [400, "body.kind", { ...local, kind: "http" }],
    [400, "body.address", { ...upstream, address: null }],
    [400, "body.address", { ...upstream, address: "[1:2]:1080" }],
    [400, "body.listen", { ...upstream, listen: "192.168.1.1:1082" }],
    [409, "name", { ...upstream, name: "Taken" }],
  ];
  for (const [status, field, body] of mistakes)
    expect([body, await refusal(gateway, "POST", "/proxies", body)]).toEqual([
      body,
      expect.objectContaining({ status, field }),
    ]);
  expect(await refusal(gateway, "PUT", `/proxies/${taken.id}`, { kind: "upstream" })).toMatchObject({
    field: "body.kind",
  });
  expect(await refusal(gateway, "POST", "/proxies", local)).toMatchObject({ status: 201 });
});

test("proxies: a password stays until another comes or both are taken away, and goes with its proxy", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const body = { name: "Far", kind: "upstream" as const, address: "192.0.2.7:1080", username: "me", password: "one" };
  const { id } = await client.proxies.create({ body });
  const update = (changes: object) => client.proxies.update({ params: { id }, body: changes });
  const secrets = async () => (await client.secrets.list()).items.map(({ name, version }) => `${name} ${version}`);
  expect(await update({ name: "Further", username: "you" })).toMatchObject({ username: "you", has_password: true });
  expect(await secrets()).toEqual(["Further 1"]);
  await update({ password: "two" });
  expect(await secrets()).toEqual(["Further 2"]);
  expect(await update({ username: null, password: null })).toMatchObject({ username: null, has_password: false });
  expect(await secrets()).toEqual([]);
  await update({ username: "me", password: "three" });
  expect(await secrets()).toEqual(["Further 1"]);
  await client.proxies.remove({ params: { id } });
  expect(await secrets()).toEqual([]);
});

test("proxies: a proxy that hops lead to stays, and keeps the name they call it by", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const { id } = await client.proxies.create({ body: { name: "Far", kind: "upstream", address: "192.0.2.7:1080" } });
  const vpn = [{ type: "vpn" as const, target: "Far" }];
  await client.profiles.create({ body: { name: "Other", hops: vpn } });
  expect(await client.references.show({ params: { type: "proxy", id } })).toMatchObject({ total: 0 });
  const hops = [{ type: "proxy" as const, target: "Far" }];
  const profile = await client.profiles.create({ body: { name: "Profile", hops } });
  expect(await client.references.show({ params: { type: "proxy", id } })).toMatchObject({
    referenced_by: { profiles: 1 },
  });
  const inUse = { status: 409, code: "in_use" };
  expect(await refusal(gateway, "DELETE", `/proxies/${id}`)).toMatchObject(inUse);
  expect(await refusal(gateway, "PUT", `/proxies/${id}`, { name: "Near" })).toMatchObject(inUse);
  await client.profiles.remove({ params: { id: profile.id } });
  expect(await refusal(gateway, "DELETE", `/proxies/${id}`)).toMatchObject({ status: 200 });
});
