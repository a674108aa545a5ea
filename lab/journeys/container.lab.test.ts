import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { debianRoot } from "../debian-root.ts";
import { query, soon } from "../dns.ts";
import { startAuthority } from "../dns-servers.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { builtPackage } from "../package-journey.ts";
import { endOf, limits, optionsOf, type Podman, podmanIn, serviceIn } from "../podman.ts";
import { startWireguardServer, type WireguardServer } from "../servers.ts";

/*
 * The container, built by its recipe and run with the options of its compose file, in the network of a host of the lab. Its base is
 * a Debian with the packages that ours depends on, so that the build downloads little.
 */
const folder = temporaryFolder();
const compose = readFileSync("packaging/container/compose.yaml", "utf8");
const [far, inside] = ["192.0.2.2", "203.0.113.5"];
let podman: Podman;
let lab: Lab;
let gateway: Host;
let laptop: Host;
let outside: Host;
let server: WireguardServer;
let started: Promise<string> | undefined;

beforeAll(async () => {
  podman = podmanIn(folder.path);
  const base = "localhost/base";
  const archive = join(folder.path, "base.tar");
  execFileSync("tar", [
    "--create",
    "--file",
    archive,
    "--directory",
    debianRoot("trixie", ["apt"]),
    "--exclude=./dev/*",
    ".",
  ]);
  await podman.run("import", "--quiet", archive, base);
  const context = join(folder.path, "context");
  mkdirSync(join(context, "dist-package"), { recursive: true });
  cpSync("packaging/container", join(context, "packaging/container"), { recursive: true });
  const deb = builtPackage({ folder: join(context, "dist-package") });
  const recipe = join(context, "packaging/container/Containerfile");
  const words = [
    "--isolation=chroot",
    "--format=docker",
    `--build-arg=BASE=${base}`,
    "--tag=localhost/portcullis",
    ...limits,
  ];
  await podman.run("build", ...words, `--build-arg=PACKAGE=dist-package/${basename(deb)}`, "--file", recipe, context);

  lab = openLab();
  [gateway, laptop, outside] = [await lab.host("gw"), await lab.host("laptop"), await lab.host("outside")];
  await lab.cable(
    { host: gateway, device: "enp1s0", addresses: ["192.0.2.1/24"] },
    { host: outside, device: "eth0", addresses: [`${far}/24`] },
  );
  await lab.cable(
    { host: gateway, device: "enp2s0", addresses: ["192.168.1.1/24"] },
    { host: laptop, device: "eth0", addresses: ["192.168.1.30/24"], mac: "02:00:00:00:00:0a" },
  );
  await laptop.run("ip", "route", "add", "default", "via", "192.168.1.1");
  await outside.run("ip", "address", "add", `${inside}/32`, "dev", "lo");
  await outside.run("ip", "route", "add", "192.168.1.0/24", "via", "192.0.2.1");
  await startAuthority(outside, "office.lab", "host A 198.51.100.80\n");
  server = await startWireguardServer(outside, { address: far });
  for (const path of ["etc/portcullis", "var/lib/portcullis", "run/portcullis", wants])
    mkdirSync(join(folder.path, "host", path), { recursive: true });
}, 3_600_000);
afterAll(async () => {
  if (started) await stop();
  await lab?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
}, 120_000);

const wants = "etc/systemd/system/sysinit.target.wants";
const configuration = () => join(folder.path, "host/etc/portcullis/portcullis.yaml");

function start(): void {
  const options = optionsOf(compose, gateway.namespace, join(folder.path, "host"));
  started = endOf(podman.start("run", "--rm", "--name=portcullis", ...options, "localhost/portcullis"));
}
const isAnswering = async () => (await api("GET", "/health").catch(() => "")).includes("status");
async function stop(): Promise<void> {
  await podman.run("stop", "portcullis");
  await started;
  started = undefined;
}
const api = (method: string, path: string, body?: object) =>
  podman.run(
    ..."exec portcullis curl -sS --fail-with-body --unix-socket /run/portcullis/api.sock".split(" "),
    "-X",
    method,
    ...(body ? ["--json", JSON.stringify(body)] : []),
    `http://localhost/api/v1${path}`,
  );
/** The exit status of one ping from the laptop. */
const reaches = async () => (await laptop.run("sh", "-c", `ping -c 1 -W 1 ${inside} > /dev/null 2>&1; echo $?`)).trim();

test("container: its capabilities are those of the unit", () => {
  const unit = readFileSync("packaging/portcullis.service", "utf8");
  const bounding = /^CapabilityBoundingSet=(.*)$/m.exec(unit)![1]!.split(" ");
  expect(serviceIn(compose).cap_add.map((it) => `CAP_${it}`)).toEqual(bounding);
});

test("container: it starts with the packaged configuration, and enforces nothing", async () => {
  start();
  await until("the daemon answers", isAnswering, 30);
  expect(readFileSync(configuration(), "utf8")).toContain("\n  enabled: false\n");
  expect(await gateway.run("nft", "list", "ruleset")).toBe("");
  expect(await podman.run("exec", "portcullis", "portcullis", "--version")).toContain("0.1.0");
  await stop();
});

test("container: a device is forwarded by its tunnel, and a query passes the resolver, each engine in its sandbox", async () => {
  const network = { wan_iface: "enp1s0", lan_iface: "enp2s0" };
  writeFileSync(configuration(), JSON.stringify({ network, dataplane: { confirm_first_sec: 0 } }));
  start();
  await until("the daemon answers", isAnswering, 30);
  const { privateKey, addresses, peers } = server.client();
  const [{ publicKey, presharedKey, endpoint }] = peers as [(typeof peers)[number]];
  const peer = { public_key: publicKey, preshared_key: presharedKey, endpoint, allowed_ips: ["0.0.0.0/0"] };
  const config = { private_key: privateKey, addresses, dns: [server.inside], peers: [peer] };
  await api("POST", "/tunnels", { name: "Amsterdam", type: "wireguard", probe_target: server.inside, config });
  await api("POST", "/devices", { name: "Laptop", mac: "02:00:00:00:00:0a" });
  const hops = [{ type: "vpn", target: "Amsterdam" }];
  await api("POST", "/routing/policies", { name: "away", source_type: "device", source_value: "Laptop", hops });
  await api("POST", "/routing/policies/apply");
  await until("the tunnel forwards", async () => (await reaches()) === "0", 60);
  await api("PUT", "/dns/options", { dnssec: false });
  await until("a query is answered", async () =>
    (await query(laptop, { address: "192.168.1.1", port: 53 }, "host.office.lab", "A", soon)).records.some((it) =>
      it.endsWith("198.51.100.80"),
    ),
  );
  const [resolver] = (await gateway.run("sh", "-c", "pgrep --ns $$ --nslist net -x unbound")).trim().split("\n");
  expect(readFileSync(`/proc/${resolver}/status`, "utf8")).toMatch(/CapEff:\t0+\n[^]*NoNewPrivs:\t1\n/);
});

test("container: the guard of early boot is reported as missing until the host has enabled it", async () => {
  expect(await api("GET", "/observer")).toContain("systemctl enable portcullis-guard.service");
  symlinkSync(
    "/usr/lib/systemd/system/portcullis-guard.service",
    join(folder.path, "host", wants, "portcullis-guard.service"),
  );
  expect(await api("GET", "/observer")).not.toContain("systemctl enable portcullis-guard.service");
});

test("container: while it is stopped, nothing of a protected device leaves in the clear, and it forwards again afterwards", async () => {
  const rule = (address: string, name: string) =>
    `iifname eth0 ip daddr ${address} icmp type echo-request counter name ${name}`;
  const chain = `chain c { type filter hook prerouting priority 0; ${rule(inside, "clear")}; ${rule(far, "control")}; }`;
  await outside.run("nft", `table inet count { counter clear { }; counter control { }; ${chain}; }`);
  await stop();
  expect(await reaches()).not.toBe("0");
  // What leaves in the clear is seen.
  await gateway.run("ping", "-c", "1", "-W", "2", "-I", "enp1s0", far);
  const counted = await outside.run("nft", "list", "counters", "table", "inet", "count");
  expect(
    [...counted.matchAll(/counter (\w+) \{\s+packets (\d+)/g)].map(([, name, packets]) => `${name} ${packets}`),
  ).toEqual(["clear 0", "control 1"]);
  start();
  await until("the tunnel forwards", async () => (await reaches()) === "0", 60);
});
