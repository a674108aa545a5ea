import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { openvpnFile, pem } from "../../testing/tunnels.ts";
import { type LabDaemon, daemonFolder, startDaemon } from "../daemon.ts";
import { startAuthority } from "../dns-servers.ts";
import { type Block, blocksOf, pagesInOrder } from "../guide-blocks.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { startWireguardServer } from "../servers.ts";

/*
 * Every block of commands of the README and the guide, literally, in the order of the pages, on one gateway: each page relies
 * on what the pages before it have made. The first block of the README, which builds and starts the gateway, has a test of its
 * own, and the blocks of "Installation" are those of a machine with systemd.
 */

const folder = daemonFolder();
const desk = temporaryFolder();
const far = "192.0.2.2";
/** An address outside that the tutorial pings. */
const somewhere = "9.9.9.9";
const key = "a-key-for-the-laptop-0123456789";
const network = { lan_iface: "eth1", wan_iface: "eth0" };
const dns = { enabled: true, upstream_servers: [far] };
const open = { network, dns };
const closed = {
  ...open,
  listen: { api_addr: "192.168.1.1:8080" },
  auth: { enabled: true, local_net: "", api_keys: [{ name: "laptop", key, role: "admin" }] },
};

let lab: Lab;
let gateway: Host;
let laptop: Host;
let daemon: LabDaemon;

beforeAll(async () => {
  lab = openLab();
  [gateway, laptop] = [await lab.host("gw"), await lab.host("laptop")];
  const outside = await lab.host("outside");
  await lab.cable(
    { host: gateway, device: "eth0", addresses: ["192.0.2.1/24"] },
    { host: outside, device: "eth0", addresses: [`${far}/24`] },
  );
  await lab.cable(
    { host: gateway, device: "eth1", addresses: ["192.168.1.1/24"] },
    { host: laptop, device: "eth0", addresses: ["192.168.1.30/24"], mac: "02:00:00:00:00:0a" },
  );
  for (const device of ["eth2", "eth3", "wwan0"])
    await lab.cable({ host: gateway, device, addresses: [] }, { host: outside, device: `to-${device}`, addresses: [] });
  await laptop.run("ip", "route", "add", "default", "via", "192.168.1.1");
  await outside.run("ip", "address", "add", `${somewhere}/32`, "dev", "lo");
  await gateway.run("ip", "route", "add", "default", "via", far);
  const amsterdam = await startWireguardServer(outside, { address: far });
  await startAuthority(outside, "example.org", `@ 60 A ${amsterdam.inside}\nhost 60 A ${amsterdam.inside}\n`);
  serveHttps(outside);
  writeFiles(amsterdam);
  daemon = await startDaemon(gateway, open, folder);
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
  desk[Symbol.dispose]();
});

/** The files that the pages mention. */
function writeFiles(amsterdam: Awaited<ReturnType<typeof startWireguardServer>>): void {
  const { privateKey, addresses, peers } = amsterdam.client();
  const [peer] = peers;
  const conf = `[Interface]
PrivateKey = ${privateKey}
Address = ${addresses.join(", ")}
DNS = ${amsterdam.inside}
[Peer]
PublicKey = ${peer!.publicKey}
PresharedKey = ${peer!.presharedKey}
AllowedIPs = 0.0.0.0/0
Endpoint = ${peer!.endpoint}
`;
  writeFileSync(join(desk.path, "amsterdam.conf"), conf);
  const zurich = openvpnFile({ ca: pem("CERTIFICATE", "ca") }, "remote 192.0.2.3 1194 udp", "auth-user-pass");
  writeFileSync(join(desk.path, "zurich.ovpn"), zurich);
  writeFileSync(join(desk.path, "password.txt"), "…\n");
  writeFileSync(join(desk.path, "my-list.txt"), "ads.example\ntracker.example\n");
  // A refused request is a failed command.
  writeFileSync(join(desk.path, ".curlrc"), "fail-with-body\nsilent\nshow-error\nmax-time = 60\n");
  const programs = join(desk.path, "bin");
  mkdirSync(programs);
  const client = `exec ${process.execPath} ${resolve("dist/portcullis.mjs")} "$@"\n`;
  writeFileSync(join(programs, "portcullis"), `#!/bin/sh\n${client}`, { mode: 0o755 });
  // Of npx its first argument is left out; the README's own test uses the real one.
  writeFileSync(join(programs, "npx"), `#!/bin/sh\nshift\n${client}`, { mode: 0o755 });
}

/** https://example.org, with a certificate that the laptop trusts. */
function serveHttps(outside: Host): void {
  const paths = { key: join(desk.path, "web.key"), certificate: join(desk.path, "web.crt") };
  const subject = ["-subj", "/CN=example.org", "-addext", "subjectAltName=DNS:example.org"];
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...fresh, ...subject, "-keyout", paths.key, "-out", paths.certificate], {
    stdio: "ignore",
  });
  const server = outside.start(
    "openssl",
    "s_server",
    "-quiet",
    "-www",
    "-accept",
    "443",
    "-key",
    paths.key,
    "-cert",
    paths.certificate,
  );
  for (const stream of [server.stdout!, server.stderr!]) stream.resume();
}

/** Runs commands in one shell that stops at the first failure. Files of the gateway are where the package puts them. */
async function run(
  host: Host,
  commands: string,
  env: Readonly<Record<string, string>> = {},
  input = "",
): Promise<string> {
  const script = `set -euo pipefail
mount -t tmpfs none ${desk.path}/layers
mkdir ${desk.path}/layers/{etc,etc-work,run,run-work}
mount -t overlay none -o lowerdir=/etc,upperdir=${desk.path}/layers/etc,workdir=${desk.path}/layers/etc-work /etc
mount -t overlay none -o lowerdir=/run,upperdir=${desk.path}/layers/run,workdir=${desk.path}/layers/run-work /run
mkdir -p /etc/portcullis /run/portcullis
cp ${folder.path}/portcullis.yaml /etc/portcullis/
ln -sf ${folder.path}/run/api.sock /run/portcullis/api.sock
cd ${commands.startsWith("npm ") ? resolve(".") : desk.path}
${commands}`;
  mkdirSync(join(desk.path, "layers"), { recursive: true });
  const path = `${join(desk.path, "bin")}:${process.env["PATH"]}`;
  const settings = { PATH: path, HOME: desk.path, CURL_CA_BUNDLE: join(desk.path, "web.crt"), ...env };
  const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const files = { script: join(desk.path, "block.sh"), input: join(desk.path, "block.input") };
  writeFileSync(files.script, script);
  writeFileSync(files.input, input);
  const shell = `exec bash ${files.script} < ${files.input}`;
  return host.run("unshare", "--mount", "env", ...words, "bash", "-c", shell).catch((error: unknown) => {
    const { stderr, stdout } = error as { readonly stderr: string; readonly stdout: string };
    throw new Error(`${commands}\n${stdout.slice(-1000)}\n${stderr.slice(-1000)}`);
  });
}

/** What some blocks need besides: where they run, what is typed, or how they end. */
const special: Readonly<Record<string, (block: Block) => Promise<void>>> = {
  // The gateway of this block is reached from another machine: with a key, and by TLS.
  "export GATEWAY_ADDR": async ({ commands }) => {
    await daemon.stop();
    daemon = await startDaemon(gateway, closed, folder);
    const status = JSON.parse(await run(gateway, "portcullis status")) as { tls_pin: string };
    try {
      const output = await run(laptop, commands, { PORTCULLIS_PIN: status.tls_pin }, key);
      expect(output).toMatch(/^Logged in to https:\/\/192.168.1.1:8080 as \S*laptop \(admin\)/);
    } finally {
      await daemon.stop();
      daemon = await startDaemon(gateway, open, folder);
    }
  },
  "curl --proxy": async ({ commands }) => {
    const isUp = async () =>
      ((await daemon.ok("GET", "/proxies")) as { name: string; status: string }[]).some(
        ({ name, status }) => name === "Desk" && status === "up",
      );
    await until("the listener is up", isUp, 30);
    expect(await run(laptop, commands)).toContain("Cipher");
  },
  // Captures at the uplink, while the device sends: the control sees it in the clear, and nothing is seen once it is protected.
  "timeout 10 tcpdump": async ({ commands }) => {
    const tunnels = (await daemon.ok("GET", "/tunnels")) as { name: string; enabled: boolean }[];
    const tunnel = tunnels.find(({ name }) => name === "Tutorial");
    if (tunnel?.enabled) await until("the tunnel answers", async () => (await ping(1)).includes(" 0% packet loss"), 30);
    const capture = run(gateway, `${commands.trim()} 2>&1 || [ $? = 124 ]`);
    const pings = ping(30);
    expect(await capture).toContain(tunnel ? "\n0 packets captured" : "\n2 packets captured");
    expect(await pings).toContain(tunnel?.enabled === false ? "100% packet loss" : " 0% packet loss");
  },
  "npx portcullis health": async ({ commands }) => {
    const output = await run(gateway, `set +e\n${commands}\n[ $? = 4 ]`);
    expect(output).toContain("No device is protected");
  },
  // There is no portal here, so nothing is opened.
  "npx portcullis captive": async ({ commands }) => {
    const [check, opening] = commands.trim().split("\n");
    expect(JSON.parse(await run(gateway, check!))).toMatchObject({ uplink: "eth0", exception_id: null });
    await expect(run(gateway, opening!)).rejects.toThrow("conflict");
  },
  // They end when the operator ends them.
  "portcullis events": async ({ commands }) => {
    for (const command of commands.trim().split("\n")) {
      const watching = run(gateway, `timeout 4 bash -c ${quoted(command)} || [ $? = 124 ]`);
      const changing = setInterval(
        () => void daemon.request("PUT", "/devices/NAS", { notes: String(Date.now()) }),
        500,
      );
      const output = await watching.finally(() => clearInterval(changing));
      if (!command.includes("select")) expect(output).toContain("audit.recorded");
    }
  },
};

const ping = (count: number) =>
  laptop
    .run("ping", "-c", String(count), "-i", "0.3", "-W", "1", somewhere)
    .catch((error: unknown) => (error as { readonly stdout: string }).stdout);

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const blocks = pagesInOrder(resolve("."))
  .filter((path) => !/\/(?:installing|upgrading|image|container)\.md$/.test(path))
  .flatMap(blocksOf)
  .filter(({ commands }) => !commands.startsWith("# start\n"));

test("the guide has blocks of commands on most of its pages", () => {
  expect(new Set(blocks.map(({ page }) => page)).size).toBeGreaterThan(15);
});

test.each(blocks)("$page, line $line: every command works", async (block) => {
  const begins = block.commands.replace(/^# .*\n/, "");
  const handler = Object.entries(special).find(([start]) => begins.startsWith(start))?.[1];
  const work = handler ? handler({ ...block, commands: begins }) : run(gateway, block.commands);
  await expect(work).resolves.not.toThrow();
});
