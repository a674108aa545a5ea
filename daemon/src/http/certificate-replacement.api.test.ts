import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { connect, type TLSSocket } from "node:tls";
import type { Alert } from "@portcullis/contract/subsystems/alerts";
import type { Component, Status } from "@portcullis/contract/subsystems/status";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type MadeCertificate, makeCertificate } from "../../../testing/certificates.ts";
import { until } from "../../../testing/deadline.ts";
import { temporaryFolder } from "../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { openvpnFile } from "../../../testing/tunnels.ts";
import { upkeepRoundMs } from "../app/modules/upkeep.ts";

const made = temporaryFolder();
let one: MadeCertificate;
let other: MadeCertificate;
let short: MadeCertificate;
beforeAll(async () => {
  one = await makeCertificate(made.path, "one");
  other = await makeCertificate(made.path, "other");
  short = await makeCertificate(made.path, "short", 10);
});
afterAll(() => made[Symbol.dispose]());

// Rounds come when a test says so; connections keep their real timers.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());
const round = () => vi.advanceTimersByTimeAsync(upkeepRoundMs);

const fingerprintOf = (cert: string) => new X509Certificate(cert).fingerprint256;

/** The certificate that a new connection gets. */
async function shownBy({ origin }: TestGateway): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(origin).port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

async function read<T>({ origin }: TestGateway, path: string): Promise<T> {
  const sent = request(`${origin}/api/v1${path}`, { rejectUnauthorized: false, agent: false }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return JSON.parse(await readText(answer)) as T;
}
const certificatesOf = async (gateway: TestGateway) =>
  (await read<{ components: Component[] }>(gateway, "/observer")).components.find((it) => it.name === "certificates")!;
const pinOf = async (gateway: TestGateway) => (await read<Status>(gateway, "/status")).tls_pin;
const alertsOf = async (gateway: TestGateway) =>
  (await read<Alert[]>(gateway, "/alerts")).map((it) => `${it.rule} ${it.resource_name} ${it.state} ${it.count}`);

/** A gateway with files of the operator, which start as `pair`. */
async function gatewayWith(pair: MadeCertificate, now = () => new Date()) {
  const folder = temporaryFolder();
  const files = { cert_file: join(folder.path, "tls.crt"), key_file: join(folder.path, "tls.key") };
  const write = ({ cert, key }: Pick<MadeCertificate, "cert" | "key">) => {
    writeFileSync(files.cert_file, cert);
    writeFileSync(files.key_file, key);
  };
  write(pair);
  const gateway = await startGateway({ config: { tls: { enabled: true, ...files } }, now });
  return {
    gateway,
    files,
    write,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

test("TLS: a replaced certificate is shown without a restart; open connections stay, and the pin is the new one", async () => {
  await using it = await gatewayWith(one);
  const { gateway, write } = it;
  expect(await shownBy(gateway)).toBe(fingerprintOf(one.cert));
  const before = await pinOf(gateway);
  const open: TLSSocket = connect({
    host: "127.0.0.1",
    port: Number(new URL(gateway.origin).port),
    rejectUnauthorized: false,
  });
  await once(open, "secureConnect");
  await round();
  expect(await shownBy(gateway)).toBe(fingerprintOf(one.cert));
  write(other);
  await round();
  expect(await shownBy(gateway)).toBe(fingerprintOf(other.cert));
  expect(await pinOf(gateway)).not.toBe(before);
  open.write("GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  expect(await readText(open)).toContain('{"status":');
});

test("TLS: a replaced certificate is not used with an older version of TLS, either", async () => {
  await using it = await gatewayWith(one);
  const { gateway, write } = it;
  write(other);
  await round();
  const shake = (maxVersion: "TLSv1.1" | "TLSv1.2") =>
    new Promise<string>((resolve) => {
      const port = Number(new URL(gateway.origin).port);
      const ciphers = "DEFAULT:@SECLEVEL=0"; // Without this our own side would refuse first.
      const socket = connect({
        host: "127.0.0.1",
        port,
        rejectUnauthorized: false,
        ciphers,
        minVersion: "TLSv1",
        maxVersion,
      });
      socket.on("secureConnect", () => resolve(socket.end().getProtocol()!));
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code!));
    });
  expect([await shake("TLSv1.2"), await shake("TLSv1.1")]).toEqual(["TLSv1.2", "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION"]);
});

test.each([
  [
    "a damaged certificate",
    () => ({ cert: "-----BEGIN CERTIFICATE-----\nAAAA\n", key: other.key }),
    /PEM|no start line|bad end line/,
  ],
  ["a damaged key", () => ({ cert: other.cert, key: "not a key" }), /PEM|no start line|DECODER/],
  ["the key of another certificate", () => ({ cert: other.cert, key: one.key }), /key values mismatch/],
])("TLS: %s replaces nothing, and is reported until the files are a pair", async (_, broken, why) => {
  await using it = await gatewayWith(one);
  const { gateway, write } = it;
  expect(await certificatesOf(gateway)).toMatchObject({ status: "ok" });
  write(broken());
  await round();
  await round();
  expect(await shownBy(gateway)).toBe(fingerprintOf(one.cert));
  const component = await certificatesOf(gateway);
  expect(component).toMatchObject({
    status: "degraded",
    message: expect.stringContaining("keeps its earlier certificate"),
  });
  expect(component.message).toMatch(why);
  const logged = () => gateway.logged.filter((line) => line.includes("keeps its earlier TLS certificate"));
  expect(logged()).toHaveLength(1);
  expect(logged()[0]).toMatch(why);
  write(other);
  await round();
  expect(await shownBy(gateway)).toBe(fingerprintOf(other.cert));
  expect(await certificatesOf(gateway)).toMatchObject({ status: "ok" });
});

test("TLS: files that are gone replace nothing, and are reported", async () => {
  await using it = await gatewayWith(one);
  rmSync(it.files.key_file);
  await round();
  expect(await shownBy(it.gateway)).toBe(fingerprintOf(one.cert));
  expect((await certificatesOf(it.gateway)).message).toContain("no key at");
});

test("TLS: the gateway renews its own certificate while it runs, and keeps the key", async () => {
  let now = new Date();
  await using gateway = await startGateway({ config: { tls: { enabled: true } }, now: () => now });
  const kept = () => readFileSync(join(gateway.stateFolder, "tls-cert.pem"), "utf8");
  const [first, pin] = [kept(), await pinOf(gateway)];
  const days = (count: number) => new Date(new X509Certificate(first).validToDate.getTime() - count * 86_400_000);
  now = days(31);
  await round();
  expect(await shownBy(gateway)).toBe(fingerprintOf(first));
  now = days(29);
  await round();
  await until("another certificate is shown", async () => (await shownBy(gateway)) !== fingerprintOf(first));
  expect(await shownBy(gateway)).toBe(fingerprintOf(kept()));
  expect(await pinOf(gateway)).toBe(pin);
});

test("TLS: a damaged file of the gateway's own certificate is made anew", async () => {
  await using gateway = await startGateway({ config: { tls: { enabled: true } } });
  const file = join(gateway.stateFolder, "tls-cert.pem");
  const first = readFileSync(file, "utf8");
  writeFileSync(file, "damaged");
  await round();
  await until("another certificate is shown", async () => (await shownBy(gateway)) !== fingerprintOf(first));
  expect(await shownBy(gateway)).toBe(fingerprintOf(readFileSync(file, "utf8")));
});

test("alerts: a certificate of the API that expires is one alert, then another; both end when it is replaced", async () => {
  let now = new Date();
  await using it = await gatewayWith(one, () => now);
  const { gateway, write } = it;
  await round();
  expect(await alertsOf(gateway)).toEqual([]);
  write(short);
  await round();
  await round();
  expect(await alertsOf(gateway)).toEqual(["cert-expiry-critical API active 1"]);
  expect((await read<Alert[]>(gateway, "/alerts"))[0]).toMatchObject({
    severity: "warning",
    resource_type: "certificate",
    reason: expect.stringMatching(/^The certificate of API \(short\) expires at \d{4}-/),
  });
  now = new Date(Date.now() + 11 * 86_400_000);
  await round();
  const both = ["cert-expired API active 1", "cert-expiry-critical API resolved 1"];
  expect(await alertsOf(gateway)).toEqual(both);
  expect(await certificatesOf(gateway)).toMatchObject({ status: "degraded" });
  const restarted = await gateway.restart();
  try {
    await round();
    expect(await alertsOf(restarted)).toEqual(both);
    write(other);
    await round();
    expect(await alertsOf(restarted)).toEqual(["cert-expired API resolved 1", "cert-expiry-critical API resolved 1"]);
    expect(await certificatesOf(restarted)).toMatchObject({ status: "ok" });
  } finally {
    await restarted[Symbol.asyncDispose]();
  }
});

test("alerts: a certificate in the file of a tunnel that is switched on is watched; an alert names tunnel and block", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const config = openvpnFile({ ca: one.cert, cert: short.cert, key: short.key }, "remote 192.0.2.1 1194 udp");
  const { id } = (await gateway.request("POST", "/tunnels/upload-ovpn", { body: { name: "Oslo", config } })).json();
  const active = async () => {
    await round();
    return (await client.alerts.active()).map((it) => `${it.rule} ${it.resource_name} ${it.count}`);
  };
  expect((await client.tunnels.get({ params: { id } })).enabled).toBe(true);
  expect(await active()).toEqual(["cert-expiry-critical Oslo (cert) 1"]);
  await client.tunnels.update({ params: { id }, body: { enabled: false } });
  expect(await active()).toEqual([]);
  await client.tunnels.update({ params: { id }, body: { enabled: true } });
  expect(await active()).toEqual(["cert-expiry-critical Oslo (cert) 2"]);
});
