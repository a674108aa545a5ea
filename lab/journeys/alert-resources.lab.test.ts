import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { Alert } from "@portcullis/contract/subsystems/alerts";
import type { Component } from "@portcullis/contract/subsystems/status";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCertificate } from "../../testing/certificates.ts";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { openvpnFile } from "../../testing/tunnels.ts";
import { daemonFolder, type LabDaemon, startDaemon } from "../daemon.ts";
import { type GatewayEvent, subscribeToEvents } from "../events.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";

/* Alerts of a live gateway about what is really used up: file systems of limited size, file handles, and time. */
const mebibyte = 1 << 20;
let lab: Lab;
let gateway: Host;
let folder: ReturnType<typeof daemonFolder>;
let state: string;
let daemon: LabDaemon;

const start = async () => {
  const network = { lan_iface: "lan0", wan_iface: "wan0" };
  const config = { network, limits: { requests_per_minute: 1_000_000, request_timeout_sec: 600 } };
  daemon = await startDaemon(gateway, config, { ...folder, [Symbol.dispose]: () => {} });
};

beforeAll(async () => {
  lab = openLab();
  gateway = await lab.host("gw");
  const outside = await lab.host("out");
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["192.0.2.1/24"] },
    { host: outside, device: "eth0", addresses: ["192.0.2.2/24"] },
  );
  await lab.cable(
    { host: gateway, device: "lan0", addresses: ["10.0.0.1/24"] },
    { host: outside, device: "eth1", addresses: [] },
  );
  folder = daemonFolder();
  state = join(folder.path, "state");
  mkdirSync(state);
  execFileSync("mount", ["-t", "tmpfs", "-o", "mode=700,size=64m", "tmpfs", state]);
  await start();
});
afterAll(async () => {
  await daemon?.kill();
  await lab?.[Symbol.asyncDispose]();
  if (state !== undefined) execFileSync("umount", ["--lazy", state]);
  folder?.[Symbol.dispose]();
});

const listed = (query = "") => daemon.ok("GET", `/alerts${query}`) as Promise<Alert[]>;
const exhausted = async () =>
  ((await daemon.ok("GET", "/alerts/active")) as Alert[])
    .filter((it) => it.rule === "resource-exhaustion")
    .map((it) => it.resource_name)
    .toSorted();
const areExhausted =
  (...names: string[]) =>
  async () =>
    (await exhausted()).join() === names.toSorted().join();
const component = async (name: string) =>
  ((await daemon.ok("GET", "/observer")) as { components: Component[] }).components.find((it) => it.name === name)!;
/** In the mount namespace of the daemon, which is its own. */
const beside = (...words: string[]) =>
  execFileSync("nsenter", ["--mount", "--target", String(daemon.processId), ...words], { encoding: "utf8" });

/** 900 connections that request nothing. The API server closes such ones after a while: each is opened again. */
const silentClients = `
import selectors, socket, time
sockets = selectors.DefaultSelector()
def connect():
    sockets.register(socket.create_connection(("127.0.0.1", 8080)), selectors.EVENT_READ)
for _ in range(900): connect()
print("open", flush=True)
while True:
    for key, _ in sockets.select():
        sockets.unregister(key.fileobj)
        key.fileobj.close()
        time.sleep(0.01)
        connect()
`;

/** Longer than a round of the daemon. */
const roundSec = 20;

test("alerts: a full disk is one alert, also after a kill, and is resolved when there is space again", async () => {
  const disk = `disk:${state}`;
  expect(await component("resources")).toMatchObject({
    status: "ok",
    message: expect.stringContaining(`of the disk of ${state} is used`),
  });
  expect(await exhausted()).toEqual([]);
  using events = await subscribeToEvents(gateway);
  const { bavail, bsize } = statfsSync(state);
  execFileSync("fallocate", ["-l", String(bavail * bsize - 1.5 * mebibyte), join(state, "fill")]);
  await until("the full disk is an alert", areExhausted(disk), roundSec);
  const [raised] = await listed("?rule=resource-exhaustion");
  expect(raised).toMatchObject({
    severity: "warning",
    count: 1,
    resource_type: "resource",
    reason: expect.stringMatching(/^9[5-9] % of the disk of .*state is used, 1 MiB are left$/),
  });
  expect(await component("resources")).toMatchObject({
    status: "degraded",
    message: expect.stringMatching(/^Nearly exhausted: 9\d % of the disk of /),
  });
  const isRaised = ({ event, data }: GatewayEvent) =>
    event === "alert.raised" && data["rule"] === "resource-exhaustion";
  expect(events.filter(isRaised)).toMatchObject([{ data: { name: disk } }]);
  await daemon.kill();
  await start();
  expect(await listed("?rule=resource-exhaustion")).toMatchObject([{ id: raised!.id, state: "active", count: 1 }]);
  rmSync(join(state, "fill"));
  await until("the disk has space again", areExhausted(), roundSec);
  expect(await listed("?rule=resource-exhaustion")).toMatchObject([
    { id: raised!.id, resolved_by: "system", count: 1 },
  ]);
  expect(await component("resources")).toMatchObject({ status: "ok" });
});

test("alerts: inodes and file handles are alerts of their own, each for as long as its cause lasts", async () => {
  beside("mount", "-t", "tmpfs", "-o", "size=16m,nr_inodes=200", "tmpfs", "/var/log");
  const isMeasured = async () => (await component("resources")).message.includes("of the inodes of /var/log are used");
  await until("the folder of logs is measured", isMeasured, roundSec);
  expect(await exhausted()).toEqual([]);

  beside("sh", "-c", "for i in $(seq 196); do : > /var/log/file$i; done");
  await until("few inodes are an alert, and nothing else is", areExhausted("inodes:/var/log"), roundSec);

  // Enough of them that those of the daemon itself do not matter.
  const clients = gateway.start("python3", "-c", silentClients);
  await new Promise((open) => clients.stdout!.once("data", open));
  const handles = () => readdirSync(`/proc/${daemon.processId}/fd`).length;
  await until("the daemon has accepted them", async () => handles() > 900, 30);
  // What is left is enough for the requests of this test, and for the programs that the daemon starts.
  const limit = Math.ceil(handles() / 0.96);
  execFileSync("prlimit", ["--pid", String(daemon.processId), `--nofile=${limit}:`]);
  await until("few handles are an alert", areExhausted("files", "inodes:/var/log"), roundSec);
  const reasons = (await listed("?state=active")).map((it) => it.reason);
  expect(reasons).toContainEqual(
    expect.stringMatching(/^\d+ % of the file handles of the daemon are used, \d+ are left$/),
  );

  beside("sh", "-c", "rm /var/log/file*");
  clients.kill();
  await until("inodes and handles are free again", areExhausted(), roundSec);
  const counts = (await listed("?rule=resource-exhaustion&state=resolved"))
    .slice(0, 2)
    .map((it) => `${it.resource_name} ${it.count}`);
  expect(counts.toSorted()).toEqual(["files 1", "inodes:/var/log 1"]);
});

test("alerts: an expired certificate of a tunnel is one alert, which ends when the certificate is replaced", async () => {
  using made = temporaryFolder();
  const ca = await makeCertificate(made.path, "authority");
  const client = await makeCertificate(made.path, "client");
  const [old, request] = [join(made.path, "old.crt"), join(made.path, "client.csr")];
  const openssl = (...words: string[]) => execFileSync("openssl", words, { stdio: "pipe" });
  openssl("req", "-new", "-key", client.key_file, "-subj", "/CN=client", "-out", request);
  openssl("x509", "-req", "-in", request, "-signkey", client.key_file, "-days", "-1", "-out", old);
  const config = openvpnFile(
    { ca: ca.cert, cert: readFileSync(old, "utf8"), key: client.key },
    "remote 192.0.2.2 1194 udp",
  );
  const certificateAlerts = async () =>
    (await listed())
      .filter((it) => it.rule.startsWith("cert-"))
      .map((it) => `${it.rule} ${it.resource_name} ${it.state}`);
  expect(await certificateAlerts()).toEqual([]);
  using events = await subscribeToEvents(gateway);
  const body = { name: "Oslo", config };
  const { id } = (await daemon.ok("POST", "/tunnels/upload-ovpn", body)) as { readonly id: string };
  const isRaised = async () => (await certificateAlerts()).join() === "cert-expired Oslo (cert) active";
  await until("the expired certificate is an alert", isRaised, roundSec);
  expect((await listed("?rule=cert-expired"))[0]).toMatchObject({
    severity: "critical",
    count: 1,
    reason: expect.stringMatching(/^The certificate of Oslo \(cert\) \(client\) expired at 20/),
  });
  expect(await component("certificates")).toMatchObject({ status: "degraded" });
  expect(events.filter((it) => it.event === "certificate.expired")).toHaveLength(1);
  await daemon.ok("PUT", `/tunnels/${id}`, { config: { blocks: { cert: client.cert } } });
  const isOver = async () => (await certificateAlerts()).join() === "cert-expired Oslo (cert) resolved";
  await until("the alert is over", isOver, roundSec);
  expect(await component("certificates")).toMatchObject({
    status: "ok",
    message: expect.stringMatching(/^2 certificates are valid; /),
  });
});
