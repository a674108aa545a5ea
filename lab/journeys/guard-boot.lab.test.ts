import { createHash } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { type EgressTopology, openEgressTopology, type Probe } from "../topology-egresses.ts";
import { startDaemon } from "../daemon.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";

/*
 * The gate before the daemon. A machine that forwards, with routes that lead outside and none of our rules, is what a gateway is
 * between its kernel's start and its daemon's. Packets are watched from outside. The saved guard is a real one's.
 */

const program = resolve("packaging/portcullis-guard");
const blockedRules = resolve("packaging/portcullis-blocked.nft");
const folder = temporaryFolder();
const files = join(folder.path, "files");
const config = {
  network: { lan_iface: "lan0", more_lan_ifaces: ["lan1"], wan_iface: "wan0", default_egress: "direct" },
};
let lab: Lab;
let topology: EgressTopology;
/** The last guard that a daemon saved. */
let whole: string;
let port = 1000;

beforeAll(async () => {
  lab = openLab();
  mkdirSync(files);
  whole = await savedByDaemon();
  topology = await openEgressTopology(lab);
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function savedByDaemon(): Promise<string> {
  await using other = openLab();
  const { gateway } = await openEgressTopology(other);
  using daemon = await startDaemon(gateway, config, { ...temporaryFolderIn("elsewhere") });
  await daemon.ok("POST", "/enforce/reconcile");
  const text = readFileSync(join(folder.path, "elsewhere/state/guard.nft"), "utf8");
  await daemon.stop();
  return text;
}

function temporaryFolderIn(name: string) {
  const path = join(folder.path, name);
  mkdirSync(path);
  return { path, [Symbol.dispose]: () => {} };
}

/** As after power-on, with forwarding already enabled by another program. */
async function poweredOn(): Promise<void> {
  await topology.gateway.run("nft", "flush", "ruleset");
  await forwards("1");
}
const forwards = (value: string) =>
  topology.gateway.run("sysctl", "-qw", `net.ipv4.ip_forward=${value}`, `net.ipv6.conf.all.forwarding=${value}`);
const isForwarding = async () =>
  (await topology.gateway.run("sysctl", "-n", "net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding")) !== "0\n0\n";

async function loadGuardUnit(host: Host, saved: string, otherwise = blockedRules): Promise<string> {
  return host.run("sh", "-c", `exec dash ${program} "$0" "$1" 2>&1`, saved, otherwise);
}

async function leaves(): Promise<string[]> {
  const mac = "02:00:00:00:00:01";
  const probes: Probe[] = [
    { interface: "lan0", mac, source: "10.0.0.2", destination: "203.0.113.5", port: (port += 1) },
    { interface: "lan0", mac, source: "fd00::2", destination: "2001:db8:f::1", port: (port += 1) },
    { interface: "lan1", mac, source: "10.0.1.2", destination: "10.0.0.77", port: (port += 1) },
  ];
  const seen = await topology.send(probes);
  return probes.map((probe) => (seen.get(probe.port) ?? ["none"]).join());
}
const noEgress = ["none", "none", "none"];

/** Rules of another program give every packet the mark of an egress that a daemon would let out. */
const marking = `table inet foreign {
	chain prerouting {
		type filter hook prerouting priority mangle;
		iifname { "lan0", "lan1" } meta mark set 0x80000001
	}
}
`;

let written = 0;
function file(text: string, mode = 0o600): string {
  const path = join(files, `guard-${(written += 1)}.nft`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test("the unit comes before any network, opens nothing when it ends, and the daemon does without it", () => {
  const guard = readFileSync("packaging/portcullis-guard.service", "utf8");
  expect(guard).toMatch(/^DefaultDependencies=no$/m);
  expect(guard).toMatch(/^After=local-fs.target nftables.service$/m);
  expect(guard).toMatch(/^Before=network-pre.target .*systemd-sysctl.service$/m);
  expect(guard).toMatch(/^RemainAfterExit=yes$/m);
  expect(guard).not.toMatch(/^(ExecStop|ExecStopPost|Conflicts|PartOf|BindsTo)=/m);
  const daemon = readFileSync("packaging/portcullis.service", "utf8");
  // An installation alone must not stop the machine's forwarding: the guard's unit is enabled separately.
  expect(daemon).not.toMatch(/^(?:Wants|Requires)=.*portcullis-guard/m);
  expect(daemon).toMatch(/^After=portcullis-guard.service /m);
  expect(daemon).not.toMatch(/^(Requires|BindsTo|ExecStop|ExecStopPost)=/m);
});

test("without a guard such a machine forwards everything: the probes are seen", async () => {
  await poweredOn();
  expect(await leaves()).toEqual(["wan0", "wan0", "lan0"]);
});

test("the saved guard blocks everything, whatever mark another program sets, also with forwarding enabled (T-boot-1, T-boot-3)", async () => {
  await poweredOn();
  expect(await loadGuardUnit(topology.gateway, file(whole))).toContain("the saved guard is loaded");
  expect(await isForwarding()).toBe(false); // T-boot-2
  await forwards("1");
  expect(await leaves()).toEqual(noEgress);
  await systemOn(topology.gateway).run("nft", ["-f", "-"], { stdin: marking });
  expect(await leaves()).toEqual(noEgress);
  const rules = await topology.gateway.run("nft", "list", "table", "inet", "portcullis_guard");
  expect(rules).toMatch(/leak_forward \{\s+packets 6/);
});

const spoilt: Readonly<Record<string, () => string>> = {
  "it does not exist": () => join(files, "none.nft"),
  "it is empty": () => file(""),
  "its checksum is wrong": () => file(whole.replace("policy drop", "policy accept")),
  "other users may write it": () => file(whole, 0o622),
  "it belongs to another user": () => {
    const path = file(whole);
    chownSync(path, 65_534, 65_534);
    return path;
  },
  "it is not a regular file": () => {
    const path = join(files, "link.nft");
    symlinkSync(file(whole), path);
    return path;
  },
  "it changes more than the guard's table": () => signed(`flush ruleset\n${unsigned(whole)}`),
  "its forward chain does not drop": () => signed(unsigned(whole).replace("policy drop", "policy accept")),
  "nft refuses it": () => signed(unsigned(whole).replace("type local", "type locale")),
};
const unsigned = (text: string) => text.replace(/# sha256.*\n$/, "");
const signed = (text: string) => file(`${text}# sha256 ${sumOf(text)}\n`);
const sumOf = (text: string) => createHash("sha256").update(text).digest("hex");

test.each(Object.keys(spoilt))(
  "a saved guard of which it must be said that %s is not used, and nothing is forwarded (T-boot-4)",
  async (doubt) => {
    await poweredOn();
    expect(await loadGuardUnit(topology.gateway, spoilt[doubt]!())).toContain(`is not used: ${doubt}`);
    expect(await isForwarding()).toBe(false);
    await forwards("1");
    expect(await leaves()).toEqual(noEgress);
  },
);

test("a file that was cut short anywhere is never taken for a whole one (T-boot-4, T-wiped-1)", async () => {
  await poweredOn();
  const lengths = Array.from({ length: 12 }, (_, part) => Math.floor((whole.length * (part + 1)) / 13));
  const atLines = [
    whole.indexOf("\n}\n") + 3,
    whole.indexOf("flush set"),
    whole.lastIndexOf("# sha256"),
    whole.length - 2,
  ];
  for (const length of [...lengths, ...atLines]) {
    expect(await loadGuardUnit(topology.gateway, file(whole.slice(0, length)))).toContain("is not used");
    await forwards("1");
    expect(await leaves()).toEqual(noEgress);
    await poweredOn();
  }
});

test("without the packaged rule the program has it by heart", async () => {
  await poweredOn();
  expect(await loadGuardUnit(topology.gateway, join(files, "none.nft"), join(files, "nothing.nft"))).toContain(
    "the built-in rule is loaded",
  );
  await forwards("1");
  expect(await leaves()).toEqual(noEgress);
});

test("it loads before any interface is there", async () => {
  const bare = await lab.host("bare");
  expect(await loadGuardUnit(bare, file(whole))).toContain("the saved guard is loaded");
  expect(await bare.run("nft", "list", "table", "inet", "portcullis_guard")).toContain('"wan0"');
});

test("run again beside a guard that stands it changes nothing (T-upgrading-3, T-stopping-3)", async () => {
  await poweredOn();
  await loadGuardUnit(topology.gateway, join(files, "none.nft"));
  await forwards("1");
  const before = await topology.gateway.run("nft", "-s", "list", "ruleset");
  expect(await loadGuardUnit(topology.gateway, file(whole))).toContain("already loaded");
  expect(await topology.gateway.run("nft", "-s", "list", "ruleset")).toBe(before);
  expect(await isForwarding()).toBe(true); // A gateway at work is not stopped.
});

test.each(["the saved guard", "the rule that shuts everything"])(
  "a daemon that finds %s replaces it in place, and devices leave (T-upgrading-2)",
  async (which) => {
    await poweredOn();
    await loadGuardUnit(topology.gateway, which === "the saved guard" ? file(whole) : join(files, "none.nft"));
    expect(await leaves()).toEqual(noEgress);
    using daemon = await startDaemon(topology.gateway, config, temporaryFolderIn(`daemon-${(written += 1)}`));
    expect(await daemon.ok("POST", "/enforce/reconcile")).toBeDefined();
    expect((await leaves()).slice(0, 2)).toEqual(["wan0", "wan0"]);
    expect(await isForwarding()).toBe(true);
    const standing = () => topology.gateway.run("nft", "-s", "list", "ruleset");
    const before = await standing();
    await daemon.stop();
    expect(await standing()).toBe(before); // T-stopping-1
    expect((await leaves()).slice(0, 2)).toEqual(["wan0", "wan0"]); // T-stopping-2
  },
);
