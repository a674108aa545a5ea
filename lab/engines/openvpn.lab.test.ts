import { because } from "@portcullis/contract/reason";
import { expect, test } from "vitest";
import { linux } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { enginesFolder, supervisedIn, pathsContaining, startTunnelEngines } from "../tunnel-engines.ts";
import { type Host, openLab } from "../namespaces.ts";
import { startOpenvpnServer } from "../servers.ts";
import { privilegesOf, sandboxed } from "../sandboxed.ts";
import { mark, reaches, openMinimalTopology } from "../topology-minimal.ts";

const credentials = { username: "ada-of-the-lab", password: String.raw`a "quoted" \ pass phrase` };

test("a client comes up, outlives its daemon, is adopted, and comes back whatever is killed", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  using far = await startOpenvpnServer(server, { address: "203.0.113.1", credentials });
  const client = far.client(mark);
  const name = client.interface;
  const pids = () => supervisedIn(folder.path).map(({ processId }) => processId);
  const isUp = () => reaches(gateway, name, far.inside);
  const before = await gateway.run("ip", "route");

  const first = await startTunnelEngines(gateway, folder.path);
  await first.want({ openvpn: [client] });
  await until("the tunnel forwards", isUp, 10);
  await until("it is ready", async () => (await first.states())[name]!.kind === "ready", 2);
  expect((await first.states())[name]).toMatchObject({ endpoint: "203.0.113.1:1194", reason: "" });
  expect((await first.states())[name]!.lastHandshakeMs).toBeGreaterThan(Date.now() - 60_000);
  expect(await first.drift()).toEqual([]);
  expect(await gateway.run("ip", "link", "show", name)).toContain("mtu 1400");
  expect(await gateway.run("ip", "route")).toBe(before);
  const [processId] = pids();
  expect(await privilegesOf(gateway, client.userId)).toEqual(sandboxed);

  const pings = gateway.run("ping", "-i", "0.05", "-c", "40", "-W", "30", "-I", name, far.inside);
  await first.kill();
  const second = await startTunnelEngines(gateway, folder.path);
  await second.want({ openvpn: [client] });
  await until("the next driver knows that it is ready", async () => (await second.states())[name]!.kind === "ready", 2);
  expect(await pings).toContain("40 received");
  expect(pids()).toEqual([processId]);

  linux.signal(processId!, "SIGKILL");
  await until(
    "another process forwards",
    async () => pids().length === 1 && pids()[0] !== processId && (await isUp()),
    10,
  );
  await until("the other process is ready", async () => (await second.states())[name]!.kind === "ready", 2);
  await gateway.run("ip", "link", "del", name);
  expect((await second.states())[name]!.kind).not.toBe("ready");
  await second.reconcile();
  await until("the tunnel forwards again", isUp, 10);
  expect(pids()).toHaveLength(1);

  expect(pathsContaining(far.secrets, folder.path)).toEqual([]);
  expect(pathsContaining([name], folder.path)).not.toEqual([]);
  await second.want({ openvpn: [] });
  expect(pids()).toEqual([]);
  expect(await gateway.run("ip", "-br", "link")).not.toContain(name);
});

test("a silent server is noticed; a client that is renewed connects at once, with its interface in place", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  using far = await startOpenvpnServer(server, { address: "203.0.113.1", protocol: "tcp" });
  const client = far.client(mark);
  const name = client.interface;
  const engines = await startTunnelEngines(gateway, folder.path);
  await engines.want({ openvpn: [client] });
  const isUp = () => reaches(gateway, name, far.inside);
  await until(
    "it is ready, and forwards",
    async () => (await engines.states())[name]!.kind === "ready" && (await isUp()),
    10,
  );
  far.freeze();
  let noticed = (await engines.states())[name]!;
  const isNoticed = async () => (noticed = (await engines.states())[name]!).kind === "starting";
  await until("the silent server is noticed", isNoticed, 12);
  // It tries again after a second: a machine that was slow meanwhile reads a later step.
  expect(noticed.reason).toMatch(/^(?:RECONNECTING|RESOLVE|TCP_CONNECT|WAIT)/);
  expect(await gateway.run("ip", "-br", "link")).toContain(name);
  far.thaw();
  await until("the tunnel forwards again", isUp, 15);
  await until("it is ready again", async () => (await engines.states())[name]!.kind === "ready", 5);
  const { lastHandshakeMs } = (await engines.states())[name]!;
  await new Promise((resolve) => setTimeout(resolve, 1100)); // Handshakes are reported in whole seconds.
  await engines.renew(name);
  await until(
    "another handshake is done",
    async () => {
      const state = (await engines.states())[name]!;
      return state.kind === "ready" && state.lastHandshakeMs! > lastHandshakeMs!;
    },
    10,
  );
  await until("the tunnel forwards", isUp, 2);
  expect(supervisedIn(folder.path)).toHaveLength(1);
});

test("OpenVPN: wrong passwords are reported, tried at most twice, and right ones work at once", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  using far = await startOpenvpnServer(server, { address: "203.0.113.1", credentials });
  const client = far.client(mark);
  const name = client.interface;
  const engines = await startTunnelEngines(gateway, folder.path);
  await engines.want({ openvpn: [{ ...client, credentials: { ...credentials, password: "wrong" } }] });
  let refused = (await engines.states())[name]!;
  const isRefused = async () => (refused = (await engines.states())[name]!).kind === "broken";
  await until("the refusal is known", isRefused, 10);
  // By the time it is read it may have been tried for the second time already.
  expect(refused.reason).toMatch(/^The server refuses name and password(?:; it is tried again later)?$/);
  await until(
    "it is no longer tried",
    async () => (await engines.states())[name]!.reason.endsWith("it is tried again later"),
    10,
  );
  const sent = async () => Number(/"packets": *(\d+)/.exec(await gateway.run("nft", "-j", "list", "counters"))![1]);
  await gateway.run(
    "nft",
    "add table inet lab; add counter inet lab out; add chain inet lab o { type filter hook output priority 0; }",
  );
  await gateway.run("nft", "add rule inet lab o udp dport 1194 counter name out");
  await new Promise((resolve) => setTimeout(resolve, 7000)); // It would have tried again after five seconds.
  expect(await sent()).toBe(0);
  await engines.want({ openvpn: [client] });
  await until("the right password is accepted", () => reaches(gateway, name, far.inside), 10);
  expect(await sent()).toBeGreaterThan(0);
  await until("it is ready", async () => (await engines.states())[name]!.kind === "ready", 2);
});

test("OpenVPN: a foreign interface is left alone, and an unreadable profile delays no other", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  using far = await startOpenvpnServer(server, { address: "203.0.113.1" });
  const client = far.client(mark);
  await gateway.run("ip", "tuntap", "add", "theirs0", "mode", "tun");
  const unreadable = {
    ...client,
    interface: `${client.interface}x`,
    blocks: { ...client.blocks, ca: "no certificate" },
  };
  const engines = await startTunnelEngines(gateway, folder.path);
  await engines.want({ openvpn: [{ ...client, interface: "theirs0" }, unreadable, client] });
  await until("the good profile forwards", () => reaches(gateway, client.interface, far.inside), 10);
  // Each time it is tried again it runs for a moment, and is not broken then.
  let states = await engines.states();
  await until(
    "the unreadable profile is reported",
    async () => (states = await engines.states())[unreadable.interface]!.kind === "broken",
    10,
  );
  expect(states["theirs0"]!.reason).toContain("did not create");
  expect(states[unreadable.interface]!.reason).toContain("Cannot load CA certificate file");
  await engines.want({ openvpn: [] });
  expect(await gateway.run("ip", "-br", "link")).toContain("theirs0");
});

test.each(["net30", "p2p"] as const)(
  "topology %s: the assigned address is set alone, and packets pass",
  async (topology) => {
    using folder = enginesFolder();
    await using lab = openLab();
    const { gateway, server } = await openMinimalTopology(lab);
    using far = await startOpenvpnServer(server, { address: "203.0.113.1", topology });
    const client = far.client(mark);
    const engines = await startTunnelEngines(gateway, folder.path);
    await engines.want({ openvpn: [client] });
    await until("packets pass", () => reaches(gateway, client.interface, far.inside), 10);
    expect(await addressesOf(gateway, client.interface)).toEqual([expect.stringMatching(/^10\.78\.1\.\d+\/32$/)]);
  },
);

test("OpenVPN client: another address after a reconnect replaces the first, also for a daemon that was started meanwhile", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  using far = await startOpenvpnServer(server, { address: "203.0.113.1" });
  const client = far.client(mark);
  const name = client.interface;
  const first = await startTunnelEngines(gateway, folder.path);
  await first.want({ openvpn: [client] });
  await until("packets pass", () => reaches(gateway, name, far.inside), 10);
  expect(await addressesOf(gateway, name)).toEqual(["10.78.1.2/32"]);
  far.assign("ifconfig-push 10.78.1.77 255.255.255.0", 'push "ifconfig-ipv6 fd78::77/64 fd78::1"');
  await first.renew(name);
  const hasBoth = async () => (await addressesOf(gateway, name)).join() === "10.78.1.77/32,fd78::77/128";
  await until("the new addresses are set", hasBoth, 10);
  await until("packets pass", () => reaches(gateway, name, far.inside), 10);
  expect(await gateway.run("ip", "-6", "route", "show", "table", "all", "dev", name)).not.toContain("fd78::/64");

  await first.kill();
  far.assign("ifconfig-push 10.78.1.78 255.255.255.0", 'push "ifconfig-ipv6 fd78::78/64 fd78::1"');
  await far.kill();
  await far.restart();
  const second = await startTunnelEngines(gateway, folder.path);
  await second.want({ openvpn: [client] });
  await until(
    "the address of the time without a daemon is set",
    async () =>
      (await addressesOf(gateway, name)).join() === "10.78.1.78/32,fd78::78/128" &&
      (await reaches(gateway, name, far.inside)),
    30,
  );
});

const hostile: Readonly<Record<string, readonly [directives: readonly string[], reason: string]>> = {
  "half the Internet": [["ifconfig-push 203.0.113.80 128.0.0.0"], "Only private addresses are accepted"],
  "an address of the LAN": [["ifconfig-push 10.20.0.9 255.255.255.0"], "belongs to the interface lan0"],
  "the LAN address of the gateway": [["ifconfig-push 10.20.0.1 255.255.255.255"], "belongs to the interface lan0"],
  "a resolver": [["ifconfig-push 10.53.0.53 255.0.0.0"], "belongs to a resolver"],
  loopback: [["ifconfig-push 127.0.0.5 255.0.0.0"], "Only private addresses are accepted"],
  "a public IPv6 address": [
    ["ifconfig-push 10.78.1.9 255.255.255.0", 'push "ifconfig-ipv6 2001:db8::1/64 2001:db8::2"'],
    "Only private addresses are accepted",
  ],
};

test("OpenVPN client: hostile pushes take no address and no route of the gateway, and a correct one connects afterwards", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  await gateway.run("ip", "link", "add", "lan0", "type", "veth", "peer", "name", "lan1");
  await gateway.run("ip", "address", "add", "10.20.0.1/24", "dev", "lan0");
  await gateway.run("ip", "link", "set", "lan0", "up");
  using far = await startOpenvpnServer(server, { address: "203.0.113.1" });
  const client = { ...far.client(mark), reserved: [{ network: "10.53.0.53", owner: because("owner_resolver") }] };
  const name = client.interface;
  const engines = await startTunnelEngines(gateway, folder.path);
  const tables = async () => [
    await gateway.run("ip", "route", "show", "table", "all"),
    await gateway.run("ip", "-6", "route", "show", "table", "main"),
  ];
  const before = await tables();
  const state = async () => (await engines.states())[name]!;
  for (const [title, [directives, reason]] of Object.entries(hostile)) {
    far.assign(...directives);
    await engines.want({ openvpn: [client] });
    await until(`${title} is refused`, async () => (await state()).kind === "broken", 10);
    expect.soft((await state()).reason, title).toContain(reason);
    expect.soft(await tables(), title).toEqual(before);
    expect.soft(await addressesOf(gateway, name), title).toEqual([]);
    await engines.want({ openvpn: [] });
  }
  far.assign('push "ifconfig-ipv6 fd78::9/3 fd78::1"'); // Of such a prefix OpenVPN itself takes no notice.
  await engines.want({ openvpn: [client] });
  // Packets pass as soon as the link is configured; the state follows when the link was read again.
  await until("packets pass", () => reaches(gateway, name, far.inside), 10);
  await until("the connection is reported", async () => (await state()).kind === "ready", 10);
  expect(await addressesOf(gateway, name)).toEqual(["10.78.1.2/32"]);
  expect(await gateway.run("ip", "link", "show", name)).toContain("mtu 1400");
  expect(await gateway.run("ip", "route", "show", "table", "main")).not.toContain(name);
});

async function addressesOf(host: Host, device: string): Promise<string[]> {
  const links = JSON.parse(await host.run("ip", "-j", "address", "show")) as {
    ifname: string;
    addr_info: { local: string; prefixlen: number; scope: string }[];
  }[];
  const link = links.find(({ ifname }) => ifname === device);
  return (link?.addr_info ?? [])
    .filter(({ scope }) => scope !== "link")
    .map(({ local, prefixlen }) => `${local}/${prefixlen}`);
}
