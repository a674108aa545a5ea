import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { until } from "../../../../testing/deadline.ts";
import { alertAt, alertId, folderWith } from "../../../../testing/earlier-state.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { openMailReceiver } from "../../../../testing/mail-receiver.ts";
import { openReceiver } from "../../../../testing/receiver.ts";

/* Receivers as they are outside: a Bot API, an ntfy server, and a mail server with STARTTLS and a password. */
const withAlerts = () =>
  startGateway({
    folder: folderWith({
      alerts: [1, 2, 3].map((number) => ({
        ...alertAt(Date.now(), number, because("alert_tunnel_down", { name: "Köln" })),
        resource: { type: "tunnel", id: "t", name: "Köln" },
      })),
    }),
  });
const resolve = (gateway: TestGateway, number: number) =>
  gateway.client.alerts.resolve({ params: { id: alertId(number) } });
const listed = async (gateway: TestGateway) => (await gateway.client.alertDeliveries.list()).items;
const isIn = (gateway: TestGateway, state: string) => async () =>
  (await listed(gateway)).every((it) => it.state === state);

test("receivers: a bot sends the alert to the chat, waits as long as the Bot API says, and its token is in no answer", async () => {
  let isBusy = true;
  await using api = await openReceiver(({ url }) =>
    isBusy
      ? { status: 429, text: JSON.stringify({ ok: false, description: url, parameters: { retry_after: 3 } }) }
      : { text: JSON.stringify({ ok: true, result: {} }) },
  );
  await using gateway = await withAlerts();
  const bot_token = "123456:T0kenOfTheBot";
  const body = { name: "Chat", type: "telegram", bot_token, chat_id: "-100123", api_url: api.url } as const;
  await gateway.client.alertChannels.create({ body });
  await resolve(gateway, 1);
  await until("it was tried", async () => (await listed(gateway))[0]?.attempts === 1);
  const [waiting] = await listed(gateway);
  expect(waiting).toMatchObject({ state: "waiting", reason: expect.stringContaining("429") });
  expect(Date.parse(waiting!.next_attempt_at!) - Date.now()).toBeLessThanOrEqual(3000);
  for (const path of ["/alert-deliveries", "/alert-channels", "/audit", "/observer"])
    expect((await gateway.request("GET", path)).text).not.toContain("T0ken");
  isBusy = false;
  await until("it is delivered", isIn(gateway, "delivered"), 20);
  const [first, second] = api.received;
  expect(first!.url).toBe(`/bot${bot_token}/sendMessage`);
  expect(second!.json()).toMatchObject({
    chat_id: "-100123",
    text: expect.stringMatching(/^Resolved: drift-detected \(Köln\)\nIt is over: tunnel Köln is down\n/),
  });
  expect(second!.json()).not.toHaveProperty("parse_mode");
});

test("receivers: an ntfy server receives the alert as JSON with the topic, a priority and tags", async () => {
  await using server = await openReceiver(() => ({ text: JSON.stringify({ id: "x", topic: "my-secret-topic" }) }));
  await using gateway = await withAlerts();
  const { alertChannels } = gateway.client;
  const body = { name: "Phone", type: "ntfy", url: server.url, topic: "my-secret-topic", token: "tk_T0ken" } as const;
  const { id } = await alertChannels.create({ body });
  await resolve(gateway, 1);
  await until("it is received", async () => server.received.length === 1);
  const [{ url, headers, body: sent }] = server.received as [(typeof server.received)[0]];
  expect([url, headers.authorization]).toEqual(["/", "Bearer tk_T0ken"]);
  expect(JSON.parse(sent)).toMatchObject({
    topic: "my-secret-topic",
    title: "Resolved: drift-detected (Köln)",
    priority: 2,
    tags: ["white_check_mark", "drift-detected"],
  });
  const tested = await alertChannels.test({ params: { id } });
  expect([tested.accepted, tested.reason.includes("my-secret-topic"), tested.reason.includes("…")]).toEqual([
    true,
    false,
    true,
  ]);
});

const login = { username: "gateway", password: "a p4ssword" };
const mail = { name: "Mail", type: "email", host: "localhost", from: "gateway@example.net", ...login } as const;

test("receivers: a mail server receives the alert over TLS after a sign-in, and nothing without a trusted certificate or the password", async () => {
  await using server = await openMailReceiver(login);
  await using gateway = await withAlerts();
  const { alertChannels } = gateway.client;
  const { port } = server;
  const made = await alertChannels.create({ body: { ...mail, port, to: ["a@example.net", "b@example.net"] } });
  expect(made).toMatchObject({ security: "starttls", has_secret: true });
  const params = { id: made.id };
  expect(await alertChannels.test({ params })).toMatchObject({
    accepted: false,
    reason: expect.stringContaining("certificate"),
  });
  server.trust(true);
  expect(await alertChannels.test({ params })).toMatchObject({ accepted: true });
  await resolve(gateway, 1);
  await until("it is delivered", isIn(gateway, "delivered"));
  await until("both are received", async () => server.received.length === 2);
  const [, { tls, from, to, content }] = server.received as [unknown, (typeof server.received)[0]];
  expect([tls, from, to]).toEqual([true, "gateway@example.net", ["a@example.net", "b@example.net"]]);
  const [message] = await listed(gateway);
  expect(content).toContain(`X-Portcullis-Delivery: ${message!.id}\r\n`);
  const text = Buffer.from(content.split("\r\n\r\n")[1]!, "base64").toString();
  expect(text).toMatch(/^It is over: tunnel Köln is down\n\nSeverity: warning\n/);

  await alertChannels.update({ params, body: { password: "wrong" } });
  const refused = await alertChannels.test({ params });
  expect(refused).toMatchObject({ accepted: false, reason: expect.stringContaining("535") });
  expect(server.received).toHaveLength(2);
});

test("receivers: a recipient that is refused does not keep the others from the message, and one that is refused for now is tried again alone", async () => {
  await using server = await openMailReceiver(login);
  server.trust(true);
  await using gateway = await withAlerts();
  const { alertChannels } = gateway.client;
  const { port } = server;
  const params = { id: "Mail" };
  await alertChannels.create({ body: { ...mail, port, to: ["unknown@example.net", "b@example.net"] } });
  await resolve(gateway, 1);
  await until("it is given up", isIn(gateway, "given_up"));
  expect(await listed(gateway)).toMatchObject([{ reason: expect.stringContaining("unknown@example.net") }]);
  expect(server.received.map(({ to }) => to)).toEqual([["b@example.net"]]);
  await alertChannels.update({ params, body: { to: ["later@example.net", "b@example.net"] } });
  await resolve(gateway, 2);
  await until("it was tried", async () => (await listed(gateway))[0]!.attempts > 0);
  expect(await listed(gateway)).toMatchObject([
    { state: "waiting", reason: expect.stringContaining("450") },
    { state: "given_up" },
  ]);
  await until("the recipient is tried again", async () => (await listed(gateway))[0]!.attempts > 1, 20);
  expect(server.received.map(({ to }) => to)).toEqual([["b@example.net"], ["b@example.net"]]);
});

test("receivers: a mail server without STARTTLS gets no message and no password, unless the channel says none", async () => {
  const lines: string[] = [];
  await using server = await plainServer((line) => void lines.push(line));
  await using gateway = await withAlerts();
  const { alertChannels } = gateway.client;
  const params = { id: "Mail" };
  await alertChannels.create({ body: { ...mail, port: server.port, to: ["a@example.net"] } });
  expect(await alertChannels.test({ params })).toMatchObject({
    accepted: false,
    reason: expect.stringContaining("STARTTLS"),
  });
  expect(lines.filter((it) => !/^(EHLO|STARTTLS|QUIT)/.test(it))).toEqual([]);
  await alertChannels.update({ params, body: { security: "none", password: login.password } });
  expect(await alertChannels.test({ params })).toMatchObject({ accepted: true });
  expect(lines).toContain("MAIL FROM:<gateway@example.net>");
  expect(lines.some((it) => it.startsWith("AUTH PLAIN "))).toBe(true);
});

/** A mail server without TLS that accepts everything. */
async function plainServer(hear: (line: string) => void) {
  const server = createServer((socket) => {
    let isText = false;
    socket.on("error", () => {}).write("220 plain\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      hear(line);
      if (isText && line !== ".") return;
      isText = line === "DATA";
      const answers = {
        EHLO: "250-plain\r\n250 AUTH PLAIN",
        DATA: "354 go",
        AUTH: "235 in",
        QUIT: "221 bye",
        STAR: "502 no",
      };
      socket.write(`${answers[line.slice(0, 4) as "EHLO"] ?? "250 OK"}\r\n`);
    });
  }).listen(0);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, "close");
    },
  };
}
