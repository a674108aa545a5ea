import { execFile } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { request } from "node:http";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../testing/gateway.ts";

const auth = {
  enabled: true,
  local_net: "",
  api_keys: [{ key: "the-key-of-a-viewer", role: "viewer", name: "dashboard" }],
};
const socketOf = ({ stateFolder }: TestGateway): string => join(dirname(stateFolder), "run/api.sock");
const ada = { username: "ada", password: "correct horse battery" };

/** One request over the Unix socket. */
function ask(socketPath: string, method: string, path: string, options: { headers?: object; body?: object } = {}) {
  return new Promise<{ status: number; json: unknown }>((resolve, reject) => {
    const type = options.body ? { "content-type": "application/json" } : {};
    const headers = { host: "localhost", ...type, ...options.headers };
    const sent = request({ socketPath, method, path: `/api/v1${path}`, headers, agent: false });
    sent.on("error", reject);
    sent.on(
      "response",
      (answer) =>
        void text(answer).then((body) => resolve({ status: answer.statusCode!, json: JSON.parse(body) }), reject),
    );
    sent.end(options.body && JSON.stringify(options.body));
  });
}

test("Unix socket: who owns the gateway is admin on its Unix socket, and audited by the name of the user", async () => {
  await using gateway = await startGateway({ config: { auth } });
  const path = socketOf(gateway);
  expect([lstatSync(path).isSocket(), statSync(path).mode & 0o777]).toEqual([true, 0o600]);
  expect(readdirSync(dirname(path)).filter((name) => name.startsWith(".api"))).toEqual([]);
  expect((await gateway.request("POST", "/devices", { body: { name: "TV" } })).status).toBe(401);
  const actor = `local:${userInfo().username}`;
  expect((await ask(path, "GET", "/auth/status")).json).toMatchObject({ via: "socket", role: "admin", actor });
  expect((await ask(path, "POST", "/devices", { body: { name: "TV" } })).status).toBe(201);
  const { json } = await ask(path, "GET", "/audit?action=create_device");
  expect(json).toMatchObject([{ actor }]);
  expect((await ask(path, "GET", "/secrets")).status).toBe(200);
  expect(gateway.logged.map((line) => JSON.parse(line) as { client?: string }).at(-1)!.client).toBe("unix");
});

test("Unix socket: on the Unix socket a credential counts for what it is, and a proxied request has to show one", async () => {
  await using gateway = await startGateway({ config: { auth } });
  const path = socketOf(gateway);
  const status = async (headers: object) => (await ask(path, "GET", "/secrets", { headers })).status;
  expect(await status({ authorization: "Bearer the-key-of-a-viewer" })).toBe(403);
  expect(await status({ authorization: "Bearer an-unknown-api-key-0001" })).toBe(401);
  expect(await status({ "x-forwarded-for": "192.0.2.1" })).toBe(401);
  expect(await status({ host: "evil.example" })).toBe(200);
  expect(
    (await ask(path, "POST", "/devices", { body: { name: "TV" }, headers: { host: "evil.example" } })).status,
  ).toBe(403);
  expect(await status({})).toBe(200);
});

test("Unix socket: root creates the first account on the Unix socket without the code", async () => {
  await using gateway = await startGateway({ config: { auth } });
  expect((await gateway.request("POST", "/auth/setup", { body: ada })).status).toBe(403);
  expect((await ask(socketOf(gateway), "POST", "/auth/setup", { body: ada })).status).toBe(201);
  expect((await gateway.request("GET", "/auth/status")).json()).toMatchObject({ configured: true, setup_open: false });
});

test("Unix socket: a Unix socket that was left behind is replaced, and gone after an orderly stop", async () => {
  using folder = temporaryFolder();
  const unix_socket = join(folder.path, "its.sock");
  await using gateway = await startGateway({ config: { auth, listen: { unix_socket } } });
  expect((await ask(unix_socket, "GET", "/health")).status).toBe(200);
  // As after a crash: the file exists and no process listens.
  await using other = await startGateway({ config: { auth, listen: { unix_socket } } });
  expect((await ask(unix_socket, "GET", "/health")).status).toBe(200);
  await gateway[Symbol.asyncDispose]();
  expect((await ask(unix_socket, "GET", "/health")).status).toBe(200);
  await other[Symbol.asyncDispose]();
  expect(existsSync(unix_socket)).toBe(false);
});

test("Unix socket: an empty path disables it, and a failure prevents the start only with a configured path", async () => {
  await using none = await startGateway({ config: { auth, listen: { unix_socket: "" } } });
  expect(existsSync(socketOf(none))).toBe(false);
  using folder = temporaryFolder();
  const taken = join(folder.path, "api.sock");
  mkdirSync(taken);
  await expect(startGateway({ config: { auth, listen: { unix_socket: taken } } })).rejects.toThrow("EISDIR");
  await using without = await startGateway({ config: { auth, paths: { run: folder.path } } });
  expect((await without.request("GET", "/health")).status).toBe(200);
  expect(without.logged.join("")).toContain("no Unix socket");
});

test.runIf(process.getuid?.() === 0)(
  "Unix socket: another user of the machine cannot connect, whatever the folder allows",
  async () => {
    await using gateway = await startGateway({ config: { auth } });
    const path = socketOf(gateway);
    for (const folder of [dirname(path), dirname(dirname(path))]) chmodSync(folder, 0o755);
    const asUnprivileged = (...target: string[]) =>
      new Promise<string>((resolve) => {
        const user = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"];
        const curl = [
          "curl",
          "--silent",
          "--verbose",
          "--max-time",
          "60",
          "--output",
          "/dev/null",
          "--write-out",
          "%{http_code}",
        ];
        execFile("setpriv", [...user, ...curl, ...target], (_, stdout, stderr) =>
          resolve(stderr.includes("Permission denied") ? "denied" : stdout),
        );
      });
    const overSocket = () => asUnprivileged("--unix-socket", path, "http://localhost/api/v1/secrets");
    // The same program as the same user reaches the port, and the same socket lets root in.
    expect(await asUnprivileged(`${gateway.origin}/api/v1/secrets`)).toBe("401");
    expect((await ask(path, "GET", "/secrets")).status).toBe(200);
    expect(await overSocket()).toBe("denied");
    // A socket with a changed mode refuses all connections, because the peer could be any user.
    chmodSync(path, 0o666);
    expect(await overSocket()).toBe("000");
    await expect(ask(path, "GET", "/secrets")).rejects.toThrow(/socket hang up|ECONNRESET|EPIPE/);
    chmodSync(path, 0o600);
    expect((await ask(path, "GET", "/secrets")).status).toBe(200);
  },
);

test("Unix socket: a stop does not wait for a client that keeps its connection to the Unix socket", async () => {
  const gateway = await startGateway({ config: { auth } });
  const open = request({ socketPath: socketOf(gateway), path: "/api/v1/events", headers: { host: "localhost" } });
  const ended = new Promise((resolve) => {
    open.on("response", (answer) => answer.resume().on("close", () => resolve("closed")));
    open.on("error", () => resolve("closed"));
  });
  open.end();
  await ask(socketOf(gateway), "GET", "/health");
  await gateway[Symbol.asyncDispose]();
  expect(await ended).toBe("closed");
});
