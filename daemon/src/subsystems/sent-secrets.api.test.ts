import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rootCertificates } from "node:tls";
import { api } from "@portcullis/contract/api";
import type { Endpoint } from "@portcullis/contract/endpoint";
import { expect, test } from "vitest";
import { fakeAdguard } from "../../../testing/adguard.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";
import { pem } from "../../../testing/tunnels.ts";

/** A field of a request body that holds a secret, and the fields that say where the gateway sends it. */
interface SecretField {
  readonly endpoint: string;
  readonly method: string;
  readonly field: string;
  readonly sentTo: readonly string[] | undefined;
}

function secretsIn(schema: unknown, field = ""): { field: string; sentTo: readonly string[] | undefined }[] {
  if (schema === null || typeof schema !== "object") return [];
  const node = schema as Record<string, unknown>;
  if (node["x-secret"]) return [{ field, sentTo: node["x-sent-to"] as readonly string[] | undefined }];
  const properties = Object.entries((node["properties"] ?? {}) as object);
  const nested = [
    node["items"],
    ...((node["anyOf"] ?? []) as unknown[]),
    ...Object.values(node["patternProperties"] ?? {}),
  ];
  return [
    ...properties.flatMap(([name, it]) => secretsIn(it, field === "" ? name : `${field}.${name}`)),
    ...nested.flatMap((it) => secretsIn(it, field)),
  ];
}

const secretFields: SecretField[] = Object.values(api)
  .flatMap((group) => Object.values(group) as Endpoint[])
  // The account's own password and keys are checked by the gateway, not sent.
  .filter(({ path }) => !path.startsWith("/auth/"))
  .flatMap(({ method, path, body }) => secretsIn(body).map((it) => ({ ...it, method, endpoint: `${method} ${path}` })));

test("sent secrets: the contract says of every secret where the gateway sends it", () => {
  expect(secretFields.length).toBeGreaterThan(8);
  expect(secretFields.filter(({ sentTo }) => sentTo === undefined)).toEqual([]);
});

const ca = pem("CERTIFICATE", "ca");
const certificate = rootCertificates[0]!;
const client = { cert: pem("CERTIFICATE", "cert"), key: pem("PRIVATE KEY", "key") };
const remote = { host: "nl.example.net", port: 1194, protocol: "udp" };

/** How a resource with such a secret is made, changed at its destination and elsewhere. */
interface Exercise {
  readonly make: (gateway: TestGateway) => Promise<string>;
  readonly stored: (resource: never) => boolean;
  readonly show: (path: string) => string;
  /** By the field the contract names: changes of the destination. */
  readonly moves: Readonly<Record<string, readonly object[]>>;
  readonly harmless: readonly object[];
  readonly withSecret: object;
  /** A request that needs the secret again. */
  readonly needing?: object;
  /** The name of the secret in the response; password unless given. */
  readonly secret?: string;
}

const made = async (gateway: TestGateway, path: string, body: object): Promise<string> => {
  const reply = await gateway.request("POST", path, { body });
  expect([reply.status, body]).toEqual([201, body]);
  return `${path}/${reply.json().id}`;
};

const channel = (body: object) => (gateway: TestGateway) => made(gateway, "/alert-channels", { name: "Ops", ...body });
const ofChannel = {
  stored: ({ has_secret }: { has_secret: boolean }) => has_secret,
  show: (path: string) => path,
};

const exercises: Readonly<Record<string, Exercise>> = {
  "PUT /proxies/{id} password": {
    make: (gateway) =>
      made(gateway, "/proxies", {
        name: "Far",
        kind: "upstream",
        address: "far.example.net:1080",
        username: "me",
        password: "stored",
      }),
    stored: ({ has_password }: { has_password: boolean }) => has_password,
    show: (path) => path,
    moves: {
      address: ["near.example.net:1080", "far.example.net:1081", "203.0.113.9:1080"].map((address) => ({ address })),
    },
    harmless: [{ name: "Further" }, { enabled: false }, { username: "you" }, { address: "FAR.example.net:1080" }],
    withSecret: { address: "203.0.113.9:1080", password: "again" },
    needing: { address: "203.0.113.9:1080", username: "me" },
  },
  "PUT /dns/extfilter password": {
    make: async (gateway) => {
      const body = { url: "https://127.0.0.1:1", username: "me", password: "stored" };
      expect((await gateway.request("PUT", "/dns/extfilter", { body })).status).toBe(200);
      return "/dns/extfilter";
    },
    stored: ({ has_password }: { has_password: boolean }) => has_password,
    show: (path) => `${path}/status`,
    moves: {
      url: ["https://127.0.0.2:1", "https://127.0.0.1:2", "http://127.0.0.1:1", "https://127.0.0.1:1/other", null].map(
        (url) => ({ url }),
      ),
    },
    harmless: [{ username: "you" }, { dns_address: "127.0.0.1:53" }, { url: "https://127.0.0.1:1/" }],
    withSecret: { url: "https://127.0.0.1:2", password: "again" },
    needing: { url: "https://127.0.0.1:2", username: "me" },
  },
  "PUT /alert-channels/{id} secret": {
    ...ofChannel,
    make: channel({ type: "webhook", url: "https://receiver.example/hook", secret: "stored" }),
    moves: {
      url: ["https://other.example/hook", "http://receiver.example/hook", "https://receiver.example/other"].map(
        (url) => ({ url }),
      ),
    },
    harmless: [{ name: "Other" }, { enabled: false }, { url: "https://RECEIVER.example/hook" }],
    withSecret: { url: "https://other.example", secret: "again" },
    secret: "secret",
  },
  "PUT /alert-channels/{id} bot_token": {
    ...ofChannel,
    make: channel({ type: "telegram", chat_id: "7", bot_token: "1:stored" }),
    moves: { api_url: [{ api_url: "https://bots.example" }, { api_url: "http://api.telegram.org" }] },
    harmless: [{ chat_id: "8" }, { api_url: null }, { api_url: "https://api.telegram.org/" }],
    withSecret: { api_url: "https://bots.example", bot_token: "1:again" },
    needing: { api_url: "https://bots.example", enabled: true },
    secret: "bot_token",
  },
  "PUT /alert-channels/{id} password": {
    ...ofChannel,
    make: channel({ type: "mqtt", host: "broker.example.net", topic: "alerts", username: "me", password: "stored" }),
    moves: {
      host: [{ host: "other.example.net" }],
      port: [{ port: 25 }],
      security: [{ security: "none" }],
      ca: [{ ca: certificate }],
    },
    harmless: [{ topic: "others" }, { username: "you" }, { host: "BROKER.example.net" }],
    withSecret: { host: "other.example.net", password: "again" },
    needing: { host: "other.example.net", username: "me" },
  },
  "PUT /integrations/mqtt password": {
    make: async (gateway) => {
      const body = { host: "broker.example.net", username: "me", password: "stored" };
      expect((await gateway.request("PUT", "/integrations/mqtt", { body })).status).toBe(200);
      return "/integrations/mqtt";
    },
    stored: ({ has_password }: { has_password: boolean }) => has_password,
    show: (path) => path,
    moves: {
      host: [{ host: "other.example.net" }],
      port: [{ port: 25 }],
      security: [{ security: "none" }],
      ca: [{ ca: certificate }],
    },
    harmless: [{ base_topic: "others" }, { username: "you" }, { port: 8883 }, { host: "BROKER.example.net" }],
    withSecret: { host: "other.example.net", password: "again" },
    needing: { host: "other.example.net", username: "me" },
  },
  "PUT /alert-channels/{id} token": {
    ...ofChannel,
    make: channel({ type: "ntfy", url: "https://ntfy.example", topic: "alerts", token: "stored" }),
    moves: { url: [{ url: "https://other.example" }, { url: "http://ntfy.example" }] },
    harmless: [{ topic: "others" }, { severities: [] }],
    withSecret: { url: "https://other.example", token: "again" },
    secret: "token",
  },
  "PUT /alerts/webhook secret": {
    ...ofChannel,
    make: async (gateway) => {
      const body = { url: "https://receiver.example/hook", secret: "stored" };
      expect((await gateway.request("PUT", "/alerts/webhook", { body })).status).toBe(200);
      return "/alerts/webhook";
    },
    moves: { url: [{ url: "https://other.example/hook" }] },
    harmless: [{ enabled: false }],
    withSecret: { url: "https://other.example", secret: "again" },
    secret: "secret",
  },
  "PUT /tunnels/{id} config.password": {
    make: (gateway) =>
      made(gateway, "/tunnels", {
        name: "Office",
        type: "openvpn",
        config: {
          remotes: [remote],
          directives: [
            { name: "remote-cert-tls", args: ["server"] },
            { name: "keepalive", args: ["10", "60"] },
          ],
          blocks: { ca, ...client },
          username: "me",
          password: "stored",
        },
      }),
    stored: ({ config }: { config: { has_password: boolean } }) => config.has_password,
    show: (path) => path,
    moves: {
      remotes: [
        [{ ...remote, host: "203.0.113.9" }],
        [{ ...remote, port: 443 }],
        [{ ...remote, protocol: "tcp" }],
        [remote, { ...remote, host: "203.0.113.9" }],
      ].map((remotes) => ({ config: { remotes } })),
      blocks: [{ ca: pem("CERTIFICATE", "other") }, { "crl-verify": pem("X509 CRL", "list") }].map((blocks) => ({
        config: { blocks },
      })),
      directives: [
        [],
        [
          { name: "remote-cert-tls", args: ["server"] },
          { name: "verify-x509-name", args: ["other", "name"] },
        ],
      ].map((directives) => ({ config: { directives } })),
    },
    harmless: [
      { mtu: 1400 },
      { config: { username: "you" } },
      { config: { blocks: { key: pem("PRIVATE KEY", "fresh") } } },
      {
        config: {
          directives: [
            { name: "remote-cert-tls", args: ["server"] },
            { name: "keepalive", args: ["5", "30"] },
          ],
        },
      },
    ],
    withSecret: { config: { remotes: [{ ...remote, port: 443 }], password: "again" } },
    needing: { config: { remotes: [{ ...remote, port: 443 }], username: "me" } },
  },
};

const sent = secretFields.filter(({ method, sentTo }) => method === "PUT" && sentTo!.length > 0);

test("sent secrets: every secret that is sent to a destination beside it is exercised below, by each field of the destination", () => {
  const wanted = sent.map(({ endpoint, field, sentTo }) => [`${endpoint} ${field}`, [...sentTo!].toSorted()] as const);
  const here = Object.entries(exercises).map(([name, { moves }]) => [name, Object.keys(moves).toSorted()] as const);
  expect(Object.fromEntries(here)).toEqual(Object.fromEntries(wanted));
});

test.each(Object.keys(exercises))(
  "sent secrets: %s: a change of the destination without the secret discards it",
  async (name) => {
    const { make, stored, show, moves, harmless, withSecret, needing, secret = "password" } = exercises[name]!;
    await using gateway = await startGateway();
    const state = async (path: string) => (await gateway.request("GET", show(path))).json() as never;
    const remove = async (path: string) =>
      path === "/integrations/mqtt"
        ? gateway.request("PUT", path, {
            body: { host: null, port: null, security: "tls", ca: null, username: null, password: null },
          })
        : path === "/alerts/webhook"
          ? gateway.request("PUT", path, { body: { url: null } })
          : path === "/dns/extfilter"
            ? gateway.request("PUT", path, { body: { url: null, username: null, password: null } })
            : gateway.request("DELETE", path);

    for (const body of [...harmless, withSecret]) {
      const path = await make(gateway);
      const reply = await gateway.request("PUT", path, { body });
      expect([body, reply.status, stored(await state(path))]).toEqual([body, 200, true]);
      expect(reply.json().discarded_secrets).toBeUndefined();
      await remove(path);
    }
    for (const body of Object.values(moves).flat()) {
      const path = await make(gateway);
      const reply = await gateway.request("PUT", path, { body });
      expect([body, reply.status, stored(await state(path))]).toEqual([body, 200, false]);
      expect(reply.json().discarded_secrets).toEqual([secret]);
      expect(((await state(path)) as Record<string, unknown>)["discarded_secrets"]).toBeUndefined();
      const [entry] = (await gateway.client.audit.list({ query: { limit: 1 } })).items;
      expect(entry!.details).toMatchObject({ discarded_secrets: [secret] });
      await remove(path);
    }
    if (!needing) return;
    const path = await make(gateway);
    const refused = await gateway.request("PUT", path, { body: needing });
    expect([refused.status, refused.json().error.details.fields[0].field]).toEqual([
      400,
      expect.stringMatching(new RegExp(`${secret}$`)),
    ]);
    expect(stored(await state(path)), "a refused request changes nothing").toBe(true);
  },
);

test("sent secrets: the external filter's password reaches the server it was given for, and no other", async () => {
  await using gateway = await startGateway();
  const login = { username: "root", password: "S3cret" };
  await using filter = await fakeAdguard(login);
  const received: (string | undefined)[] = [];
  const other = createServer(({ headers }, answer) => {
    received.push(headers.authorization);
    answer.end("{}");
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  try {
    const put = (body: object) => gateway.request("PUT", "/dns/extfilter", { body });
    expect((await put({ url: filter.url, ...login })).json()).toMatchObject({ reachable: true, has_password: true });
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await put({ url });
    await gateway.client.dnsExtfilter.status();
    expect(received).toEqual([undefined, undefined]);
    await put({ url, ...login });
    expect(received.at(-1), "the listener hears a password that was given for it").toMatch(/^Basic /);
  } finally {
    other.close();
  }
});

test.each([
  ["http://192.0.2.5:3000", 400],
  ["http://adguard.lan", 400],
  ["http://127.0.0.1:1", 200],
  ["http://[::1]:1", 200],
  ["http://localhost:1", 200],
  ["https://127.0.0.1:1", 200],
])("sent secrets: the external filter at %s with a password is answered %i", async (url, status) => {
  await using gateway = await startGateway();
  const body = { url, username: "me", password: "secret" };
  const reply = await gateway.request("PUT", "/dns/extfilter", { body });
  expect([reply.status, reply.json().error?.details.fields[0].field]).toEqual([
    status,
    status === 400 ? "body.url" : undefined,
  ]);
});
