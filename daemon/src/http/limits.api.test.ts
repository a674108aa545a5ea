import { expect, test } from "vitest";
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

/** Asks until it is refused; answers how often it was not, and the refusal. */
async function exhaust(ask: () => ReturnType<TestGateway["request"]>) {
  for (let admitted = 0; admitted < 100; admitted += 1) {
    const answer = await ask();
    if (answer.status === 429) return { admitted, answer };
  }
  throw new Error("It was never refused");
}

test("a key that asks too often is told when to come back, and another key is not held up", async () => {
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

test("an address without a good key is counted as an address, whichever keys it tries", async () => {
  await using gateway = await startGateway({ config: { auth, limits: { requests_per_minute: 6 } } });
  let tries = 0;
  const guess = () => gateway.request("GET", "/status", bearer(`not-a-key-of-anybody-${(tries += 1)}`));
  expect((await exhaust(guess)).admitted).toBe(6);
  expect((await gateway.request("GET", "/health")).status).toBe(429);
  expect((await gateway.request("GET", "/status", bearer("the-key-of-the-first"))).status).toBe(200);
});

test("passwords are guessed slowly, with any credential, and nothing else is slowed down", async () => {
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
