import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { connect as connectTls, type SecureVersion, type TLSSocket } from "node:tls";
import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { type MadeCertificate, makeCertificate } from "../../../testing/certificates.ts";
import { ownSec } from "../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import { temporaryFolder } from "../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";

const tls = { enabled: true };
const filesOf = ({ cert_file, key_file }: MadeCertificate) => ({ cert_file, key_file });
const certificateOf = ({ stateFolder }: TestGateway): string => readFileSync(join(stateFolder, "tls-cert.pem"), "utf8");

/** Over TLS, trusting one certificate and no other. */
async function ask(
  origin: string,
  path: string,
  { ca, body, headers = {} }: { ca: string; body?: object; headers?: Record<string, string> },
) {
  const sent = request(`${origin}/api/v1${path}`, {
    ca,
    agent: false,
    method: body ? "POST" : "GET",
    headers: { ...(body && { "content-type": "application/json" }), ...headers },
  });
  sent.end(body && JSON.stringify(body));
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const { fingerprint256 } = (answer.socket as TLSSocket).getPeerCertificate();
  return { status: answer.statusCode, headers: answer.headers, text: await readText(answer), fingerprint256 };
}

describe("TLS: a gateway that makes its own certificate", () => {
  test("is reachable for clients that trust it, and for no others", async () => {
    await using gateway = await startGateway({ config: { tls } });
    await using other = await startGateway({ config: { tls } });
    expect(gateway.origin).toMatch(/^https:/);
    const { status, text } = await ask(gateway.origin, "/health", { ca: certificateOf(gateway) });
    expect([status, text]).toEqual([200, '{"status":"ok"}']);
    await expect(ask(gateway.origin, "/health", { ca: certificateOf(other) })).rejects.toThrow(
      "self-signed certificate",
    );
  });

  test("names itself, its addresses and the hosts of the bootstrap file, and hides its key", async () => {
    await using gateway = await startGateway({ config: { tls, listen: { hosts: ["gateway.lan"] } } });
    const certificate = new X509Certificate(certificateOf(gateway));
    for (const name of ["localhost", "gateway.lan"]) expect(certificate.checkHost(name)).toBe(name);
    expect(certificate.checkHost("evil.example")).toBeUndefined();
    expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(statSync(join(gateway.stateFolder, "tls-key.pem")).mode & 0o777).toBe(0o600);
  });

  test("keeps it across restarts, until it is about to end", async () => {
    let now = new Date();
    await using gateway = await startGateway({ config: { tls }, now: () => now });
    const first = certificateOf(gateway);
    const days = (count: number) => new Date(new X509Certificate(first).validToDate.getTime() - count * 86_400_000);
    now = days(31);
    await using kept = await gateway.restart();
    expect(certificateOf(kept)).toBe(first);
    expect(await ask(kept.origin, "/health", { ca: first })).toMatchObject({ status: 200 });
    now = days(29);
    await using renewed = await kept.restart();
    const second = certificateOf(renewed);
    expect(second).not.toBe(first);
    expect(await ask(renewed.origin, "/health", { ca: second })).toMatchObject({
      status: 200,
      fingerprint256: new X509Certificate(second).fingerprint256,
    });
    await expect(ask(renewed.origin, "/health", { ca: first })).rejects.toThrow("self-signed certificate");
  });

  test("gives a cookie that travels encrypted only", async () => {
    await using gateway = await startGateway({ config: { tls, auth: { enabled: true } } });
    const body = { username: "ada", password: "correct horse battery", code: gateway.setupCode() };
    const ca = certificateOf(gateway);
    const { status, headers } = await ask(gateway.origin, "/auth/setup", { ca, body });
    expect([status, headers["set-cookie"]?.[0]?.split("; ").slice(1).toSorted()]).toEqual([
      201,
      ["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Strict", "Secure"],
    ]);
    const cookie = headers["set-cookie"]![0]!.split(";", 1)[0]!;
    expect(cookie).toMatch(/^__Host-gateway_session=/);
    const opened = await ask(gateway.origin, "/auth/status", { ca, headers: { cookie } });
    expect(JSON.parse(opened.text)).toMatchObject({ actor: "ada", via: "session" });
    // One without the prefix could have been planted by another host of the domain, or without TLS.
    const tossed = await ask(gateway.origin, "/auth/status", {
      ca,
      headers: { cookie: cookie.replace("__Host-", "") },
    });
    expect(JSON.parse(tossed.text)).not.toMatchObject({ via: "session" });
  });

  test("sends HSTS, and without TLS does not", async () => {
    await using gateway = await startGateway({ config: { tls } });
    await using plain = await startGateway();
    const paths = ["/health", "/no-such-thing", "/auth/keys"];
    for (const path of paths) {
      const { headers } = await ask(gateway.origin, path, { ca: certificateOf(gateway) });
      expect([path, headers["strict-transport-security"]]).toEqual([path, "max-age=31536000"]);
      const bare = await plain.request("GET", path);
      expect([path, bare.headers.get("strict-transport-security")]).toEqual([path, null]);
    }
  });

  test("is the default beyond loopback, and the log has the configured address", async () => {
    await using gateway = await startGateway({
      config: { listen: { api_addr: "0.0.0.0:0" }, auth: { enabled: true } },
    });
    expect(gateway.origin).toMatch(/^https:\/\/0\.0\.0\.0:\d+$/);
    const origin = gateway.origin.replace("0.0.0.0", "127.0.0.1");
    expect(await ask(origin, "/health", { ca: certificateOf(gateway) })).toMatchObject({ status: 200 });
  });

  test("supports TLS 1.3 and 1.2, and nothing older", async () => {
    await using gateway = await startGateway({ config: { tls } });
    const { port } = new URL(gateway.origin);
    const shake = (version: SecureVersion) =>
      new Promise<string>((resolve) => {
        const socket = connectTls({
          port: Number(port),
          host: "127.0.0.1",
          ca: certificateOf(gateway),
          minVersion: version,
          maxVersion: version,
          ciphers: "DEFAULT:@SECLEVEL=0", // Without this our own side would refuse first.
        });
        socket.on("secureConnect", () => resolve(socket.end().getProtocol()!));
        socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code!));
      });
    expect([await shake("TLSv1.3"), await shake("TLSv1.2")]).toEqual(["TLSv1.3", "TLSv1.2"]);
    const refused = "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION";
    expect([await shake("TLSv1.1"), await shake("TLSv1")]).toEqual([refused, refused]);
  });

  test("does not wait for a caller who never says hello when it stops", repeatable, async () => {
    const gateway = await startGateway({ config: { tls } });
    const silent = connect(Number(new URL(gateway.origin).port), "127.0.0.1");
    await once(silent, "connect");
    expect(await ask(gateway.origin, "/health", { ca: certificateOf(gateway) })).toMatchObject({ status: 200 });
    const startedAt = ownSec();
    await gateway[Symbol.asyncDispose]();
    expectWithin(2, { stop: ownSec() - startedAt });
    silent.destroy();
  });
});

describe("TLS: a gateway with the operator's certificate", () => {
  test("shows it, from beside the bootstrap file or from anywhere", async () => {
    using folder = temporaryFolder();
    const { cert_file, key_file } = await makeCertificate(folder.path, "operator");
    const certificate = readFileSync(cert_file, "utf8");
    await using gateway = await startGateway({ config: { tls: { enabled: true, cert_file, key_file } } });
    expect(await ask(gateway.origin, "/health", { ca: certificate })).toMatchObject({
      status: 200,
      fingerprint256: new X509Certificate(certificate).fingerprint256,
    });
  });

  test.each([
    ["certificate", "cert_file"],
    ["key", "key_file"],
  ])("says which file is missing when the %s is", async (_, missing) => {
    using folder = temporaryFolder();
    const pair = await makeCertificate(folder.path, "operator");
    const config = { tls: { enabled: true, ...filesOf(pair), [missing]: join(folder.path, "no-such-file") } };
    await expect(startGateway({ config })).rejects.toThrow(
      /^There is no certificate at .*, or no key at .*no-such-file|no-such-file, or no key/,
    );
    await using gateway = await startGateway({ config: { tls: { enabled: true, ...filesOf(pair) } } });
    expect(gateway.origin).toMatch(/^https:/);
  });

  test("does not start with files that are no pair", async () => {
    using folder = temporaryFolder();
    const [one, other] = [await makeCertificate(folder.path, "one"), await makeCertificate(folder.path, "other")];
    const start = (cert_file: string, key_file: string) =>
      startGateway({ config: { tls: { enabled: true, cert_file, key_file } } });
    await expect(start(one.cert_file, other.key_file)).rejects.toThrow("key values mismatch");
    writeFileSync(one.key_file, "not a key");
    await expect(start(one.cert_file, one.key_file)).rejects.toThrow(/PEM|no start line|DECODER/);
    await using gateway = await start(other.cert_file, other.key_file);
    expect(gateway.origin).toMatch(/^https:/);
  });
});
