import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { type Reply, startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const ada = { username: "ada", password: "correct horse battery" };
/** No client is local, so that a request needs a cookie or a key. */
const auth = { enabled: true, local_net: "10.99.0.0/16", api_keys: ["the-key-of-an-admin"] };
const startGuarded = (now?: () => Date) => startGateway({ config: { auth }, ...(now && { now }) });

const cookieOf = ({ headers }: Reply): string => headers.get("set-cookie")!.split(";", 1)[0]!;
const tokenOf = (cookie: string): string => cookie.split("=")[1]!;
const setup = (gateway: TestGateway, body = ada) =>
  gateway.request("POST", "/auth/setup", { body, headers: { authorization: "Bearer the-key-of-an-admin" } });
const login = (gateway: TestGateway, body = ada) => gateway.request("POST", "/auth/login", { body });
const opens = async (gateway: TestGateway, cookie: string): Promise<boolean> =>
  (await gateway.request("GET", "/devices", { headers: { cookie } })).status === 200;

describe("sessions: setup", () => {
  test("makes the first admin, who is signed in, and works once", async () => {
    await using gateway = await startGuarded();
    expect((await gateway.request("GET", "/auth/status")).json()).toMatchObject({ enabled: true, configured: false });
    const first = await setup(gateway);
    expect([first.status, first.json()]).toEqual([
      201,
      { username: "ada", role: "admin", expires_at: expect.any(String) },
    ]);
    expect(await opens(gateway, cookieOf(first))).toBe(true);
    const second = await setup(gateway, { username: "eve", password: "another password" });
    expect([second.status, second.json().error.code, second.headers.get("set-cookie")]).toEqual([
      409,
      "already_configured",
      null,
    ]);
    expect((await login(gateway, { username: "eve", password: "another password" })).status).toBe(401);
    expect((await gateway.request("GET", "/auth/status")).json()).toMatchObject({ configured: true });
  });

  test("of several at the same moment one wins, and is signed in to stay", async () => {
    await using gateway = await startGuarded();
    const names = ["ada", "bob", "eve", "mallory"];
    const replies = await Promise.all(names.map((username) => setup(gateway, { ...ada, username })));
    expect(replies.map(({ status }) => String(status)).toSorted()).toEqual(["201", "409", "409", "409"]);
    const winner = replies.find(({ status }) => status === 201)!;
    expect(await opens(gateway, cookieOf(winner))).toBe(true);
    const right = await Promise.all(names.map((username) => login(gateway, { ...ada, username })));
    expect(names.filter((_, place) => right[place]!.status === 200)).toEqual([winner.json().username]);
    expect(await opens(gateway, cookieOf(winner))).toBe(true);
  });

  test.each([
    { username: "ada", password: "short" },
    { username: "", password: "long enough to pass" },
    { username: "ada lovelace", password: "long enough to pass" },
    { username: "ada", password: "x".repeat(1025) },
  ])("takes no $username with $password.length characters", async (body) => {
    await using gateway = await startGuarded();
    expect((await setup(gateway, body)).status).toBe(400);
    expect((await setup(gateway)).status).toBe(201);
  });
});

test("sessions: a password is stored only as a standard argon2 hash", async () => {
  await using gateway = await startGuarded();
  const cookie = cookieOf(await setup(gateway));
  const files = readdirSync(gateway.stateFolder).map((name) => readFileSync(join(gateway.stateFolder, name), "latin1"));
  expect(files.some((text) => /\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[\w+/]+\$[\w+/]+/.test(text))).toBe(true);
  for (const text of [...files, ...gateway.logged])
    for (const secret of [ada.password, tokenOf(cookie)]) expect(text).not.toContain(secret);
});

describe("sessions: login", () => {
  test("sets a cookie that scripts and other sites cannot use, for twelve hours", async () => {
    await using gateway = await startGuarded();
    await setup(gateway);
    const [pair, ...flags] = (await login(gateway)).headers.get("set-cookie")!.split("; ");
    expect(pair).toMatch(/^gateway_session=[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(flags.toSorted()).toEqual(["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Strict"]);
  });

  test("says no in the same words whether the name or the password is wrong", async () => {
    await using gateway = await startGuarded();
    const answers = [await login(gateway)];
    await setup(gateway);
    answers.push(await login(gateway, { ...ada, password: "a wrong password" }));
    answers.push(await login(gateway, { ...ada, username: "eve" }));
    answers.push(await login(gateway, { ...ada, username: "ADA" }));
    for (const { status, text, headers } of answers)
      expect([status, text, headers.get("set-cookie")]).toEqual([401, answers[0]!.text, null]);
    expect((await login(gateway)).status).toBe(200);
  });

  test("is written down with who and from where, and never with the password", async () => {
    await using gateway = await startGuarded();
    await setup(gateway);
    const cookie = cookieOf(await login(gateway));
    const answer = await gateway.request("GET", "/audit?action=create_session", { headers: { cookie } });
    expect(answer.json()).toMatchObject([{ actor: "ada", details: { username: "ada", address: "127.0.0.1" } }]);
    expect(answer.text).not.toContain(ada.password);
  });
});

describe("sessions: a cookie", () => {
  test("is found among others", async () => {
    await using gateway = await startGuarded();
    const cookie = cookieOf(await setup(gateway));
    expect(await opens(gateway, `theme=dark; ${cookie}; lang=en`)).toBe(true);
    expect(await opens(gateway, `theme=dark;${cookie}`)).toBe(true);
    expect(await opens(gateway, `other_${cookie}`)).toBe(false);
    expect(await opens(gateway, "gateway_session=; gateway_session")).toBe(false);
  });

  test("that was modified, forged or signed with another key is refused", async () => {
    await using gateway = await startGuarded();
    const cookie = cookieOf(await setup(gateway));
    const [head, body, mark] = tokenOf(cookie).split(".") as [string, string, string];
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const foreign = await new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .sign(new TextEncoder().encode("another signing key, long enough"));
    const forged = [
      foreign,
      `${head}.${part({ ...claims, exp: 9_999_999_999 })}.${mark}`,
      `${part({ alg: "none", typ: "JWT" })}.${body}.`,
      `${head}.${body}.${mark.toLowerCase()}`,
      `${head}.${body}`,
      "x",
    ];
    for (const token of forged)
      expect([token, await opens(gateway, `gateway_session=${token}`)]).toEqual([token, false]);
    expect(await opens(gateway, cookie)).toBe(true);
  });

  test("ends after twelve hours", async () => {
    let now = new Date("2026-03-01T08:00:00Z");
    await using gateway = await startGuarded(() => now);
    const first = await setup(gateway);
    expect(first.json().expires_at).toBe("2026-03-01T20:00:00.000Z");
    now = new Date("2026-03-01T19:59:59Z");
    expect(await opens(gateway, cookieOf(first))).toBe(true);
    now = new Date("2026-03-01T20:00:00Z");
    expect(await opens(gateway, cookieOf(first))).toBe(false);
    const answer = await gateway.request("GET", "/auth/tokens", {
      headers: { authorization: `Bearer ${auth.api_keys[0]}` },
    });
    expect(answer.json()).toEqual([]);
  });

  test("still opens after a restart", async () => {
    await using gateway = await startGuarded();
    const cookie = cookieOf(await setup(gateway));
    await using again = await gateway.restart();
    expect(await opens(again, cookie)).toBe(true);
    expect(await opens(again, `${cookie}x`)).toBe(false);
    expect((await login(again)).status).toBe(200);
    expect(await opens(again, cookie)).toBe(true);
  });

  test("of another gateway opens nothing here", async () => {
    await using here = await startGuarded();
    await using there = await startGuarded();
    const [own, foreign] = [cookieOf(await setup(here)), cookieOf(await setup(there))];
    expect([await opens(here, own), await opens(here, foreign)]).toEqual([true, false]);
  });
});

test("sessions: open sessions are listed, and the one of the request is marked", async () => {
  await using gateway = await startGuarded();
  const cookies = [cookieOf(await setup(gateway)), cookieOf(await login(gateway)), cookieOf(await login(gateway))];
  for (const cookie of cookies) {
    const answer = await gateway.request("GET", "/auth/tokens", { headers: { cookie } });
    const sessions: { id: string; username: string; address: string; current: boolean }[] = answer.json();
    expect(sessions.map(({ username, address }) => `${username} ${address}`)).toEqual(Array(3).fill("ada 127.0.0.1"));
    expect(sessions.filter(({ current }) => current).map(({ id }) => id)).toEqual([claimsOf(cookie).jti]);
    expect(answer.text).not.toContain(tokenOf(cookie).split(".")[2]);
  }
});

const claimsOf = (cookie: string): { jti: string } =>
  JSON.parse(Buffer.from(tokenOf(cookie).split(".")[1]!, "base64url").toString());

describe("sessions: a change of the password", () => {
  const change = (gateway: TestGateway, headers: Record<string, string>, current_password = ada.password) =>
    gateway.request("POST", "/auth/change-password", {
      headers,
      body: { current_password, new_password: "a brand new password" },
    });

  test("ends every other session and keeps the one of the request", async () => {
    await using gateway = await startGuarded();
    const [mine, other, third] = [
      cookieOf(await setup(gateway)),
      cookieOf(await login(gateway)),
      cookieOf(await login(gateway)),
    ];
    const changed = await change(gateway, { cookie: mine });
    expect([changed.status, changed.json()]).toEqual([200, { username: "ada", sessions_ended: 2 }]);
    expect([await opens(gateway, mine), await opens(gateway, other), await opens(gateway, third)]).toEqual([
      true,
      false,
      false,
    ]);
    expect((await login(gateway)).status).toBe(401);
    expect((await login(gateway, { ...ada, password: "a brand new password" })).status).toBe(200);
  });

  test("by a key ends every session", async () => {
    await using gateway = await startGuarded();
    const cookie = cookieOf(await setup(gateway));
    const headers = { authorization: `Bearer ${auth.api_keys[0]}` };
    expect((await change(gateway, headers)).json()).toMatchObject({ sessions_ended: 1 });
    expect(await opens(gateway, cookie)).toBe(false);
  });

  test("with a wrong current password changes nothing", async () => {
    await using gateway = await startGuarded();
    const [mine, other] = [cookieOf(await setup(gateway)), cookieOf(await login(gateway))];
    const refused = await change(gateway, { cookie: mine }, "not my password");
    expect([refused.status, refused.json().error.code]).toEqual([403, "forbidden"]);
    expect([await opens(gateway, mine), await opens(gateway, other)]).toEqual([true, true]);
    expect((await login(gateway)).status).toBe(200);
  });

  test("needs a credential, and an account", async () => {
    await using gateway = await startGuarded();
    expect((await change(gateway, {})).status).toBe(401);
    const headers = { authorization: `Bearer ${auth.api_keys[0]}` };
    expect((await change(gateway, headers)).status).toBe(404);
  });

  test("outlives a restart, as do the sessions it left", async () => {
    await using gateway = await startGuarded();
    const [mine, other] = [cookieOf(await setup(gateway)), cookieOf(await login(gateway))];
    await change(gateway, { cookie: mine });
    await using again = await gateway.restart();
    expect([await opens(again, mine), await opens(again, other)]).toEqual([true, false]);
    expect((await login(again, { ...ada, password: "a brand new password" })).status).toBe(200);
  });
});

test("sessions: an admin whose passphrase is lost can still come in and set it again", async () => {
  const setPassphrase = (gateway: TestGateway, cookie: string, passphrase: string) =>
    gateway.request("POST", "/secrets/set-passphrase", { headers: { cookie }, body: { passphrase } });
  await using before = await startGuarded();
  const mine = "the operator's own passphrase";
  expect((await setPassphrase(before, cookieOf(await setup(before)), mine)).status).toBe(200);

  await using gateway = await before.restart((stateFolder) => {
    rmSync(join(stateFolder, "secrets.passphrase"));
    const database = new DatabaseSync(join(stateFolder, "portcullis.db"));
    database.exec("DELETE FROM setting WHERE key = 'secrets_passphrase'");
    database.close();
  });
  const cookie = cookieOf(await login(gateway));
  const wrong = await setPassphrase(gateway, cookie, "not that passphrase");
  expect([wrong.status, wrong.json().error.code]).toEqual([500, "secrets_undecipherable"]);
  expect((await setPassphrase(gateway, cookie, mine)).status).toBe(200);
});
