import { describe, expect, test } from "vitest";
import { ownSec } from "../../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../../testing/deadline.ts";
import { type Reply, startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { type StreamedEvent, type EventStream, openEventStream } from "../../../../testing/event-stream.ts";

const ada = { username: "ada", password: "correct horse battery" };
const adminKey = "the-key-of-an-admin";
const viewerKey = "the-key-of-a-dashboard";
const auth = {
  enabled: true,
  local_net: "10.99.0.0/16",
  api_keys: [adminKey, { key: viewerKey, role: "viewer", name: "dashboard" }],
};
const startGuarded = (now?: () => Date) => startGateway({ config: { auth }, ...(now && { now }) });

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const admin = { headers: bearer(adminKey) };
const cookieOf = ({ headers }: Reply): string => headers.get("set-cookie")!.split(";", 1)[0]!;
const setup = (gateway: TestGateway) => gateway.request("POST", "/auth/setup", { body: ada, ...admin });
const login = (gateway: TestGateway) => gateway.request("POST", "/auth/login", { body: ada });
const keyLogin = (gateway: TestGateway, key: string) => gateway.request("POST", "/auth/key-login", { body: { key } });
const logout = (gateway: TestGateway, headers: Record<string, string>) =>
  gateway.request("POST", "/auth/logout", { headers });
const endSession = (gateway: TestGateway, id: string, headers: Record<string, string> = admin.headers) =>
  gateway.request("DELETE", `/auth/tokens/${id}`, { headers });
const opens = async (gateway: TestGateway, cookie: string): Promise<boolean> =>
  (await gateway.request("GET", "/devices", { headers: { cookie } })).status === 200;
const idOf = (cookie: string): string =>
  JSON.parse(Buffer.from(cookie.split("=")[1]!.split(".")[1]!, "base64url").toString()).jti;
const endings = async (gateway: TestGateway): Promise<{ actor: string; resource_id: string }[]> =>
  (await gateway.request("GET", "/audit?action=end_session", admin)).json();

describe("session end: a logout", () => {
  test("ends only the session of the request, and clears the cookie", async () => {
    await using gateway = await startGuarded();
    const [mine, other] = [cookieOf(await setup(gateway)), cookieOf(await login(gateway))];
    const out = await logout(gateway, { cookie: mine });
    expect([out.status, out.json(), out.headers.get("set-cookie")]).toEqual([
      200,
      { ended: true },
      "gateway_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
    ]);
    expect([await opens(gateway, mine), await opens(gateway, other)]).toEqual([false, true]);
    expect(await endings(gateway)).toMatchObject([
      { actor: "ada", resource_type: "session", resource_id: idOf(mine), details: { username: "ada" } },
    ]);
    await using again = await gateway.restart();
    expect([await opens(again, mine), await opens(again, other)]).toEqual([false, true]);
  });

  test("is anybody's who is signed in, and is written down under the key's name", async () => {
    await using gateway = await startGuarded();
    const cookie = cookieOf(await keyLogin(gateway, viewerKey));
    expect((await logout(gateway, { cookie })).json()).toEqual({ ended: true });
    expect(await opens(gateway, cookie)).toBe(false);
    expect(await endings(gateway)).toMatchObject([{ actor: "key:dashboard", details: { username: "dashboard" } }]);
    expect((await keyLogin(gateway, viewerKey)).status).toBe(200);
  });

  test("a second time, with a foreign cookie or without one ends nothing, and clears the cookie all the same", async () => {
    await using gateway = await startGuarded();
    const [cookie, other] = [cookieOf(await setup(gateway)), cookieOf(await login(gateway))];
    await logout(gateway, { cookie });
    for (const headers of [{ cookie }, { cookie: "gateway_session=x.y.z" }, {}]) {
      const again = await logout(gateway, headers);
      expect([again.status, again.json()]).toEqual([200, { ended: false }]);
      expect(again.headers.get("set-cookie")).toMatch(/^gateway_session=; .*Max-Age=0/);
    }
    expect(await endings(gateway)).toHaveLength(1);
    expect(await opens(gateway, other)).toBe(true);
  });

  test("by a key leaves the key and the cookie beside it alone", async () => {
    await using gateway = await startGuarded();
    const cookie = cookieOf(await setup(gateway));
    const out = await logout(gateway, { cookie, ...admin.headers });
    expect([out.json(), out.headers.get("set-cookie")]).toEqual([{ ended: false }, null]);
    expect(await opens(gateway, cookie)).toBe(true);
    expect((await gateway.request("GET", "/devices", admin)).status).toBe(200);
  });

  test("with several in flight ends the session once", async () => {
    await using gateway = await startGuarded();
    const cookie = cookieOf(await setup(gateway));
    const outs = await Promise.all(Array.from({ length: 5 }, () => logout(gateway, { cookie })));
    expect(outs.filter((out) => out.json().ended === true)).toHaveLength(1);
    expect(await endings(gateway)).toHaveLength(1);
  });
});

describe("session end: an admin ends a session", () => {
  test("of another user immediately, with an audit entry", async () => {
    await using gateway = await startGuarded();
    const [mine, other, dashboard] = [
      cookieOf(await setup(gateway)),
      cookieOf(await login(gateway)),
      cookieOf(await keyLogin(gateway, viewerKey)),
    ];
    const ended = await endSession(gateway, idOf(dashboard), { cookie: mine });
    expect([ended.status, ended.json()]).toEqual([200, { id: idOf(dashboard), deleted: true }]);
    expect([await opens(gateway, mine), await opens(gateway, other), await opens(gateway, dashboard)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await endings(gateway)).toMatchObject([
      { actor: "ada", resource_id: idOf(dashboard), details: { username: "dashboard" } },
    ]);
    const listed = await gateway.request("GET", "/auth/tokens", admin);
    expect(listed.json().map(({ id }: { id: string }) => id)).toEqual([idOf(mine), idOf(other)]);
    expect((await endSession(gateway, idOf(dashboard))).status).toBe(404);
    await using again = await gateway.restart();
    expect([await opens(again, other), await opens(again, dashboard)]).toEqual([true, false]);
  });

  test("that exists, and only an admin", async () => {
    await using gateway = await startGuarded();
    const [mine, dashboard] = [cookieOf(await setup(gateway)), cookieOf(await keyLogin(gateway, viewerKey))];
    const refusals = [
      await endSession(gateway, idOf(mine), { cookie: dashboard }),
      await endSession(gateway, idOf(mine), bearer(viewerKey)),
      await endSession(gateway, idOf(mine), {}),
      await endSession(gateway, "00000000-0000-4000-8000-000000000000"),
      await endSession(gateway, "not-an-id"),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 401, 404, 400]);
    expect([await opens(gateway, mine), await endings(gateway)]).toEqual([true, []]);
    expect((await endSession(gateway, idOf(mine))).status).toBe(200);
    expect(await opens(gateway, mine)).toBe(false);
  });
});

describe("session end: a stream of events ends with the credential that opened it", repeatable, () => {
  const about = (id: string) => (received: StreamedEvent) => received.data.data.resource_id === id;
  let serial = 0;
  const createDevice = async (gateway: TestGateway): Promise<string> =>
    (await gateway.request("POST", "/devices", { body: { name: `TV ${(serial += 1)}` }, ...admin })).json().id;

  /** And not only with the next sign of life, which comes every fifteen seconds. */
  async function endsAtOnce(stream: EventStream): Promise<void> {
    const requestedAt = ownSec();
    await stream.ended();
    expectWithin(5, { "end of the stream": ownSec() - requestedAt });
  }
  /** Which of `streams` hear of the next change; those that have ended do not. */
  async function hearing(gateway: TestGateway, streams: readonly EventStream[]) {
    const id = await createDevice(gateway);
    return Promise.all(
      streams.map((stream) =>
        stream.next(about(id)).then(
          () => true,
          () => false,
        ),
      ),
    );
  }

  test("a session that logs out, one that an admin ends, and one that signs in anew", async () => {
    await using gateway = await startGuarded();
    const [one, two, three, stays] = [
      cookieOf(await setup(gateway)),
      cookieOf(await login(gateway)),
      cookieOf(await keyLogin(gateway, viewerKey)),
      cookieOf(await keyLogin(gateway, viewerKey)),
    ];
    await using first = await openEventStream(gateway.origin, { cookie: one });
    await using second = await openEventStream(gateway.origin, { cookie: two });
    await using third = await openEventStream(gateway.origin, { cookie: three });
    await using fourth = await openEventStream(gateway.origin, { cookie: stays });
    await using key = await openEventStream(gateway.origin, bearer(viewerKey));
    const all = [first, second, third, fourth, key];
    expect(await hearing(gateway, all)).toEqual([true, true, true, true, true]);
    await logout(gateway, { cookie: one });
    await endsAtOnce(first);
    expect(await hearing(gateway, all)).toEqual([false, true, true, true, true]);
    await endSession(gateway, idOf(two));
    await endsAtOnce(second);
    expect(await hearing(gateway, all)).toEqual([false, false, true, true, true]);
    await gateway.request("POST", "/auth/key-login", { body: { key: adminKey }, headers: { cookie: three } });
    await endsAtOnce(third);
    expect(await hearing(gateway, all)).toEqual([false, false, false, true, true]);
    await using back = await openEventStream(gateway.origin, { cookie: one });
    expect(back.status).toBe(401);
  });

  test("a key that is revoked, and the sessions opened with it", async () => {
    await using gateway = await startGuarded();
    const made = await gateway.request("POST", "/auth/keys", { body: { name: "wall", role: "viewer" }, ...admin });
    const { id, key } = made.json() as { id: string; key: string };
    await using direct = await openEventStream(gateway.origin, bearer(key));
    await using session = await openEventStream(gateway.origin, { cookie: cookieOf(await keyLogin(gateway, key)) });
    await using other = await openEventStream(gateway.origin, bearer(viewerKey));
    expect(await hearing(gateway, [direct, session, other])).toEqual([true, true, true]);
    await gateway.request("DELETE", `/auth/keys/${id}`, admin);
    await endsAtOnce(direct);
    await endsAtOnce(session);
    expect(await hearing(gateway, [direct, session, other])).toEqual([false, false, true]);
  });

  test("every other session, when the password is changed", async () => {
    await using gateway = await startGuarded();
    const [mine, other] = [cookieOf(await setup(gateway)), cookieOf(await login(gateway))];
    await using kept = await openEventStream(gateway.origin, { cookie: mine });
    await using ended = await openEventStream(gateway.origin, { cookie: other });
    expect(await hearing(gateway, [kept, ended])).toEqual([true, true]);
    const body = { current_password: ada.password, new_password: "a brand new password" };
    await gateway.request("POST", "/auth/change-password", { body, headers: { cookie: mine } });
    await endsAtOnce(ended);
    expect(await hearing(gateway, [kept, ended])).toEqual([true, false]);
  });

  test("a key or session whose time is over hears nothing of what happens then", async () => {
    let now = new Date("2026-03-01T08:00:00Z");
    await using gateway = await startGuarded(() => now);
    const body = { name: "guest", role: "viewer", expires_at: "2026-03-01T09:00:00Z" };
    const { key } = (await gateway.request("POST", "/auth/keys", { body, ...admin })).json() as { key: string };
    await using direct = await openEventStream(gateway.origin, bearer(key));
    await using session = await openEventStream(gateway.origin, { cookie: cookieOf(await keyLogin(gateway, key)) });
    await using longer = await openEventStream(gateway.origin, {
      cookie: cookieOf(await keyLogin(gateway, viewerKey)),
    });
    await using endless = await openEventStream(gateway.origin, bearer(viewerKey));
    const all = [direct, session, longer, endless];
    expect(await hearing(gateway, all)).toEqual([true, true, true, true]);
    now = new Date("2026-03-01T09:00:00Z");
    expect(await hearing(gateway, all)).toEqual([false, false, true, true]);
    now = new Date("2026-03-01T20:00:00Z");
    expect(await hearing(gateway, all)).toEqual([false, false, false, true]);
  });

  test("but not streams without a credential, by auth.local_net or without authentication", async () => {
    await using near = await startGateway({ config: { auth: { ...auth, local_net: "127.0.0.0/8" } } });
    await using open = await startGateway({ config: { auth: { ...auth, enabled: false } } });
    for (const gateway of [near, open]) {
      await using listener = await openEventStream(gateway.origin);
      const cookie = cookieOf(await setup(gateway));
      await logout(gateway, { cookie });
      expect(await hearing(gateway, [listener])).toEqual([true]);
    }
  });
});
