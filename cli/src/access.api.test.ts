import { createServer } from "node:http";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { startGateway } from "../../testing/gateway.ts";
import { accessTo } from "./access.ts";
import { targetOf } from "./address.ts";
import { knownGateways, privateText } from "./known-gateways.ts";
import { login, logout, type Terminal } from "./login.ts";
import { run } from "./run.ts";
import { followTo, receiveFrom, sendTo } from "./send.ts";

const key = "k".repeat(32);
const config = {
  tls: { enabled: true },
  auth: { enabled: true, local_net: "192.0.2.0/24", api_keys: [{ name: "laptop", key, role: "operator" }] },
};

/** A user of the client, with a file of known gateways and an environment. */
function user(
  folder: string,
  origin: string,
  { env = {}, terminal = {} }: { env?: Env; terminal?: Partial<Terminal> } = {},
) {
  const known = knownGateways(join(folder, "gateways.json"));
  const target = targetOf(origin, () => false);
  const notes: string[] = [];
  const given = {
    key: env.key,
    keyFile: env.keyFile,
    pin: env.pin,
    readPrivate: privateText,
    note: (sentence: string) => void notes.push(sentence),
  };
  const answers: Terminal = { readSecret: async () => key, confirm: async () => false, ...terminal };
  const portcullis = (...words: string[]) =>
    run(words, {
      send: (request) => sendTo(target, accessTo(target, known, given))(request),
      receive: (request, onChunk) => receiveFrom(target, accessTo(target, known, given))(request, onChunk),
      printBytes: () => {},
      follow: (request, onMessage) => followTo(target, accessTo(target, known, given))(request, onMessage),
      print: () => {},
      now: () => new Date(),
      waitForNext: () => Promise.reject(new Error("no list is followed")),
      login: () => login(target, known, answers, env.pin),
      logout: () => logout(target, known),
      setup: async () => ({ out: "" }),
      isFile: () => false,
      readFile: () => Promise.reject(new Error("there are no files")),
      readStdin: () => Promise.reject(new Error("there is no standard input")),
    });
  return { portcullis, known, notes };
}
interface Env {
  readonly key?: string;
  readonly keyFile?: string;
  readonly pin?: string;
}

const pinOf = async (gateway: { origin: string }, folder: string): Promise<string> => {
  const { portcullis, known } = user(folder, gateway.origin);
  await portcullis("health");
  return known.get(gateway.origin).pin!;
};

test("CLI access: a gateway's own certificate is pinned on first use without a key, and said so once", async () => {
  using folder = temporaryFolder();
  await using gateway = await startGateway({ config });
  const { portcullis, known, notes } = user(folder.path, gateway.origin);
  expect(JSON.parse((await portcullis("health")).out)).toMatchObject({
    components: { error: { code: "unauthorized" } },
  });
  await portcullis("health");
  expect(known.get(gateway.origin).pin).toMatch(/^sha256:[\w+/]{43}=$/);
  expect(notes).toEqual([expect.stringContaining(known.get(gateway.origin).pin!)]);
});

test("CLI access: no key is sent to a certificate that was not compared; the gateway's own status shows the pin to compare", async () => {
  using folder = temporaryFolder();
  using other = temporaryFolder();
  await using gateway = await startGateway({ config });
  const { portcullis } = user(folder.path, gateway.origin, { env: { key } });
  const { complaint } = await portcullis("devices");
  expect(complaint).toMatchObject({ status: 3, text: expect.stringContaining("No key was sent") });

  const pin = await pinOf(gateway, other.path);
  expect(complaint?.text).toContain(pin);
  const pinned = user(folder.path, gateway.origin, { env: { key, pin } });
  expect(JSON.parse((await pinned.portcullis("status")).out)).toMatchObject({ tls_pin: pin });
  expect(await pinned.portcullis("devices")).toEqual({ out: expect.stringContaining("id\t") });
});

test("CLI access: login stores key and pin after the user has compared it; logout forgets both", async () => {
  using folder = temporaryFolder();
  await using gateway = await startGateway({ config });
  const prompts: string[] = [];
  const confirm = async (prompt: string) => prompts.push(prompt) > 0;
  const { portcullis, known } = user(folder.path, gateway.origin, { terminal: { confirm } });
  expect((await portcullis("login")).out).toContain("as key:laptop (operator)");
  expect(prompts).toEqual([expect.stringContaining(known.get(gateway.origin).pin!)]);
  expect((await portcullis("devices")).complaint).toBeUndefined();
  expect((await portcullis("logout")).out).toContain("were removed");
  expect(known.get(gateway.origin)).toEqual({});
  expect((await portcullis("devices")).complaint?.status).toBe(1);
});

test("login stores nothing that was not accepted: the certificate by the user, the key by the gateway", async () => {
  using folder = temporaryFolder();
  await using gateway = await startGateway({ config });
  const prompts: string[] = [];
  const readSecret = async (prompt: string) => (prompts.push(prompt), "w".repeat(32));
  const doubtful = user(folder.path, gateway.origin, { terminal: { readSecret } });
  expect((await doubtful.portcullis("login")).complaint?.text).toContain("was not accepted");
  expect(prompts).toEqual([]);
  const wrong = user(folder.path, gateway.origin, { terminal: { readSecret, confirm: async () => true } });
  expect((await wrong.portcullis("login")).complaint).toBeDefined();
  expect(prompts).toHaveLength(1);
  expect(wrong.known.get(gateway.origin)).toEqual({});
});

test("CLI access: another gateway at the same address gets nothing, and both pins are shown", async () => {
  using folder = temporaryFolder();
  await using gateway = await startGateway({ config });
  const { portcullis, known } = user(folder.path, gateway.origin);
  known.set(gateway.origin, { key, pin: "sha256:another" });
  const { complaint } = await portcullis("devices");
  expect(complaint).toMatchObject({ status: 3, text: expect.stringMatching(/sha256:another[^]+Nothing was sent/) });
  expect(gateway.logged.filter((line) => line.includes("/api/v1/devices"))).toEqual([]);
});

test("CLI access: a certificate that was renewed keeps its pin", async () => {
  using folder = temporaryFolder();
  let now = new Date();
  await using gateway = await startGateway({ config, now: () => now });
  const pin = await pinOf(gateway, folder.path);
  now = new Date(now.getTime() + 720 * 86_400_000);
  await using renewed = await gateway.restart();
  using other = temporaryFolder();
  expect(await pinOf(renewed, other.path)).toBe(pin);
});

test("CLI access: a key comes from a file that only its owner can read", async () => {
  using folder = temporaryFolder();
  const keyFile = join(folder.path, "key");
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  await using gateway = await startGateway({ config: { auth: config.auth } });
  const { portcullis } = user(folder.path, gateway.origin, { env: { keyFile } });
  expect((await portcullis("devices")).complaint).toBeUndefined();
  writeFileSync(keyFile, "");
  expect((await portcullis("devices")).complaint).toMatchObject({ status: 2, text: expect.stringContaining("no key") });
});

test("CLI access: a key is never sent in clear text beyond loopback", async () => {
  using folder = temporaryFolder();
  const { portcullis } = user(folder.path, "http://192.0.2.1:8080", { env: { key } });
  expect((await portcullis("devices")).complaint).toMatchObject({
    status: 2,
    text: expect.stringContaining("clear text"),
  });
});

test("CLI: a wrong protocol is reported differently from an unreachable gateway", async () => {
  using folder = temporaryFolder();
  await using gateway = await startGateway({ config });
  const plain = user(folder.path, gateway.origin.replace("https:", "http:"));
  expect((await plain.portcullis("devices")).complaint?.text).toContain(`try GATEWAY_ADDR=${gateway.origin}`);
  await using server = createServer((_, response) => response.end("{}")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await user(folder.path, origin).portcullis("devices")).complaint?.text).toContain("it may not use TLS");
});

test("CLI access: on the gateway itself its owner needs no key: the client uses the Unix socket", async () => {
  using folder = temporaryFolder();
  const socket = join(folder.path, "api.sock");
  await using gateway = await startGateway({
    config: { auth: config.auth, listen: { api_addr: "127.0.0.1:0", unix_socket: socket } },
  });
  expect((await user(folder.path, gateway.origin).portcullis("devices")).complaint?.status).toBe(1);
  const { portcullis } = user(folder.path, `unix:${socket}`);
  expect(await portcullis("devices", "create", '{"name":"TV"}')).toEqual({ out: expect.stringContaining('"TV"') });
  expect((await portcullis("login")).complaint?.text).toContain("no login is needed");
  expect((await user(folder.path, `unix:${socket}-not`).portcullis("devices")).complaint).toMatchObject({
    status: 3,
    text: expect.stringContaining("does portcullisd run?"),
  });
});
