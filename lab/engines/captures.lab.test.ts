import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Capture, CaptureDetail, CaptureLine } from "@portcullis/contract/subsystems/captures";
import { captureLimits } from "@portcullis/contract/subsystems/captures";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sandboxed } from "../../daemon/src/engines/sandbox/sandbox.model.ts";
import { captureUser, filterCheck } from "../../daemon/src/engines/tcpdump/tcpdump.render.ts";
import { presets } from "../../daemon/src/subsystems/captures/presets.ts";
import { runStreamed, startStreamed } from "../../daemon/src/system/streamed.ts";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { launchedIn } from "../launched.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { privilegesOf } from "../sandboxed.ts";

/* A gateway with an uplink and two devices on its LAN: packets are captured by the real tcpdump. */
const config = {
  dataplane: { enabled: false },
  network: { lan_iface: "lan0", wan_iface: "wan0" },
};
const folder = temporaryFolder();
const loopFile = join(folder.path, "event-loop");
let lab: Lab;
let gateway: Host;
let phone: Host;
let secret: Host;
let daemon: LabDaemon;

beforeAll(async () => {
  lab = openLab();
  [gateway, phone, secret] = [await lab.host("gw"), await lab.host("phone"), await lab.host("secret")];
  const outside = await lab.host("out");
  await gateway.run("ip", "link", "add", "lan0", "type", "bridge");
  for (const [number, host] of [phone, secret].entries())
    await lab.cable(
      { host: gateway, device: `port${number}`, addresses: [] },
      { host, device: "eth0", addresses: [`192.168.1.${number + 2}/24`], mac: `02:00:00:00:01:0${number + 2}` },
    );
  for (const port of ["port0", "port1"]) await gateway.run("ip", "link", "set", port, "master", "lan0");
  await gateway.run("ip", "address", "add", "192.168.1.1/24", "dev", "lan0");
  await gateway.run("ip", "link", "set", "lan0", "up");
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["192.0.2.2/24"] },
    { host: outside, device: "eth0", addresses: ["192.0.2.1/24"] },
  );
  await start();
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function start(): Promise<void> {
  const watched = { NODE_OPTIONS: `--import=${resolve("lab/event-loop.mjs")}`, EVENT_LOOP_FILE: loopFile };
  const before = { ...process.env };
  Object.assign(process.env, watched);
  daemon = await startDaemon(gateway, config, folder);
  process.env = before;
}

const started = (body: object = {}) =>
  daemon.ok("POST", "/diagnostics/capture", { interface: "lan0", ...body }) as Promise<Capture>;
const stopped = (id: string) => daemon.ok("DELETE", `/diagnostics/capture/${id}`) as Promise<Capture>;
const packetsOf = async (id: string) =>
  ((await daemon.ok("GET", `/diagnostics/capture/${id}?limit=500`)) as CaptureDetail).summaries;
const urlOf = (id: string, end: string) => `http://127.0.0.1:8080/api/v1/diagnostics/capture/${id}/${end}`;
const send = (host: Host, port: number, count: number, perSecond = 1000, to = "192.168.1.1", size = 20) =>
  host.run("python3", resolve("lab/datagrams.py"), to, ...[port, count, perSecond, size].map(String));

/** Lines of a stream, as curl gets them. */
function reader(id: string, ...options: readonly string[]): { readonly lines: () => Promise<readonly CaptureLine[]> } {
  const child = gateway.start("curl", "--silent", "--no-buffer", ...options, urlOf(id, "stream"));
  let text = "";
  child.stdout!.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise((resolve) => child.once("close", resolve));
  return {
    lines: async () => {
      await ended;
      return text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as CaptureLine);
    },
  };
}

test("capture: what the filter matches is in the live stream, in the summaries, and in a file that tcpdump and tshark read", async () => {
  const { id } = await started({ filter: "udp port 5000" });
  const live = reader(id);
  await send(phone, 5000, 30);
  await send(phone, 6000, 30);
  expect(await stopped(id)).toMatchObject({ packets: 30, dropped: 0, state: "stopped", end_reason: "stopped" });
  const seen = await packetsOf(id);
  expect(seen.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, place) => place + 1));
  expect(seen[0]).toMatchObject({
    source: "192.168.1.2",
    destination: "192.168.1.1",
    destination_port: 5000,
    protocol: "udp",
    length: 62,
  });
  const lines = await live.lines();
  expect(lines.flatMap((it) => (it.kind === "packet" ? [it.packet] : []))).toEqual(seen);
  expect(lines.at(-1)).toMatchObject({ kind: "end", capture: { id, packets: 30 } });
  const file = join(folder.path, "x.pcapng");
  await gateway.run("curl", "--silent", "--fail", "--output", file, urlOf(id, "download"));
  const read = await gateway.run("tcpdump", "-n", "-r", file);
  expect(read.trim().split("\n")).toHaveLength(30);
  expect(read).toContain("192.168.1.1.5000");
  const details = await gateway.run("curl", "--silent", urlOf(id, "packets/2"));
  expect(details).toMatch(/Ethernet II[\s\S]*User Datagram Protocol, Src Port: \d+, Dst Port: 5000/);
});

test("capture: it ends by its count with exactly that many packets, and by its duration", async () => {
  const byCount = await started({ filter: "udp port 5001", count: 7 });
  const byTime = await started({ filter: "udp port 5001", duration_sec: 2 });
  await send(phone, 5001, 20);
  const all = async () => (await daemon.ok("GET", "/diagnostics/captures")) as readonly Capture[];
  await until("both have ended", async () => (await all()).every(({ state }) => state === "stopped"));
  const [one, other] = await Promise.all(
    [byCount, byTime].map(async ({ id }) => (await all()).find((it) => it.id === id)),
  );
  expect(one).toMatchObject({ packets: 7, end_reason: "count" });
  // On a busy machine the time may be over before the packets are sent.
  expect(other).toMatchObject({ end_reason: "duration", duration_sec: 2 });
  expect(Date.parse(other!.ended_at!) - Date.parse(other!.started_at)).toBeGreaterThan(1000);
});

test("capture: a fourth one at once answers limit_reached", async () => {
  const running = [await started(), await started(), await started()];
  expect(await daemon.request("POST", "/diagnostics/capture", { interface: "lan0" })).toMatchObject({
    status: 409,
    body: { error: { code: "limit_reached", details: { limit: captureLimits.running } } },
  });
  await Promise.all(running.map(({ id }) => stopped(id)));
});

test("capture: every preset compiles on the kinds of interfaces it is for, and a wrong one does not", async () => {
  const compiles = async (filter: string, link: "ethernet" | "ip") => {
    const { command, args, files } = filterCheck(filter, link, {});
    return (await runStreamed(startStreamed(command, args, { mark: "LAB=1", files }), { limitMs: 60_000 })).code === 0;
  };
  const results = await Promise.all(
    presets.flatMap(({ name, filter, links }) =>
      (["ethernet", "ip"] as const).map(async (link) => [
        name,
        link,
        await compiles(filter, link),
        links.includes(link),
      ]),
    ),
  );
  expect(presets).toHaveLength(captureLimits.presets);
  expect(results.filter(([, , isCompiled, isExpected]) => isCompiled !== isExpected)).toEqual([]);
});

test("capture: a hostile filter starts nothing, writes nothing and resolves no name; the compiler's message is the answer", async () => {
  const target = join(folder.path, "planted");
  const refused = [
    `-w ${target}`,
    `--`,
    `-F /etc/passwd`,
    `-z sh`,
    "host portcullis.example",
    "tcp port",
    "port 70000",
    "(((",
  ];
  const answers: { readonly status: number; readonly body: unknown }[] = [];
  for (const filter of refused)
    answers.push(await daemon.request("POST", "/diagnostics/capture", { interface: "lan0", filter }));
  expect(answers.map(({ status }) => status)).toEqual(refused.map(() => 400));
  const messages = answers.map(({ body }) => (body as { error: { message: string } }).error.message);
  expect(messages[4]).toContain("unknown host 'portcullis.example'");
  expect(messages[5]).toContain("syntax error");
  expect(messages[6]).toContain("70000");
  expect(existsSync(target)).toBe(false);
  expect(await gateway.processesOf(captureUser)).toEqual([]);
  const { id } = await started({ filter: "tcp port https or udp" });
  expect(await stopped(id)).toMatchObject({ state: "stopped" });
});

test("capture: packets of a device with the log level none are not recorded, and of others they are", async () => {
  const classes = (await daemon.ok("GET", "/privacy-classes")) as readonly { id: string; log_level: string }[];
  const silent = classes.find(({ log_level }) => log_level === "none");
  const privacy_class =
    silent?.id ??
    ((await daemon.ok("POST", "/privacy-classes", { name: "silent", log_level: "none" })) as { id: string }).id;
  const { id: device } = (await daemon.ok("POST", "/devices", {
    name: "secret",
    mac: "02:00:00:00:01:03",
    privacy_class,
  })) as { id: string };
  const { id, mixed } = await started({ filter: "udp port 5002" });
  const onUplink = await started({ interface: "wan0" });
  expect([mixed, onUplink.mixed]).toEqual([false, true]);
  await Promise.all([send(phone, 5002, 20), send(secret, 5002, 20)]);
  expect(await stopped(id)).toMatchObject({ packets: 20, withheld: 20 });
  expect(new Set((await packetsOf(id)).map(({ source }) => source))).toEqual(new Set(["192.168.1.2"]));
  await stopped(onUplink.id);
  await daemon.ok("DELETE", `/devices/${device}`);
});

test("capture: an interface that disappears ends it with the message of tcpdump", async () => {
  await gateway.run("ip", "link", "add", "gone0", "type", "veth", "peer", "name", "gone1");
  await gateway.run("ip", "link", "set", "gone0", "up");
  const { id } = await started({ interface: "gone0" });
  await gateway.run("ip", "link", "delete", "gone0");
  const now = async () => (await daemon.ok("GET", `/diagnostics/capture/${id}?limit=0`)) as Capture;
  await until("it has failed", async () => (await now()).state === "failed");
  expect((await now()).failure).toMatch(/interface disappeared|interface went down|No such device/i);
});

/** What a program reports in the sandbox of tcpdump. */
async function attemptBy(command: string, args: readonly string[], receivesOnly: boolean): Promise<readonly string[]> {
  const box = sandboxed({
    command,
    args,
    userId: captureUser,
    shown: {},
    privileges: ["net_raw"],
    rules: { packetSockets: true, receivesOnly },
    port: 65_535,
  });
  using inside = await launchedIn(gateway, [box.command, ...box.args], box.files);
  return (await inside.lines()).slice(0, 3);
}

/** Sends a frame on lan0 by a packet socket. */
const sender = `
$| = 1;
use Socket;
socket(my $s, 17, 3, 0x0300) or die "no socket: $!";
my $index = $ARGV[0];
print "bound ", bind($s, pack("SnISCC a8", 17, 3, $index, 1, 0, 0, "")) ? 0 : $! + 0, "\\n";
print "sent ", defined(send($s, "\\xff" x 60, 0)) ? 0 : $! + 0, "\\n";
print "written ", defined(syswrite($s, "\\xff" x 60)) ? 0 : $! + 0, "\\n";
print "done\\n";
sleep 600;
`;

test("capture: tcpdump has its own user, the right to read packets, and no call that sends one", async () => {
  const { id } = await started();
  const raw = "0000000000002000";
  expect(await privilegesOf(gateway, captureUser)).toEqual({
    capabilities: raw,
    bounding: raw,
    seccomp: "2",
    user: true,
  });
  await stopped(id);
  const index = (await gateway.run("cat", "/sys/class/net/lan0/ifindex")).trim();
  const attempt = (receivesOnly: boolean) => attemptBy("perl", ["-e", sender, index], receivesOnly);
  expect(await attempt(true)).toEqual(["bound 0", "sent 1", "written 1"]);
  expect(await attempt(false)).toEqual(["bound 0", "sent 0", "written 0"]);
});

/** Frees descriptor 2 by execve, opens a packet socket, and writes to it. */
const opener = `
import fcntl, os, sys
after = """
import os, socket
def tried(name, act):
    try: act(); print(name, 0)
    except OSError as error: print(name, error.errno)
frames = socket.socket(17, 3, 0x0300)
frames.bind(("lan0", 0))
print("output" if frames.fileno() == 2 else "not an output")
tried("written", lambda: os.write(frames.fileno(), bytes([255] * 60)))
print("done", flush=True)
import time
time.sleep(600)
"""
try:
    fcntl.fcntl(2, 2, 1) if sys.argv[1] == "fcntl" else fcntl.ioctl(2, 0x5451)
    print("marked 0", flush=True)
except OSError as error: print("marked", error.errno, flush=True)
os.execv("/usr/bin/python3", ["python3", "-ISc", after])
`;

test("capture: tcpdump cannot send by a socket that takes the number of an output which execve closes", async () => {
  const attempt = (how: string, receivesOnly: boolean) => attemptBy("python3", ["-ISc", opener, how], receivesOnly);
  for (const how of ["fcntl", "ioctl"]) {
    expect(await attempt(how, true)).toEqual(["marked 1", "not an output", "written 1"]);
    expect(await attempt(how, false)).toEqual(["marked 0", "output", "written 0"]);
  }
});

/** Files that a process has open in a folder, also those without a name. */
const openFilesIn = (processId: number, path: string): string[] =>
  readdirSync(`/proc/${processId}/fd`).flatMap((name) => {
    try {
      const file = readlinkSync(`/proc/${processId}/fd/${name}`);
      return file.startsWith(path) && file.endsWith("(deleted)") ? [file] : [];
    } catch {
      return []; // It was closed meanwhile.
    }
  });

test.each(["killed", "stopped"] as const)(
  "capture: when the daemon is %s, neither a process nor a file is left, and the next one captures",
  async (how) => {
    const { id } = await started({ filter: "udp port 5003" });
    await send(phone, 5003, 5);
    expect(await gateway.processesOf(captureUser)).toHaveLength(1);
    const [node] = (await gateway.run("pgrep", "-P", String(daemon.processId)).catch(() => "")).trim().split("\n");
    const files = [daemon.processId, Number(node)].flatMap((it) => (it > 0 ? openFilesIn(it, folder.path) : []));
    expect(files.length).toBeGreaterThan(0);
    await (how === "killed" ? daemon.kill() : daemon.stop());
    await until("no process is left", async () => (await gateway.processesOf(captureUser)).length === 0);
    const left = readdirSync(folder.path, { recursive: true, encoding: "utf8" }).filter((it) => /captur/.test(it));
    expect(left).toEqual([]);
    await start();
    expect((await daemon.request("GET", `/diagnostics/capture/${id}`)).status).toBe(404);
    const next = await started({ filter: "udp port 5003" });
    await send(phone, 5003, 5);
    expect(await stopped(next.id)).toMatchObject({ packets: 5 });
  },
);

const seconds = Number(process.env["CAPTURE_SEC"] ?? 10);
const rate = 20_000;

test("capture: at 20,000 packets a second each packet is recorded, or counted as dropped by the kernel", {
  tags: "proof",
}, async () => {
  const { id } = await started({ filter: "udp port 5004" });
  const wanted = 2 * rate;
  await send(phone, 5004, wanted, rate, "192.168.1.1", 100);
  const { packets, dropped } = await stopped(id);
  recordFigure({ name: "packets of 40,000 that the kernel dropped", value: dropped ?? -1, unit: "packets", most: 1 });
  expect(packets + (dropped ?? 0)).toBe(wanted);
});

test("capture: at 20,000 packets a second it has as many as its limit, and streams are complete or report what they skip", {
  tags: "proof",
}, async () => {
  const get = async (of: string, limit = 0) =>
    (await daemon.ok("GET", `/diagnostics/capture/${of}?limit=${limit}`)) as Capture;
  // Validators are compiled at the first request of each kind.
  const first = await started({ filter: "udp port 5005", count: 1000 });
  const early = reader(first.id);
  await send(phone, 5005, 1000);
  await early.lines();
  await get(first.id, 500);
  rmSync(loopFile, { force: true });
  await until("the measurement begins", async () => existsSync(loopFile));
  const { id } = await started({ filter: "udp port 5005" });
  // A slow link: a few hundred packets a second.
  const [fast, slow] = [reader(id), reader(id, "--limit-rate", "100k")];
  const sent = await send(phone, 5005, rate * seconds, rate, "192.168.1.1", 100);
  const [count, took] = sent.trim().split(" ").map(Number) as [number, number];
  await until("it has ended", async () => (await get(id)).state === "stopped");
  const { packets, end_reason } = await get(id);
  const [complete, partial] = await Promise.all([fast.lines(), slow.lines()]);
  const totals = (lines: readonly CaptureLine[]) => ({
    packets: lines.filter(({ kind }) => kind === "packet").length,
    skipped: lines.reduce((sum, it) => sum + (it.kind === "skipped" ? it.packets : 0), 0),
  });
  const [whole, rest] = [totals(complete), totals(partial)];
  const { byClockMs, byProcessorMs } = JSON.parse(readFileSync(loopFile, "utf8")) as Record<string, number>;
  for (const [name, value, unit, most] of [
    ["packets sent per second", Math.round(count / took), "1/s", undefined],
    ["packets that a fast reader missed", whole.skipped, "packets", 1],
    ["packets that a slow reader was reported to miss", rest.skipped, "packets", undefined],
    ["longest time in which the event loop was blocked", byClockMs!, "ms", 50],
    ["the same in processor time", byProcessorMs!, "ms", 50],
  ] as const)
    recordFigure({ name, value, unit, ...(most !== undefined && { most }) });
  expect({ packets, end_reason }).toEqual({ packets: captureLimits.packets, end_reason: "count" });
  expect(whole.packets + whole.skipped).toBe(packets);
  expect(rest.packets + rest.skipped).toBe(packets);
});
