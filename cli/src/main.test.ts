import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cliProgram } from "../../testing/programs.ts";

let server: Server;
let address: string;
beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

/** A stand-in for the daemon: it echoes what is created, and knows a few paths that go wrong. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const say = (status: number, content: string, headers = {}) => response.writeHead(status, headers).end(content);
  if (request.url?.startsWith("/elsewhere")) return void say(301, "", { location: "https://gateway.lan/" });
  if (request.url?.startsWith("/html")) return void say(200, "<html>");
  if (request.url?.startsWith("/proxy")) return void say(502, "<html>");
  if (request.method === "POST") return void say(201, JSON.stringify({ sent: JSON.parse(body), ...request.headers }));
  if (request.url?.startsWith("/api/v1/devices?")) return void say(200, JSON.stringify(manyDevices));
  return void say(401, JSON.stringify({ error: { code: "unauthorized", message: "No credential", details: {} } }));
}

const manyDevices = Array.from({ length: 20_000 }, (_, at) => ({ id: `${at}`, name: "n".repeat(100) }));

const start = (words: readonly string[], gateway: string): ChildProcess =>
  spawn(process.execPath, [cliProgram, ...words], { env: { ...process.env, GATEWAY_ADDR: gateway } });

async function portcullis(words: readonly string[], { gateway = address, input = "" } = {}) {
  const child = start(words, gateway);
  child.stdin!.end(input);
  const [out, complaint, [status]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, "close"),
  ]);
  return { out, complaint, status: status as number };
}

test("CLI: JSON on standard input is sent as JSON", async () => {
  const { out, status } = await portcullis(["devices", "create"], { input: '{"name":"printer"}' });
  expect(status).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ sent: { name: "printer" }, "content-type": "application/json" });
});

test("CLI: a directory is no JSON", async () => {
  const { complaint, status } = await portcullis(["devices", "create", "/tmp"]);
  expect([status, complaint]).toEqual([2, 'usage: "/tmp" is neither JSON nor a file\n']);
});

test("CLI: a refusal ends with 1 and says how to send a key", async () => {
  const { complaint, status } = await portcullis(["status"]);
  expect(status).toBe(1);
  expect(complaint).toMatch(/^unauthorized: No credential\n {2}Send an API key with PORTCULLIS_KEY/);
});

test("CLI: wrong words end with 2", async () => {
  const { out, complaint, status } = await portcullis(["devics"]);
  expect([status, out]).toEqual([2, ""]);
  expect(complaint).toBe('usage: "devics" is not a command; did you mean "devices"?\n');
});

test("CLI: a gateway that is not there ends with 3 and names its address", async () => {
  const gateway = `http://localhost:${await unusedPort()}`;
  const { complaint, status } = await portcullis(["status"], { gateway });
  expect([status, complaint]).toEqual([
    3,
    `unreachable: The gateway at ${gateway} cannot be reached (ECONNREFUSED); set GATEWAY_ADDR to its address\n`,
  ]);
});

async function unusedPort(): Promise<number> {
  const brief = createServer().listen(0, "localhost");
  await once(brief, "listening");
  const { port } = brief.address() as AddressInfo;
  brief.close();
  await once(brief, "close");
  return port;
}

test.each([
  ["/elsewhere", 3, "redirects to https://gateway.lan/"],
  ["/html", 3, "answers, but not in JSON"],
  ["/proxy", 1, "internal: The gateway answered 502"],
])("CLI: what answers at %s is not taken for a gateway", async (path, expected, sentence) => {
  const { complaint, status } = await portcullis(["status"], { gateway: `${address}${path}` });
  expect(status).toBe(expected);
  expect(complaint).toContain(sentence);
});

test("CLI: help needs no gateway, not even an address that makes sense", async () =>
  expect(await portcullis(["help"], { gateway: "nonsense://" })).toMatchObject({ status: 0, complaint: "" }));

test("CLI: the whole of a long table arrives through a pipe", async () => {
  const { out } = await portcullis(["devices"]);
  expect(out.split("\n")).toHaveLength(manyDevices.length + 2);
});

test("CLI: a reader that leaves early ends the client in silence", async () => {
  const child = start(["devices"], address);
  child.stdout!.once("data", () => child.stdout!.destroy());
  const [complaint, [status]] = await Promise.all([text(child.stderr!), once(child, "close")]);
  expect([status, complaint]).toEqual([0, ""]);
});
