import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Proxy } from "@portcullis/contract/subsystems/proxies";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linux } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { startScript } from "../script.ts";
import { type HopServer, type HopTopology, openHopTopology } from "../topology-hops.ts";
import { type Site, uplinkAddress } from "../internet.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";

/*
 * SOCKS5 listeners of the gateway, for a device that is blocked itself. The web server answers with the source address.
 * Each test continues where the previous one left off.
 */

let lab: Lab;
let topology: HopTopology;
let tunnel: HopServer;
let lena: Host;
let web: Site;
const account = { username: "lena", password: "Pa:ss w0rd %@" };

beforeAll(async () => {
  lab = openLab();
  topology = await openHopTopology(lab);
  tunnel = await topology.wireguard("far");
  lena = await topology.net.device("lena", 9);
  web = await topology.net.site("echo");
  const server = web.host.start("python3", resolve("lab/echo-server.py"), "8000");
  await once(createInterface({ input: server.stdout! }), "line");
});
afterAll(async () => {
  await topology?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const curl = async (host: Host, ...args: string[]): Promise<string> =>
  host.run("curl", "--silent", "--max-time", "20", ...args).catch((error: { code: number }) => `curl ${error.code}`);
const page = (path = "") => `http://${web.v4}:8000/${path}`;
const through = (port: number, ...args: string[]) =>
  curl(lena, "--socks5", `10.0.0.1:${port}`, ...args, ...(args.at(-1)?.startsWith("http") ? [] : [page()]));
const byUplink = () => through(1082, "--proxy-user", `${account.username}:${account.password}`);
const make = async (name: string, port: number, more: object) =>
  (await topology.api.ok("POST", "/proxies", { name, kind: "local", listen: `10.0.0.1:${port}`, ...more })) as Proxy;
const proxy = async (name: string) =>
  ((await topology.api.ok("GET", "/proxies")) as Proxy[]).find((it) => it.name === name)!;
const isUp = (name: string) => async () => (await proxy(name)).status === "up";
/** Packets to the web server that were seen on the providers' wires. */
const inTheClear = async () =>
  (await Promise.all(topology.net.providers.map((it) => topology.net.seen(it))))
    .flat()
    .filter(({ to }) => to === web.v4);
const comesFromTunnel = async () => (await through(1080, "--max-time", "3")) === tunnel.site.v4;
const log = (text: string) => process.stdout.write(`listeners: ${text}\n`);
async function reportsForwarding(limitSec: number, after: string): Promise<void> {
  const seconds = await until("it forwards", comesFromTunnel, limitSec);
  log(`forwards ${seconds.toFixed(2)} s after ${after}`);
  recordFigure({ name: `time until a listener forwards after ${after}`, value: seconds, unit: "s", most: limitSec });
}

test("requests through a listener leave through the listener's tunnel", async () => {
  await make("by tunnel", 1080, { tunnel_id: "far" });
  const listens = await until("it listens", isUp("by tunnel"), 15);
  const forwards = await until("it forwards", comesFromTunnel, 15);
  log(`listens after ${listens.toFixed(2)} s, forwards after ${forwards.toFixed(2)} s more`);
  expect(await inTheClear()).toEqual([]);
  expect(await curl(lena, page())).toMatch(/^curl \d+$/); // By herself she may not leave.
});

test("without a tunnel it leaves by the uplink, and only for clients with the password", async () => {
  const { id } = await make("by uplink", 1082, {});
  const isReported = async () => (await proxy("by uplink")).reason.includes("device could leave in the clear");
  await until("it reports why not", isReported, 10);
  expect(await through(1082)).toBe("curl 7");
  expect(await inTheClear()).toEqual([]);
  await topology.api.ok("PUT", `/proxies/${id}`, account);
  await until("it forwards", async () => (await byUplink()) === uplinkAddress(0, 1).v4, 10);
  expect(await through(1082)).toBe("curl 97");
  expect(await inTheClear()).toMatchObject([{ from: uplinkAddress(0, 1).v4, protocol: "tcp", port: 8000 }]);
});

test("a wrong password is refused, and the password cannot be read back", async () => {
  const made = await make("guarded", 1081, { tunnel_id: "far", ...account });
  expect(made).toMatchObject({ username: "lena", has_password: true });
  expect(JSON.stringify([made, await proxy("guarded")])).not.toContain(account.password);
  const fetched = (...args: string[]) => curl(lena, ...args, page());
  const url = (password: string) => `socks5://lena:${encodeURIComponent(password)}@10.0.0.1:1081`;
  await until("it forwards", async () => (await fetched("--proxy", url(account.password))) === tunnel.site.v4, 10);
  expect(await fetched("--proxy", url("wrong"))).toBe("curl 97");
  expect(await fetched("--proxy", "socks5://10.0.0.1:1081")).toBe("curl 97");
});

test("connections and bytes are counted, as the device sees them", async () => {
  await until("no connection is left", async () => (await proxy("by tunnel")).connections === 0, 5);
  const before = await proxy("by tunnel");
  // The server sends it in five seconds, so that it is seen to run also on a slow machine.
  const bytes = 5_000_000;
  const flags = ["--max-time", "300", "--output", "/dev/null", "--write-out", "%{size_download}"];
  const download = through(1080, ...flags, page(String(bytes)));
  await until("a connection is counted", async () => (await proxy("by tunnel")).connections === 1, 3);
  expect(Number(await download)).toBeGreaterThan(bytes);
  await until("it is over", async () => (await proxy("by tunnel")).connections === 0, 5);
  // Bytes are read a little before connections are, and both may be of the last half second.
  await until("its bytes are counted", async () => (await proxy("by tunnel")).rx - before.rx > bytes, 5);
  const { tx, rx } = await proxy("by tunnel");
  log(`a download of 5 MB: ${rx - before.rx} bytes received, ${tx - before.tx} sent`);
  expect(rx - before.rx).toBeLessThan(1.3 * bytes);
  expect(tx - before.tx).toBeGreaterThan(100);
  expect(tx - before.tx).toBeLessThan(0.1 * bytes);
  expect((await proxy("guarded")).rx).toBeLessThan(10_000);
});

test("the listener is not reachable from outside", async () => {
  const [provider] = topology.net.providers;
  await provider.run("ip", "route", "add", "10.0.0.1", "via", uplinkAddress(0, 1).v4);
  for (const address of ["10.0.0.1", uplinkAddress(0, 1).v4])
    expect(await curl(provider, "--max-time", "1", "--socks5", `${address}:1080`, page())).toMatch(/^curl (7|28|97)$/);
});

test("the tunnel is silent: nothing leaves elsewhere", async () => {
  await inTheClear();
  tunnel.freeze();
  expect(await through(1080, "--max-time", "2")).toMatch(/^curl/);
  const status = async () => ((await topology.api.ok("GET", `/tunnels/${tunnel.id}`)) as { status: string }).status;
  await until("the daemon has noticed", async () => (await status()) === "failed", 10);
  expect(await through(1080, "--max-time", "2")).toMatch(/^curl/);
  expect(await inTheClear()).toEqual([]);
  tunnel.thaw();
  await reportsForwarding(20, "its tunnel is back");
});

test("the tunnel is switched off: the listener is closed, and nothing leaves elsewhere", async () => {
  await topology.api.ok("POST", `/tunnels/${tunnel.id}/down`);
  await inTheClear();
  expect(await through(1080)).toMatch(/^curl/);
  expect(await inTheClear()).toEqual([]);
  expect(await byUplink()).toBe(uplinkAddress(0, 1).v4); // The other one is not disturbed.
  await topology.api.ok("POST", `/tunnels/${tunnel.id}/up`);
  await reportsForwarding(20, "its tunnel is switched on");
});

test("its program is killed: another one takes its place, and nothing leaves elsewhere", async () => {
  await inTheClear();
  const [name, before] = [...topology.processes()].find(([it]) => it.endsWith("1080"))!; // Its port decides its user.
  linux.signal(before, "SIGKILL");
  const isAnother = async () => ![before, undefined].includes(topology.processes().get(name));
  await until("another one has begun", isAnother, 10);
  await reportsForwarding(15, "its program was killed");
  expect(await inTheClear()).toEqual([]);
});

test("a remote proxy with a password is a hop behind a tunnel", async () => {
  const club = await topology.net.site("club");
  const socksServer = await startScript(club.host, "lab/socks5-server.py", "1080", account.username, account.password);
  const { id } = (await topology.api.ok("POST", "/proxies", {
    name: "club",
    kind: "upstream",
    address: `${club.v4}:1080`,
    ...account,
  })) as Proxy;
  const hops = [
    { type: "vpn", target: "far" },
    { type: "proxy", target: "club" },
  ];
  const { device: rudi, traffic } = await topology.addClient("rudi", [], { hops });
  await traffic.stop();
  await topology.apply();
  const comesFromClub = async () => (await curl(rudi, "--max-time", "1", page())) === club.v4;
  log(`a proxy behind a tunnel forwards after ${(await until("it forwards", comesFromClub, 15)).toFixed(2)} s`);
  expect(JSON.parse(await socksServer.request("report"))).toMatchObject({ accepted: [tunnel.site.v4] });

  await topology.api.ok("PUT", `/proxies/${id}`, { password: "forgotten" });
  const isRefused = async () => {
    expect(await curl(rudi, "--max-time", "2", page())).not.toBe(uplinkAddress(0, 1).v4);
    return (await socksServer.request("report")).includes(`"accepted": [], "rejected": ["${tunnel.site.v4}"]`);
  };
  await until("it is refused", isRefused, 10);
  await topology.api.ok("PUT", `/proxies/${id}`, { password: account.password });
  await until("it forwards again", comesFromClub, 10);
  expect(await inTheClear()).toEqual([]);
});

test("a listener that is taken away listens no more", async () => {
  for (const name of ["by tunnel", "guarded", "by uplink"])
    await topology.api.ok("DELETE", `/proxies/${(await proxy(name)).id}`);
  const ports = [1080, 1081, 1082];
  for (const port of ports)
    await until(`no listener is left on port ${port}`, async () => (await through(port)) === "curl 7", 10);
  expect(await Promise.all(ports.map((port) => through(port)))).toEqual(ports.map(() => "curl 7"));
});
