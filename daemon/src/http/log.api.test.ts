import { pino } from "pino";
import { status } from "@portcullis/contract/subsystems/status";
import { describe, expect, test } from "vitest";
import { createApiServer } from "../../../testing/api-server.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { sendRaw, wire } from "../../../testing/raw-http.ts";
import { requestLog } from "../app/log.ts";

const auth = { enabled: true, local_net: "10.99.0.0/16", api_keys: ["the-key-of-an-admin"] };
const admin = { authorization: "Bearer the-key-of-an-admin" };

interface Line {
  readonly level: number;
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly took_ms: number;
  readonly actor?: string;
  readonly client: string;
  readonly msg: string;
}
const linesOf = ({ logged }: TestGateway): Line[] => logged.map((line) => JSON.parse(line) as Line);

test("request log: every response has a line with its request id", async () => {
  await using gateway = await startGateway({ config: { auth } });
  const requested = [
    ["GET", "/status", admin, 20, "key:bootstrap-1"],
    ["GET", "/status", {}, 30, undefined],
    ["POST", "/devices", admin, 30, "key:bootstrap-1"],
    ["DELETE", "/devices/01890000-0000-7000-8000-000000000000", admin, 30, "key:bootstrap-1"],
    ["GET", "/no-such-thing", {}, 30, undefined],
    ["PATCH", "/devices", {}, 30, undefined],
    ["OPTIONS", "/devices", {}, 30, undefined],
    ["HEAD", "/health", {}, 20, undefined],
  ] as const;
  for (const [method, path, headers, level, actor] of requested) {
    const { status, headers: got } = await gateway.request(method, path, {
      headers,
      ...(method === "POST" && { body: { name: "TV" } }),
    });
    const id = got.get("x-request-id");
    const lines = linesOf(gateway).filter(({ request_id }) => request_id === id);
    expect(lines).toMatchObject([{ level, method, path: `/api/v1${path}`, status, msg: "request" }]);
    expect(lines[0]!.actor).toBe(actor);
    expect([lines[0]!.took_ms > 0, lines[0]!.client]).toEqual([true, "127.0.0.1"]);
  }
});

test("request log: a line has the actual duration", async () => {
  await using gateway = await startGateway({ config: { auth } });
  const startedMs = performance.now();
  const { headers } = await gateway.request("POST", "/auth/login", { body: { username: "ada", password: "wrong" } });
  const tookMs = performance.now() - startedMs;
  const line = linesOf(gateway).find(({ request_id }) => request_id === headers.get("x-request-id"))!;
  // Hashing a password takes milliseconds anywhere.
  expect(line.took_ms).toBeGreaterThan(2);
  expect(line.took_ms).toBeLessThanOrEqual(tookMs);
});

test("request log: ids are never given twice", async () => {
  await using gateway = await startGateway();
  const ids = await Promise.all(
    Array.from({ length: 200 }, async () => (await gateway.request("GET", "/health")).headers.get("x-request-id")),
  );
  expect(new Set(ids).size).toBe(200);
});

test("request log: an id that a caller brings along is not believed", async () => {
  await using gateway = await startGateway();
  const { headers } = await gateway.request("GET", "/health", { headers: { "x-request-id": "forged" } });
  expect(headers.get("x-request-id")).not.toBe("forged");
  expect(gateway.logged.join("")).not.toContain("forged");
});

test("request log: a bug is logged with its id, and the response does not contain the cause", async () => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
  const app = createApiServer(
    { status: { health: status.health } },
    {
      status: {
        health: () => {
          throw new Error("SELECT went wrong");
        },
      },
    },
    { log: requestLog(log) },
  );
  const { statusCode, body, headers } = await app.inject({
    url: "/api/v1/health",
    headers: { host: "localhost", ...admin },
  });
  expect([statusCode, JSON.parse(body)]).toEqual([
    500,
    {
      error: {
        code: "internal",
        message: `The gateway has a bug; its log has the cause at the request id ${String(headers["x-request-id"])}`,
        details: { request_id: headers["x-request-id"] },
      },
    },
  ]);
  const [broken, answered] = lines.map(
    (line) => JSON.parse(line) as Line & { err?: { message: string; stack: string } },
  );
  expect(broken).toMatchObject({
    level: 50,
    request_id: headers["x-request-id"],
    err: { message: "SELECT went wrong" },
  });
  expect(broken!.err!.stack).toContain("log.api.test.ts");
  expect(answered).toMatchObject({ level: 30, status: 500 });
  expect(lines.join("")).not.toContain("the-key-of-an-admin");
});

describe("request log: secrets never reach the log, also at its most talkative and when things go wrong", () => {
  /** Each canary is planted where its name says, in requests that succeed and in requests that fail. */
  const canary = (place: string) => `canary-of-${place}-5e7a1c`;

  async function plant(gateway: TestGateway): Promise<void> {
    const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = admin) =>
      gateway.request(method, path, { headers, ...(body !== undefined && { body }) });
    const password = canary("password");
    await send("GET", "/devices", undefined, { authorization: `Bearer ${canary("bearer")}` });
    await send("GET", "/devices", undefined, { authorization: `Basic ${canary("basic")}` });
    await send("GET", "/devices", undefined, {
      cookie: `gateway_session=${canary("cookie")}; other=${canary("other")}`,
    });
    await send("POST", "/auth/setup", { username: "ada", password, code: canary("code") }, {});
    await send("POST", "/auth/setup", { username: "ada", password });
    await send("POST", "/auth/setup", { username: "ada", password });
    await send("POST", "/auth/login", { username: "ada", password: canary("guess") }, {});
    await send("POST", "/auth/login", { username: "ada", password, [canary("field")]: canary("value") }, {});
    await send("POST", "/auth/login", `{"password":"${canary("broken")}"`, {});
    await send("POST", "/auth/change-password", { current_password: canary("current"), new_password: canary("fresh") });
    await send("POST", "/secrets", { name: "token", value: canary("secret") });
    await send("POST", "/secrets", { name: "token", value: canary("secret-again") });
    await send("POST", "/secrets", { name: "", value: canary("secret-refused") });
    await send("POST", "/secrets/set-passphrase", { passphrase: canary("passphrase") });
    await send("POST", "/secrets/set-passphrase", { passphrase: [canary("passphrase-refused")] });
    await send("PUT", "/settings", { telegram_bot_token: canary("bot") });
    await send("PUT", "/settings/telegram_bot_token", { value: canary("bot-again") });
    await send("GET", `/devices?name=${canary("query")}`);
    await send("GET", `/devices?${canary("query-field")}=1`);
    await send("GET", `/no-such-thing?token=${canary("lost-query")}`);
    await send("PATCH", `/devices?token=${canary("method-query")}`);
    const { host } = new URL(gateway.origin);
    await sendRaw(gateway.origin, wire(`GET /api/v1/devices/%zz?token=${canary("bad-path-query")} HTTP/1.1`, { host }));
    await sendRaw(gateway.origin, wire("GET /api/v1/health HTTP/1.1", { host, [`bad ${canary("header-name")}`]: "x" }));
    await sendRaw(gateway.origin, `${canary("garbage")}\r\n\r\n`);
    await send("POST", "/devices", { name: "TV" }, { ...admin, origin: `http://${canary("origin")}.example` });
  }

  test("not one of them", async () => {
    await using gateway = await startGateway({ config: { auth, log: { level: "debug" } } });
    await plant(gateway);
    const log = gateway.logged.join("");
    expect(log.match(/canary-of-[\w-]+/g) ?? []).toEqual([]);
    expect(log).not.toContain("the-key-of-an-admin");
    expect(linesOf(gateway).length).toBeGreaterThanOrEqual(22);
    expect(linesOf(gateway).filter(({ level }) => level >= 40)).toEqual([]);
  });

  test("while what is meant to be read is there", async () => {
    await using gateway = await startGateway({ config: { auth } });
    await gateway.request("GET", `/settings/${canary("path").replaceAll("-", "_")}`, { headers: admin });
    expect(gateway.logged.join("")).toContain(canary("path").replaceAll("-", "_"));
  });
});
