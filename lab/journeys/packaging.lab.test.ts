import { once } from "node:events";
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { openvpnFile, peerKey, wireguardKey } from "../../testing/tunnels.ts";
import { daemonFolder, supervisedBy } from "../daemon.ts";
import { openLab } from "../namespaces.ts";

const unit = readFileSync("packaging/portcullis.service", "utf8");
const settings = new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key!, value!]));
const capabilities = settings.get("CapabilityBoundingSet")!.split(" ");

test("what outlives the daemon also outlives its service", () => {
  expect(settings.get("KillMode")).toBe("process");
  expect(settings.get("RuntimeDirectoryPreserve")).toBe("yes");
  expect(["RuntimeDirectory", "StateDirectory"].map((key) => settings.get(key))).toEqual([
    "portcullis wireguard",
    "portcullis",
  ]);
});

test("unit: systemd-analyze rates its exposure at 3.5 or less", () => {
  const rated = (file: string) =>
    spawnSync("systemd-analyze", ["security", "--offline=true", "--threshold=35", "--no-pager", file], {
      encoding: "utf8",
    });
  const { status, stdout } = rated(resolve("packaging/portcullis.service"));
  expect([status, /Overall exposure level for \S+ (\S+)/.exec(stdout)?.[1]]).toEqual([
    0,
    expect.stringMatching(/^[0-3]\.\d$/),
  ]);
  using folder = temporaryFolder();
  const bare = `${folder.path}/portcullis.service`;
  writeFileSync(bare, unit.replaceAll(/^(?:Protect|Private|Restrict|SystemCall)\w+=.*$/gm, ""));
  expect(rated(bare).status).not.toBe(0);
});

test("unit: what is known to break an engine or the daemon is not set", () => {
  // openat2() for bubblewrap of Debian 13, /proc/sys for forwarding, compiled code for Node, rights for nft.
  for (const key of ["RestrictSUIDSGID", "ProcSubset", "MemoryDenyWriteExecute", "PrivateUsers"])
    expect(settings.has(key)).toBe(false);
  expect(settings.get("ReadWritePaths")).toBe("/proc/sys/net -/etc/portcullis");
  expect(settings.get("DeviceAllow")).toBe("/dev/net/tun rw");
  // With the minus sign a missing device is no failure of the unit. The virtual machine boots without it.
  expect(settings.get("BindPaths")).toBe("-/dev/net/tun");
});

test("with the privileges of its unit, and no others, the daemon makes and ends every kind of hop, and answers names", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const gateway = await lab.host("gw");
  const outside = await lab.host("out");
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["192.0.2.1/24"] },
    { host: outside, device: "eth0", addresses: ["192.0.2.2/24"] },
  );
  await lab.cable({ host: gateway, device: "lan0", addresses: [] }, { host: outside, device: "eth1", addresses: [] });
  const file = `${folder.path}/portcullis.yaml`;
  const network = { lan_iface: "lan0", wan_iface: "wan0" };
  writeFileSync(
    file,
    JSON.stringify({ paths: { state: "./state", run: "./run" }, network, dataplane: { confirm_first_sec: 0 } }),
  );
  const kept = capabilities.map((it) => `+${it.replace("CAP_", "").toLowerCase()}`);
  const limited = ["setpriv", "--no-new-privs", "--bounding-set", ["-all", ...kept].join(","), "--"];
  const daemon = gateway.start(
    ...(limited as [string]),
    process.execPath,
    resolve("dist/portcullisd.mjs"),
    "--config",
    file,
  );
  const lines = createInterface({ input: daemon.stdout! });
  await new Promise<void>((listening, failed) => {
    lines.on("line", (line) => line.includes("is listening") && listening());
    daemon.once("exit", () => failed(new Error("The daemon ended before it listened")));
  });
  const ask = async (method: string, path: string, body?: object) => {
    const sent = body ? ["--json", JSON.stringify(body)] : [];
    const text = await gateway.run(
      "curl",
      "-sS",
      "--fail-with-body",
      "-X",
      method,
      ...sent,
      `http://127.0.0.1:8080/api/v1${path}`,
    );
    return JSON.parse(text) as { id: string };
  };
  const link = `wg${randomBytes(4).toString("hex")}`;
  const peer = { public_key: peerKey, endpoint: "192.0.2.2:51820", allowed_ips: ["0.0.0.0/0"] };
  const config = { private_key: wireguardKey(), addresses: ["10.2.0.2/32"], peers: [peer] };
  await ask("POST", "/tunnels", { name: "wg", type: "wireguard", interface: link, config });
  const making = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -subj /CN=ca -days 2";
  const ca = execFileSync("openssl", making.split(" "), { encoding: "utf8", stdio: "pipe" });
  const ovpn = openvpnFile({ ca }, "remote 192.0.2.2 1194 udp", "auth-user-pass");
  await ask("POST", "/tunnels/upload-ovpn", { name: "ovpn", config: ovpn, username: "ada", password: "x" });
  const office = await ask("POST", "/proxies", { name: "office", kind: "upstream", address: "192.0.2.2:1080" });
  const hops = [{ type: "proxy", target: "office" }];
  const policy = await ask("POST", "/routing/policies", { name: "p", source_type: "all", source_value: "", hops });
  await ask("POST", "/routing/policies/apply");
  const socks = await ask("POST", "/proxies", {
    name: "socks",
    kind: "local",
    listen: "192.0.2.1:81",
    username: "ada",
    password: "x",
  });

  const reasons = async () =>
    JSON.stringify([await ask("GET", "/tunnels"), await ask("GET", "/proxies"), await ask("GET", "/observer")]);
  const listening = () => gateway.run("ss", "-Hltn");
  await expect.poll(listening).toContain("192.0.2.1:81");
  await expect.poll(listening).toContain(":17000");
  await expect.poll(() => gateway.run("ip", "-br", "link")).toContain(link);
  const running = () => supervisedBy(folder).map(({ word }) => /children\/([\w-]+)/.exec(word)![1]!);
  await expect
    .poll(running)
    .toEqual(expect.arrayContaining(["wireguard", "openvpn", "socks-listener", "dnsdist", "unbound", "nsd"]));
  const failingEgresses = async () => {
    const { egresses } = (await ask("GET", "/dns/status")) as unknown as {
      egresses: { egress: string; status: string }[];
    };
    return { egresses: egresses.length, failed: egresses.filter(({ status }) => status === "failed") };
  };
  // Without an upstream they cannot resolve; but they run, and report it.
  await expect.poll(failingEgresses).toEqual({ egresses: 3, failed: [] });
  expect(await reasons()).not.toMatch(/not permitted|denied|not installed/i);
  const capture = await ask("POST", "/diagnostics/capture", { interface: "wan0", filter: "udp port 51820" });
  expect(await ask("DELETE", `/diagnostics/capture/${capture.id}`)).toMatchObject({ end_reason: "stopped" });
  await ask("DELETE", `/routing/policies/${policy.id}`);
  await ask("POST", "/routing/policies/apply");
  for (const { id } of [office, socks]) await ask("DELETE", `/proxies/${id}`);
  await expect.poll(listening).not.toMatch(/192\.0\.2\.1:81|:17000/);
  daemon.kill("SIGTERM");
  await once(daemon, "exit");
});
