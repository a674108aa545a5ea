import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { peerKey, wireguardKey } from "../../testing/tunnels.ts";
import { addresses, answers, openAdminNetwork, reportOf } from "../admin-network.ts";
import { daemonFolder, supervisedBy, startDaemon } from "../daemon.ts";
import { type Host, openLab } from "../namespaces.ts";
import { systemOn } from "../system.ts";

const execute = promisify(execFile);
const config = {
  network: { wan_iface: "enp1s0", lan_iface: "enp2s0", default_egress: "direct" },
  dns: { enabled: true, upstream_servers: [addresses.outside] },
};

/** What others have put into the machine: it looks as much like ours as possible. */
const foreign = `table inet foreign_portcullis {
	chain forward { type filter hook forward priority filter; policy accept; }
}
table ip portcullish { }
`;
async function plantForeign(gateway: Host): Promise<void> {
  await systemOn(gateway).run("nft", ["-f", "-"], { stdin: foreign });
  for (const family of ["-4", "-6"]) {
    await gateway.run("ip", family, "rule", "add", "priority", "6999", "fwmark", "0x1", "lookup", "6999");
    await gateway.run("ip", family, "rule", "add", "priority", "8000", "fwmark", "0x1", "lookup", "8000");
  }
  await gateway.run("ip", "route", "add", "203.0.113.0/24", "via", addresses.outside, "table", "6999");
  await gateway.run("ip", "route", "add", "203.0.113.0/24", "via", addresses.outside, "table", "8000");
  await gateway.run("ip", "link", "add", "wg-foreign", "type", "veth", "peer", "name", "wg-other");
  gateway.start("bash", "-c", "exec -a dnsdist sleep 600");
  await until(
    "the foreign process runs",
    async () => (await processes(gateway)).some((it) => /^\d+ dnsdist /.test(it)),
    10,
  );
}

async function processes({ namespace }: Host): Promise<string[]> {
  const pids = (await execute("ip", ["netns", "pids", namespace])).stdout.split("\n").filter((it) => it !== "");
  const words = await Promise.all(
    pids.map((pid) =>
      execute("ps", ["-o", "pid=,args=", "-p", pid]).then(
        ({ stdout }) => stdout.trim(),
        () => "",
      ),
    ),
  );
  return words.filter((it) => it !== "").toSorted();
}

const settings = ["rp_filter", "arp_ignore", "arp_announce"].flatMap((name) =>
  ["all", "default", "enp1s0", "enp2s0"].map((link) => `net.ipv4.conf.${link}.${name}`),
);

/** Everything of the machine that a gateway changes. */
async function snapshot(gateway: Host) {
  const lines = async (...command: [string, ...string[]]) => (await gateway.run(...command)).trim().split("\n");
  const links = JSON.parse(await gateway.run("ip", "-j", "link")) as { ifname: string; operstate: string }[];
  return {
    ruleset: await lines("nft", "-s", "list", "ruleset"),
    rules4: await lines("ip", "-4", "rule"),
    rules6: await lines("ip", "-6", "rule"),
    routes4: (await lines("ip", "-4", "route", "show", "table", "all")).toSorted(),
    routes6: (await lines("ip", "-6", "route", "show", "table", "all")).toSorted(),
    links: links.map(({ ifname, operstate }) => `${ifname} ${operstate}`).toSorted(),
    processes: await processes(gateway),
    settings: await lines(
      "sysctl",
      "net.ipv4.ip_forward",
      "net.ipv6.conf.all.forwarding",
      "net.ipv4.conf.all.accept_local",
      ...settings,
    ),
  };
}

test("--tear-down removes everything of the gateway and nothing else, and only while the daemon is stopped", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, inside, connects } = await openAdminNetwork(lab);
  await plantForeign(gateway);
  const before = await snapshot(gateway);
  const tearDown = async () => {
    const file = `${folder.path}/portcullis.yaml`;
    return gateway.run(process.execPath, resolve("dist/portcullisd.mjs"), "--tear-down", "--config", file).then(
      (output) => ({ status: 0, output }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ status: code, output: stderr }),
    );
  };
  using daemon = await startDaemon(gateway, config, { ...folder, [Symbol.dispose]: () => {} });
  const link = `wg${randomBytes(4).toString("hex")}`;
  const peer = { public_key: peerKey, endpoint: `${addresses.outside}:51820`, allowed_ips: ["0.0.0.0/0"] };
  const wireguard = { private_key: wireguardKey(), addresses: ["10.2.0.2/32"], peers: [peer] };
  await daemon.ok("POST", "/tunnels", { name: "wg", type: "wireguard", interface: link, config: wireguard });
  await daemon.ok("POST", "/proxies", { name: "office", kind: "upstream", address: `${addresses.outside}:1080` });
  await daemon.ok("POST", "/devices", { name: "phone", mac: "02:00:00:00:00:99" });
  for (const [type, target] of [
    ["vpn", "wg"],
    ["proxy", "office"],
  ])
    await daemon.ok("POST", "/routing/policies", {
      name: `by ${target}`,
      source_type: type === "vpn" ? "device" : "subnet",
      source_value: type === "vpn" ? "phone" : "10.77.0.128/25",
      hops: [{ type, target }],
    });
  await daemon.ok("POST", "/routing/policies/apply");
  const socks = { name: "socks", kind: "local", listen: `${addresses.lan}:1081`, username: "ada", password: "x" };
  await daemon.ok("POST", "/proxies", socks);
  const kinds = () => new Set(supervisedBy(folder).map(({ word }) => /([a-z-]+)\.[^/]*$/.exec(word)![1]));
  const wanted = ["dnsdist", "redsocks", "socks-listener", "unbound"];
  await until("programs of every kind run", async () => wanted.every((it) => kinds().has(it)), 60);
  await until("the tunnel is there", async () => (await gateway.run("ip", "-br", "link")).includes(link), 30);
  const during = await snapshot(gateway);
  for (const part of ["ruleset", "rules4", "rules6", "routes4", "links", "processes", "settings"] as const)
    expect({ part, is: during[part] }).not.toEqual({ part, is: before[part] });
  expect(await answers(inside, addresses.outside, 22)).toBe(true);
  expect((await reportOf(connects.outside)).last).toBe(false);

  expect(await tearDown()).toEqual({ status: 1, output: expect.stringContaining("The daemon runs; stop it first") });
  expect((await snapshot(gateway)).rules4).toEqual(during.rules4);
  expect(await answers(inside, addresses.outside, 22)).toBe(true);

  await daemon.stop();
  const { status, output } = await tearDown();
  expect([status, output]).toEqual([0, expect.stringContaining("removed table inet portcullis_guard")]);
  expect(output).toContain(`removed interface ${link}`);
  expect(output).toMatch(/^removed process dnsdist\./m);
  expect(supervisedBy(folder)).toEqual([]);
  expect(await snapshot(gateway)).toEqual(before);
  expect((await reportOf(connects.outside)).last).toBe(true);
  expect(await answers(inside, addresses.outside, 22)).toBe(false); // Nothing is forwarded.

  expect(await tearDown()).toEqual({ status: 0, output: "Portcullis has left nothing to remove\n" });
  expect(await snapshot(gateway)).toEqual(before);
});

test("--tear-down on a machine without anything of the gateway leaves its forwarding on", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const { gateway, inside, outside } = await openAdminNetwork(lab);
  await outside.run("ip", "route", "add", "10.77.0.0/24", "via", addresses.wan);
  await gateway.run("sysctl", "-qw", "net.ipv4.ip_forward=1");
  expect(await answers(inside, addresses.outside, 22)).toBe(true);
  await systemOn(gateway).run("sh", ["-c", `echo '{"paths":{"state":"./s","run":"./r"}}' >${folder.path}/c.yaml`]);
  const file = `${folder.path}/c.yaml`;
  await gateway.run(process.execPath, resolve("dist/portcullisd.mjs"), "--tear-down", "--config", file);
  expect(await answers(inside, addresses.outside, 22)).toBe(true);
});
