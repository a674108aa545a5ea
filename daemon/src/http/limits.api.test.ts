import { request } from "node:http";
import { status } from "@portcullis/contract/subsystems/status";
import { expect, test } from "vitest";
import { createApiServer } from "../../../testing/api-server.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";

const auth = {
  enabled: true,
  local_net: "10.99.0.0/16",
  api_keys: [
    { key: "the-key-of-the-first", role: "viewer", name: "first" },
    { key: "the-key-of-the-second", role: "viewer", name: "second" },
  ],
};
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

/** Sends requests until one is refused; returns the number of accepted ones, and the refusal. */
async function exhaust(ask: () => ReturnType<TestGateway["request"]>) {
  for (let admitted = 0; admitted < 100; admitted += 1) {
    const answer = await ask();
    if (answer.status === 429) return { admitted, answer };
  }
  throw new Error("It was never refused");
}

test("rate limit: a key over its limit gets Retry-After, and another key is not affected", async () => {
  await using gateway = await startGateway({ config: { auth, limits: { requests_per_minute: 12 } } });
  const first = () => gateway.request("GET", "/status", bearer("the-key-of-the-first"));
  const second = () => gateway.request("GET", "/status", bearer("the-key-of-the-second"));

  const { admitted, answer } = await exhaust(first);
  expect(admitted).toBe(12);
  const waitSec = Number(answer.headers.get("retry-after"));
  expect(waitSec).toBeGreaterThanOrEqual(1);
  expect(waitSec).toBeLessThanOrEqual(5);
  expect(answer.json()).toMatchObject({ error: { code: "rate_limited", details: { retry_after_sec: waitSec } } });

  expect((await second()).status).toBe(200);
  expect((await gateway.request("GET", "/status")).status).toBe(401);
  expect((await first()).status).toBe(429);
});

test("rate limit: an address without a good key is counted as an address, whichever keys it tries", async () => {
  await using gateway = await startGateway({ config: { auth, limits: { requests_per_minute: 6 } } });
  let tries = 0;
  const guess = () => gateway.request("GET", "/status", bearer(`not-a-key-of-anybody-${(tries += 1)}`));
  expect((await exhaust(guess)).admitted).toBe(6);
  expect((await gateway.request("GET", "/health")).status).toBe(429);
  expect((await gateway.request("GET", "/status", bearer("the-key-of-the-first"))).status).toBe(200);
});

/** From an address of loopback's own choosing. */
function loginFrom(localAddress: string, origin: string, body: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request(`${origin}/api/v1/auth/login`, { method: "POST", localAddress, headers, agent: false });
    sent.on("response", (answer) => resolve(answer.resume().statusCode!)).on("error", reject);
    sent.end(JSON.stringify(body));
  });
}

test("rate limit: passwords of one account are guessed slowly from however many addresses, and its owner is not locked out", async () => {
  await using gateway = await startGateway({ config: { limits: { logins_per_minute: 5 } } });
  const ada = { username: "ada", password: "correct horse battery" };
  const from = (place: number) => `127.1.${place}.9`;
  await gateway.client.auth.setup({ body: { ...ada, code: gateway.setupCode() } });
  expect(await loginFrom("127.9.9.9", gateway.origin, ada)).toBe(200);
  const guess = { ...ada, password: "a wrong password" };
  const statuses = [];
  for (let place = 0; place < 18; place += 1) statuses.push(await loginFrom(from(place), gateway.origin, guess));
  const evaluated = statuses.filter((status) => status === 401).length;
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  // Five at once, then one after a second, two, four: on a slow machine some seconds pass.
  expect(evaluated).toBeLessThan(5 + 6);
  expect(await loginFrom(from(99), gateway.origin, guess)).toBe(429);
  expect(await loginFrom("127.9.9.9", gateway.origin, ada)).toBe(200);
});

test("rate limit: the addresses of one IPv6 network count as one client", async () => {
  const app = createApiServer(
    { status },
    { status: { health: () => ({ status: "ok" }) } as never },
    { limits: { requestsPerMinute: 3 } },
  );
  const ask = async (remoteAddress: string) =>
    (await app.inject({ url: "/api/v1/health", headers: { host: "localhost" }, remoteAddress })).statusCode;
  const statuses = [];
  for (const host of [":1", ":2", "a:b:c:d", "ffff:ffff:ffff:ffff"]) statuses.push(await ask(`2001:db8:0:7:${host}`));
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect([await ask("2001:db8:0:8::1"), await ask("192.0.2.1"), await ask("192.0.2.2")]).toEqual([200, 200, 200]);
  await app.close();
});

test("rate limit: passwords are guessed slowly, with any credential, and nothing else is slowed down", async () => {
  await using gateway = await startGateway({ config: { auth, limits: { logins_per_minute: 3 } } });
  const body = { username: "ada", password: "a wrong password" };
  const login = () => gateway.request("POST", "/auth/login", { body });
  const { admitted, answer } = await exhaust(login);
  expect(admitted).toBe(3);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(10);
  const withKey = await gateway.request("POST", "/auth/login", { body, ...bearer("the-key-of-the-first") });
  expect([withKey.status, (await gateway.request("POST", "/auth/setup", { body })).status]).toEqual([429, 429]);
  expect((await gateway.request("GET", "/health")).status).toBe(200);
  expect((await gateway.request("GET", "/status", bearer("the-key-of-the-first"))).status).toBe(200);
});
