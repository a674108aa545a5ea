import type { TLSSocket } from "node:tls";
import type { PqMode } from "@portcullis/contract/subsystems/pq-crypto";
import { expect, test } from "vitest";
import { brokerLogin, openBroker } from "../../../../testing/broker.ts";
import { trustedCertificate } from "../../../../testing/certificates.ts";
import { until } from "../../../../testing/deadline.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { openMailReceiver } from "../../../../testing/mail-receiver.ts";
import { openTlsServer } from "../../../../testing/tls-servers.ts";

const trusted = trustedCertificate();

const hybrid = ["X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024"];
const put = ({ client }: TestGateway, mode: PqMode) => client.pqCrypto.put({ body: { mode } });
const namesMode = expect.stringContaining('pq_crypto_mode "required"') as string;

test("post-quantum TLS: the mode is shown with what the gateway offers in it, and with the connections that it does not govern", async () => {
  await using before = await startGateway();
  const { pqCrypto } = before.client;
  const offered = await pqCrypto.get();
  expect(offered).toMatchObject({ mode: "default", versions: ["TLSv1.3", "TLSv1.2"] });
  expect(offered.groups).toEqual(expect.arrayContaining(["X25519MLKEM768", "x25519", "secp256r1"]));
  const ungoverned = ({ connections }: typeof offered) =>
    connections.flatMap(({ kind, program, governed }) => (governed ? [] : [`${kind} by ${program}`]));
  expect(ungoverned(offered)).toEqual(["dns_upstreams by dnsdist", "captive_portal by curl", "openvpn by openvpn"]);

  const preferred = await put(before, "preferred");
  expect(preferred.groups.slice(0, 4)).toEqual([...hybrid, "x25519"]);
  expect(ungoverned(preferred)).toEqual(["captive_portal by curl", "openvpn by openvpn"]);
  expect(await put(before, "required")).toMatchObject({ mode: "required", groups: hybrid, versions: ["TLSv1.3"] });
  const [entry] = (await before.client.audit.list()).items;
  expect(entry).toMatchObject({ action: "update_pq_crypto", resource_id: "pq_crypto_mode" });

  const refused = await before.request("PUT", "/pq-crypto", { body: { mode: "sometimes" } });
  expect(refused.status).toBe(400);
  expect(refused.text).toMatch(/default.*preferred.*required/);
  await using gateway = await before.restart();
  expect(await gateway.client.pqCrypto.get()).toMatchObject({ mode: "required", groups: hybrid });
});

test("post-quantum TLS: the mode is the setting pq_crypto_mode, whichever of the two is changed, also by a rollback", async () => {
  await using gateway = await startGateway();
  const { pqCrypto, settings, snapshots } = gateway.client;
  const params = { key: "pq_crypto_mode" };
  const modes = async () => [(await pqCrypto.get()).mode, (await settings.get({ params })).value];
  expect(await modes()).toEqual(["default", null]);
  await put(gateway, "required");
  expect(await modes()).toEqual(["required", "required"]);
  await settings.put({ params, body: { value: "preferred" } });
  expect(await modes()).toEqual(["preferred", "preferred"]);
  await settings.remove({ params });
  expect(await modes()).toEqual(["default", null]);
  await snapshots.rollback({ body: { snapshot: "2" } });
  expect(await modes()).toEqual(["required", "required"]);
});

const answering = (text: string) => (socket: TLSSocket) =>
  void socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`));

test("post-quantum TLS: a message is sent to a classic server unless the mode is required, and to a hybrid one in that mode", async () => {
  await using classic = await openTlsServer({ ...trusted.pair(), groups: "X25519", serve: answering("") });
  await using modern = await openTlsServer({
    ...trusted.pair(),
    groups: "X25519:X25519MLKEM768",
    serve: answering(""),
  });
  await using gateway = await startGateway();
  const { alertChannels } = gateway.client;
  for (const [name, { port }] of Object.entries({ classic, modern }))
    await alertChannels.create({ body: { name, type: "webhook", url: `https://127.0.0.1:${port}/` } });
  const sent = async () => [
    await alertChannels.test({ params: { id: "classic" } }),
    await alertChannels.test({ params: { id: "modern" } }),
  ];
  expect(await sent()).toMatchObject([{ accepted: true }, { accepted: true }]);
  await put(gateway, "required");
  expect(await sent()).toMatchObject([{ accepted: false, reason: namesMode }, { accepted: true }]);
  await put(gateway, "preferred");
  expect(await sent()).toMatchObject([{ accepted: true }, { accepted: true }]);
  expect(classic.agreed).toEqual(["x25519", "x25519"]);
  expect(modern.agreed.slice(1)).toEqual(["X25519MLKEM768", "X25519MLKEM768"]);
});

test("post-quantum TLS: the same applies to a request to the external filter", async () => {
  await using classic = await openTlsServer({ ...trusted.pair(), groups: "P-256", serve: answering("{}") });
  await using gateway = await startGateway();
  const { dnsExtfilter } = gateway.client;
  await put(gateway, "required");
  const url = `https://127.0.0.1:${classic.port}`;
  expect(await dnsExtfilter.put({ body: { url } })).toMatchObject({ reachable: false, reason: namesMode });
  await put(gateway, "default");
  expect((await dnsExtfilter.status()).reason).not.toEqual(namesMode);
  expect(classic.agreed).toEqual(["secp256r1"]);
});

test("post-quantum TLS: a mail server whose TLS is classic gets no message over STARTTLS in the mode required", async () => {
  const login = { username: "gateway", password: "a p4ssword" };
  await using server = await openMailReceiver({ ...login, pair: trusted.pair() });
  server.trust(true);
  await using gateway = await startGateway();
  const mail = { type: "email", host: "127.0.0.1", from: "gateway@example.net", ...login } as const;
  const params = { id: "mail" };
  const { alertChannels } = gateway.client;
  await alertChannels.create({ body: { name: "mail", ...mail, port: server.port, to: ["a@example.net"] } });
  await put(gateway, "required");
  expect(await alertChannels.test({ params })).toMatchObject({ accepted: false, reason: namesMode });
  expect(server.received).toEqual([]);
  await put(gateway, "preferred");
  expect(await alertChannels.test({ params })).toMatchObject({ accepted: true });
});

test("post-quantum TLS: a change applies to the next session with a classic broker, and not to the open one", async () => {
  await using broker = await openBroker({ pair: trusted.pair() });
  await using home = await broker.subscribe();
  await using gateway = await startGateway();
  const { mqtt } = gateway.client;
  const server = { enabled: true, host: "127.0.0.1", port: broker.port, ca: trusted.pair().cert } as const;
  await mqtt.put({ body: { ...server, ...brokerLogin } });
  await until("it is connected", async () => (await mqtt.get()).state === "connected");
  const { connected_since } = await mqtt.get();

  await put(gateway, "required");
  expect(await mqtt.test()).toMatchObject({ accepted: false, reason: namesMode });
  await gateway.client.devices.create({ body: { name: "TV", mac: "02:00:00:00:00:01" } });
  const published = () => [...home.topics].find(([topic]) => topic.endsWith("/devices/state"))?.[1];
  await until("the open session publishes the device", async () => published() === "1");
  expect(await mqtt.get()).toMatchObject({ state: "connected", connected_since });

  await broker.kill9();
  await broker.start();
  await until("the next session has failed", async () => (await mqtt.get()).reason.includes("pq_crypto_mode"));
  await put(gateway, "default");
  expect(await mqtt.test()).toMatchObject({ accepted: true });
});
