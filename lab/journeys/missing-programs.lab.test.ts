import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { openvpnFile, pem, peerKey, wireguardKey } from "../../testing/tunnels.ts";
import { daemonFolder, startDaemon } from "../daemon.ts";
import { openLab } from "../namespaces.ts";

/** A folder in which only these programs are found. */
function only(...programs: string[]) {
  const folder = temporaryFolder();
  for (const name of programs)
    symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(folder.path, name));
  return folder;
}

const needed = ["ip", "nft", "ping", "openssl", "env", "unshare", "setpriv"];

/** Programs of WireGuard meet in one folder, whichever namespace they are in. */
const uniqueName = (): string => `wg${randomBytes(4).toString("hex")}`;

type Shown = readonly { readonly name: string; readonly status: string; readonly reason: string }[];

/**
 * A gateway on which only some programs are installed, with one hop of each kind. Returns its final report about them.
 */
async function reported(isFinal: (reason: string) => boolean, ...more: string[]) {
  using folder = daemonFolder();
  using programs = only(...needed, ...more);
  await using lab = openLab();
  const gateway = await lab.host("gw");
  const outside = await lab.host("out");
  await lab.cable(
    { host: gateway, device: "wan0", addresses: ["192.0.2.1/24"] },
    { host: outside, device: "eth0", addresses: ["192.0.2.2/24"] },
  );
  await lab.cable({ host: gateway, device: "lan0", addresses: [] }, { host: outside, device: "eth1", addresses: [] });
  const network = { lan_iface: "lan0", wan_iface: "wan0" };
  const kept = { ...folder, [Symbol.dispose]: () => {} };
  using daemon = await startDaemon(gateway, { network }, kept, undefined, programs.path);
  const peer = { public_key: peerKey, endpoint: "192.0.2.2:51820", allowed_ips: ["0.0.0.0/0"] };
  const config = { private_key: wireguardKey(), addresses: ["10.2.0.2/32"], peers: [peer] };
  await daemon.ok("POST", "/tunnels", { name: "wg", type: "wireguard", interface: uniqueName(), config });
  const file = openvpnFile({ ca: pem("CERTIFICATE", "ca") }, "remote 192.0.2.2 1194 udp", "auth-user-pass");
  await daemon.ok("POST", "/tunnels/upload-ovpn", { name: "ovpn", config: file, username: "ada", password: "x" });
  await daemon.ok("POST", "/proxies", { name: "office", kind: "upstream", address: "192.0.2.2:1080" });
  const hops = [{ type: "proxy", target: "office" }];
  await daemon.ok("POST", "/routing/policies", { name: "p", source_type: "all", source_value: "", hops });
  await daemon.ok("POST", "/routing/policies/apply");
  await daemon.ok("POST", "/proxies", {
    name: "socks",
    kind: "local",
    listen: "192.0.2.1:1081",
    username: "ada",
    password: "x",
  });
  const shown = async () =>
    [...((await daemon.ok("GET", "/tunnels")) as Shown), ...((await daemon.ok("GET", "/proxies")) as Shown)].map(
      ({ name, reason }) => `${name}: ${reason}`,
    );
  let reasons: readonly string[] = [];
  await until("every hop has been tried", async () => (reasons = await shown()).every(isFinal), 15);
  const { components } = (await daemon.ok("GET", "/observer")) as { components: { name: string; message: string }[] };
  const messageOf = (component: string): string => components.find(({ name }) => name === component)!.message;
  return { reasons, message: messageOf("programs"), dataplane: messageOf("dataplane") };
}

test("hops whose programs are missing say which, and so does the gateway", async () => {
  const { reasons, message } = await reported((it) => it.includes("is not installed"), "sysctl");
  expect(reasons.toSorted()).toEqual([
    "office: bwrap is not installed",
    "ovpn: bwrap is not installed",
    "socks: bwrap is not installed",
    "wg: wg is not installed",
  ]);
  expect(message).toContain("wireguard-go");
  expect(message).toContain("tunnels with OpenVPN (openvpn");
});

const hasBegun = (reason: string): boolean => !/is starting|not \w+ yet|Waiting for/.test(reason);

test("without sysctl the gateway reports it, and tunnels and proxies start nevertheless", async () => {
  const { reasons, dataplane } = await reported(hasBegun, "wg", "bwrap");
  expect(dataplane).toMatch(/^sysctl: /);
  expect(reasons.filter((it) => /is not installed|is not in force/.test(it))).toEqual([]);
});

test("programs inside the sandbox are those of the system, wherever the daemon finds its own", async () => {
  const { reasons } = await reported(hasBegun, "wg", "bwrap", "sysctl");
  expect(reasons.filter((it) => it.includes("is not installed"))).toEqual([]);
});
