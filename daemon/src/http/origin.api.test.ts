import type { AddressInfo } from "node:net";
import { endpoint } from "@portcullis/contract/endpoint";
import Type from "typebox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiServer } from "../../../testing/api-server.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { sendRaw, wire } from "../../../testing/raw-http.ts";

const key = "the-key-of-an-admin";
let open: TestGateway;
let guarded: TestGateway;
beforeAll(async () => {
  open = await startGateway({ config: { listen: { hosts: ["Gateway.Lan"] } } });
  guarded = await startGateway({ config: { auth: { enabled: true, local_net: "10.99.0.0/16", api_keys: [key] } } });
});
afterAll(() => Promise.all([open, guarded].map((it) => it[Symbol.asyncDispose]())));

type Headers = Readonly<Record<string, string>>;

let serial = 0;

function create({ origin }: TestGateway, headers: Headers) {
  const body = JSON.stringify({ name: `TV ${(serial += 1)}` });
  const normal = { "content-type": "application/json", "content-length": String(body.length) };
  return sendRaw(origin, wire("POST /api/v1/devices HTTP/1.1", { ...normal, ...headers }, body));
}
const hostOf = ({ origin }: TestGateway) => new URL(origin).host;

/** The same gateway without authentication, and with it and a good key: neither helps a foreign page. */
const servers: readonly [string, () => TestGateway, Headers][] = [
  ["without authentication", () => open, {}],
  ["with a good key", () => guarded, { authorization: `Bearer ${key}` }],
];

describe.each(servers)("origin check: %s", (_, gateway, credential) => {
  test("its own host may change something", async () =>
    expect(await create(gateway(), { host: hostOf(gateway()), ...credential })).toMatchObject({ status: 201 }));

  test("its own page may change something", async () => {
    const host = hostOf(gateway());
    const own = { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" };
    expect(await create(gateway(), { ...own, ...credential })).toMatchObject({ status: 201 });
  });

  test.each<[string, (host: string) => Headers]>([
    ["a rebound name", () => ({ host: "evil.example" })],
    ["a rebound name with our port", (host) => ({ host: `evil.example:${host.split(":")[1]}` })],
    ["a foreign origin", (host) => ({ host, origin: "http://evil.example" })],
    ["a rebound name that is its own origin", () => ({ host: "evil.example", origin: "http://evil.example" })],
    ["an origin without a name", (host) => ({ host, origin: "null" })],
    ["another port of ours", (host) => ({ host, origin: "http://127.0.0.1:1" })],
    ["another site", (host) => ({ host, "sec-fetch-site": "cross-site" })],
    ["a sibling site", (host) => ({ host, "sec-fetch-site": "same-site" })],
    [
      "another site with a forged origin",
      (host) => ({ host, origin: `http://${host}`, "sec-fetch-site": "cross-site" }),
    ],
  ])("%s changes nothing", async (_name, headers) => {
    const before = await count(gateway(), credential);
    const answer = await create(gateway(), { ...headers(hostOf(gateway())), ...credential });
    expect(answer).toMatchObject({ status: 403, code: "forbidden" });
    expect(await count(gateway(), credential)).toBe(before);
  });

  test("a rebound name reads only with a credential, which a foreign page does not have", async () => {
    const headers = { host: "evil.example", origin: "http://evil.example", "sec-fetch-site": "cross-site" };
    const read = (path: string, host: string) =>
      sendRaw(gateway().origin, wire(`GET /api/v1${path} HTTP/1.1`, { ...headers, host, ...credential }));
    expect(await read("/devices", "evil.example")).toMatchObject({ status: "authorization" in credential ? 200 : 403 });
    expect(await read("/devices", hostOf(gateway()))).toMatchObject({ status: 200 });
    expect(await read("/health", "evil.example")).toMatchObject({ status: 200 });
  });

  test("no response allows a foreign origin to read it", async () => {
    const { headers } = await sendRaw(
      gateway().origin,
      wire("GET /api/v1/devices HTTP/1.1", { host: hostOf(gateway()), origin: "http://evil.example", ...credential }),
    );
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });
});

async function count(gateway: TestGateway, headers: Headers): Promise<string | null> {
  return (await gateway.request("GET", "/devices?limit=1", { headers })).headers.get("x-total-count");
}

test.each(["PUT", "DELETE"])("origin check: a foreign page cannot %s either", async (method) => {
  const { id } = await open.client.privacyClasses.create({ body: { name: `class for ${method}` } });
  const body = "{}";
  const length = method === "PUT" ? { "content-type": "application/json", "content-length": "2" } : {};
  const request = (host: string) =>
    wire(`${method} /api/v1/privacy-classes/${id} HTTP/1.1`, { host, ...length }, method === "PUT" ? body : "");
  expect(await sendRaw(open.origin, request("evil.example"))).toMatchObject({ status: 403 });
  expect(await sendRaw(open.origin, request(hostOf(open)))).toMatchObject({ status: 200 });
});

test("origin: a foreign page cannot log in", async () => {
  const login = (host: string) => {
    const body = JSON.stringify({ username: "ada", password: "wrong" });
    const type = { "content-type": "application/json", "content-length": String(body.length) };
    return sendRaw(guarded.origin, wire("POST /api/v1/auth/login HTTP/1.1", { host, ...type }, body));
  };
  expect(await login("evil.example")).toMatchObject({ code: "forbidden" });
  expect(await login(hostOf(guarded))).toMatchObject({ code: "unauthorized" });
});

test("origin check: names of the bootstrap file are ours, in any case and with a dot at the end", async () => {
  for (const host of ["gateway.lan", "GATEWAY.lan:8080", "gateway.lan.", "localhost", "LOCALHOST:1"])
    expect([host, (await create(open, { host })).status]).toEqual([host, 201]);
  expect(await create(guarded, { host: "gateway.lan", authorization: `Bearer ${key}` })).toMatchObject({ status: 403 });
});

test("origin check: on IPv6 the address in brackets is ours, and another one is not", async () => {
  await using six = await startGateway({ config: { listen: { api_addr: "[::1]:0" } } });
  const { port } = new URL(six.origin);
  for (const host of [`[::1]:${port}`, "[::1]", "[0:0:0:0:0:0:0:1]"])
    expect([host, (await create(six, { host })).status]).toEqual([host, 201]);
  for (const host of ["[::2]", "127.0.0.1", "[::]", "::1"])
    expect([host, (await create(six, { host })).status]).toEqual([host, 403]);
});

test("origin check: where both families are served, IPv4 callers are known by their IPv4 address", async () => {
  const post = endpoint({
    ...({ method: "POST", path: "/post", role: "anyone", summary: "Post", errors: [] } as const),
    result: Type.Boolean(),
  });
  const both = createApiServer({ one: { post } }, { one: { post: () => true } });
  await both.listen({ host: "::", port: 0 });
  const { port } = both.server.address() as AddressInfo;
  const from = (host: string) =>
    sendRaw(`http://127.0.0.1:${port}`, wire("POST /api/v1/post HTTP/1.1", { host, "content-length": "0" }));
  expect(await from(`127.0.0.1:${port}`)).toMatchObject({ status: 200 });
  expect(await from(`[::1]:${port}`)).toMatchObject({ status: 403 });
  await both.close();
});

test("origin check: of two Host headers the second is not believed", async () => {
  const twice = (first: string, second: string) =>
    sendRaw(open.origin, `DELETE /api/v1/settings/webhook_url HTTP/1.1\r\nHost: ${first}\r\nHost: ${second}\r\n\r\n`);
  expect(await twice("evil.example", hostOf(open))).not.toMatchObject({ status: 200 });
  expect(await twice(hostOf(open), hostOf(open))).toMatchObject({ status: 200 });
});
