import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { Alert } from "@portcullis/contract/subsystems/alerts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type MadeCertificate, makeCertificate } from "../../../../testing/certificates.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { openMailReceiver } from "../../../../testing/mail-receiver.ts";
import { openReceiver } from "../../../../testing/receiver.ts";
import { upkeepRoundMs } from "../../app/modules/upkeep.ts";

/* Certificates of receivers, which the gateway trusts here. */
const made = temporaryFolder();
const trusted = getCACertificates("default");
let pairs: Readonly<Record<"long" | "short" | "expired", MadeCertificate>>;
beforeAll(async () => {
  const [long, short, expired] = await Promise.all([
    makeCertificate(made.path, "long"),
    makeCertificate(made.path, "short", 10),
    makeCertificate(made.path, "expired", -1),
  ]);
  pairs = { long, short, expired };
  setDefaultCACertificates([...trusted, long.cert, short.cert, expired.cert]);
});
afterAll(() => {
  setDefaultCACertificates(trusted);
  made[Symbol.dispose]();
});

// Rounds come when a test says so; connections keep their real timers.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());
const round = () => vi.advanceTimersByTimeAsync(2 * upkeepRoundMs);

const alertsOf = async ({ client }: TestGateway): Promise<readonly string[]> =>
  (await client.alerts.list()).items.map((it: Alert) => `${it.rule} ${it.resource_name} ${it.state}`).toSorted();
const certificatesOf = async ({ client }: TestGateway) =>
  (await client.status.observer()).components.find((it) => it.name === "certificates")!;

test("receiver certificates: one that expires soon, is replaced, has expired, or is no longer used is known from the messages that are sent", async () => {
  await using receiver = await openReceiver(undefined, pairs.short);
  await using gateway = await startGateway();
  const { alertChannels } = gateway.client;
  const params = { id: "Hook" };
  const tested = async () => {
    const { accepted } = await alertChannels.test({ params });
    await round();
    return accepted;
  };
  await alertChannels.create({ body: { name: "Hook", type: "webhook", url: `${receiver.url}/a-secret-path` } });
  await round();
  expect(await alertsOf(gateway)).toEqual([]);

  expect(await tested()).toBe(true);
  expect(await alertsOf(gateway)).toEqual(["cert-expiry-critical Hook active"]);
  expect((await gateway.request("GET", "/alerts")).text).not.toContain("a-secret-path");

  receiver.replace(pairs.long);
  expect(await tested()).toBe(true);
  expect(await alertsOf(gateway)).toEqual(["cert-expiry-critical Hook resolved"]);
  expect(await certificatesOf(gateway)).toMatchObject({
    status: "ok",
    message: expect.stringContaining("Hook (webhook)"),
  });

  receiver.replace(pairs.expired);
  expect(await tested()).toBe(false);
  expect(await alertsOf(gateway)).toEqual(["cert-expired Hook active", "cert-expiry-critical Hook resolved"]);
  expect(await certificatesOf(gateway)).toMatchObject({
    status: "degraded",
    message: expect.stringContaining("Hook (webhook) has expired: its server was refused at"),
  });

  await alertChannels.update({ params, body: { enabled: false } });
  await round();
  expect(await alertsOf(gateway)).toEqual(["cert-expired Hook resolved", "cert-expiry-critical Hook resolved"]);
});

test("receiver certificates: that of a mail server is known after a message over STARTTLS, and when it has expired", async () => {
  const login = { username: "gateway", password: "a p4ssword" };
  await using gateway = await startGateway();
  const { alertChannels } = gateway.client;
  const sendBy = async (pair: MadeCertificate) => {
    await using server = await openMailReceiver({ ...login, pair });
    const { port } = server;
    server.trust(true);
    const mail = { type: "email", host: "127.0.0.1", from: "gateway@example.net", ...login } as const;
    const { id } = await alertChannels.create({ body: { name: `Mail ${port}`, ...mail, port, to: ["a@example.net"] } });
    const { accepted } = await alertChannels.test({ params: { id } });
    await round();
    const { message } = await certificatesOf(gateway);
    await alertChannels.remove({ params: { id } });
    return { accepted, message, name: `Mail ${port}` };
  };
  const good = await sendBy(pairs.long);
  expect(good).toMatchObject({ accepted: true, message: expect.stringContaining(`${good.name} (email), at `) });
  const bad = await sendBy(pairs.expired);
  expect(bad).toMatchObject({ accepted: false, message: expect.stringContaining(`${bad.name} (email) has expired`) });
  await round();
  expect(await certificatesOf(gateway)).toMatchObject({ status: "off" });
});
