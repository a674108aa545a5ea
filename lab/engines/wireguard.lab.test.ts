import { expect, test } from "vitest";
import { linux } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { enginesFolder, supervisedIn, pathsContaining, startTunnelEngines } from "../tunnel-engines.ts";
import { type Host, openLab } from "../namespaces.ts";
import { keyPair, startWireguardServer } from "../servers.ts";
import { privilegesOf, sandboxed } from "../sandboxed.ts";
import { mark, reaches, openMinimalTopology } from "../topology-minimal.ts";

/** Whole seconds since both ends last greeted each other. */
async function greetedSecAgo(gateway: Host, name: string): Promise<number> {
  const [, at] = (await gateway.run("wg", "show", name, "latest-handshakes")).trim().split("\t");
  return Math.floor(Date.now() / 1000) - Number(at);
}

test("a tunnel comes up, outlives its daemon, is adopted, and comes back whatever is killed", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  const far = await startWireguardServer(server, { address: "203.0.113.1" });
  const link = far.client(mark);
  const pids = () => supervisedIn(folder.path).map(({ processId }) => processId);
  const first = await startTunnelEngines(gateway, folder.path);
  await first.want({ wireguard: [link] });
  const isUp = () => reaches(gateway, link.interface, far.inside);
  await until("the tunnel forwards", isUp, 5);
  expect((await first.states())[link.interface]).toMatchObject({ kind: "ready", endpoint: "203.0.113.1:51820" });
  expect((await first.states())[link.interface]!.lastHandshakeMs).toBeGreaterThan(Date.now() - 60_000);
  expect(await first.drift()).toEqual([]);
  const [processId] = pids();
  expect(await privilegesOf(gateway, link.userId)).toEqual(sandboxed);

  const pings = gateway.run("ping", "-i", "0.05", "-c", "40", "-W", "30", "-I", link.interface, far.inside);
  await first.kill();
  const second = await startTunnelEngines(gateway, folder.path);
  await second.want({ wireguard: [link] });
  expect(await pings).toContain("40 received");
  expect(pids()).toEqual([processId]);
  expect(await second.drift()).toEqual([]);

  linux.signal(processId!, "SIGKILL");
  await until(
    "another process forwards",
    async () => pids().length === 1 && pids()[0] !== processId && (await isUp()),
    10,
  );
  await gateway.run("ip", "link", "del", link.interface);
  await until(
    "the interface is there again, and forwards",
    async () => (await second.states())[link.interface]!.kind === "ready" && (await isUp()),
    10,
  );
  expect(pids()).toHaveLength(1);

  expect(pathsContaining(far.secrets, folder.path)).toEqual([]);
  expect(pathsContaining([link.peers[0]!.publicKey], folder.path)).toHaveLength(1);
  await second.want({ wireguard: [] });
  expect(pids()).toEqual([]);
  expect(await gateway.run("ip", "-br", "link")).not.toContain(link.interface);
});

test("WireGuard: foreign changes are reported and undone; a peer that roamed keeps its endpoint", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  const far = await startWireguardServer(server, { address: "203.0.113.1" });
  const link = far.client(mark);
  const { publicKey } = link.peers[0]!;
  const engines = await startTunnelEngines(gateway, folder.path);
  await engines.want({ wireguard: [link] });
  const name = link.interface;

  await gateway.run("wg", "set", name, "fwmark", "0x7");
  await gateway.run("wg", "set", name, "peer", publicKey, "allowed-ips", "10.0.0.0/8");
  await gateway.run("ip", "address", "del", link.addresses[0]!, "dev", name);
  await gateway.run("ip", "link", "set", name, "mtu", "1300");
  const drift = await engines.drift();
  expect(drift.map(({ field, expected, actual }) => [field, expected, actual])).toEqual([
    ["mark", "0x80000002", "0x7"],
    [`peer ${publicKey}`, "0.0.0.0/0, ::/0, keepalive 1 s", "10.0.0.0/8, keepalive 1 s"],
    ["address", "10.77.1.2/32", null],
    ["mtu", "1420", "1300"],
  ]);
  const port = (await gateway.run("wg", "show", name, "listen-port")).trim();
  await engines.reconcile();
  expect(await engines.drift()).toEqual([]);
  expect((await gateway.run("wg", "show", name, "listen-port")).trim()).toBe(port);
  await until("the tunnel forwards", () => reaches(gateway, name, far.inside), 5);

  const [strange, shared] = [keyPair().privateKey, keyPair().privateKey];
  for (const [key, ...where] of [
    [strange, "private-key"],
    [shared, "peer", publicKey, "preshared-key"],
  ] as const)
    await linux.inMemory(`${key}\n`, (path) => gateway.run("wg", "set", name, ...where, path));
  const reported = await engines.drift();
  expect(reported.map(({ field, actual }) => [field, actual])).toEqual([
    ["private key", "another"],
    [`peer ${publicKey}`, "0.0.0.0/0, ::/0, keepalive 1 s, another preshared key"],
  ]);
  for (const key of [...far.secrets, strange, shared]) expect(JSON.stringify(reported)).not.toContain(key);
  await engines.reconcile();
  expect(await engines.drift()).toEqual([]);
  await until("the tunnel forwards again", () => reaches(gateway, name, far.inside), 5);

  // A server drops a handshake within milliseconds of the one before, and the next would come 5 s later.
  await until("the last handshake is a second old", async () => (await greetedSecAgo(gateway, name)) >= 1, 5);
  await gateway.run("wg", "set", name, "peer", publicKey, "endpoint", "203.0.113.9:4");
  expect(await engines.drift()).toEqual([]);
  await engines.renew(name);
  expect((await engines.states())[name]!.endpoint).toBe("203.0.113.1:51820");
  await until("the renewed tunnel forwards", () => reaches(gateway, name, far.inside), 5);
});

test("an interface that Portcullis did not create is left alone, and the others come up beside it", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  const far = await startWireguardServer(server, { address: "203.0.113.1" });
  const link = far.client(mark);
  await gateway.run("ip", "tuntap", "add", "theirs0", "mode", "tun");
  const unreadable = { ...link, interface: `${link.interface}x`, privateKey: "not a key" };
  const engines = await startTunnelEngines(gateway, folder.path);
  await engines.want({ wireguard: [{ ...link, interface: "theirs0" }, unreadable, link] });
  const states = await engines.states();
  expect(Object.values(states).map(({ kind }) => kind)).toEqual(["broken", "broken", "ready"]);
  expect(states["theirs0"]!.reason).toContain("did not create");
  expect(states[unreadable.interface]!.reason).toContain("Key is not the correct length");
  expect(states[unreadable.interface]!.reason).not.toContain("not a key");
  await engines.want({ wireguard: [] });
  expect(await gateway.run("ip", "-br", "link")).toContain("theirs0");
});

test("a dead tunnel that is renewed shakes hands at once", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  const far = await startWireguardServer(server, { address: "203.0.113.1" });
  const link = far.client(mark);
  const engines = await startTunnelEngines(gateway, folder.path);
  await engines.want({ wireguard: [link] });
  const isUp = () => reaches(gateway, link.interface, far.inside);
  await until("the tunnel forwards", isUp, 5);
  await far.kill();
  expect(await isUp()).toBe(false);
  await far.restart();
  expect(await isUp()).toBe(false); // The server has forgotten the session, and the client does not know.
  await engines.renew(link.interface);
  await until("the renewed tunnel forwards", isUp, 2);
  await far.lose(100);
  expect(await isUp()).toBe(false);
  await far.lose(0);
  far.freeze();
  expect(await isUp()).toBe(false);
  far.thaw();
  await until("the tunnel forwards after the freeze", isUp, 5);
});

test("WireGuard: a frozen process is reported as such, and a renewal replaces it", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  const far = await startWireguardServer(server, { address: "203.0.113.1" });
  const link = far.client(mark);
  const engines = await startTunnelEngines(gateway, folder.path);
  await engines.want({ wireguard: [link] });
  const isUp = () => reaches(gateway, link.interface, far.inside);
  await until("the tunnel forwards", isUp, 5);
  const { processId } = supervisedIn(folder.path)[0]!;
  process.kill(-processId, "SIGSTOP");
  expect((await engines.states())[link.interface]).toMatchObject({ kind: "broken", reason: "It does not answer" });
  await engines.renew(link.interface);
  await until("another process forwards", isUp, 10);
  expect(supervisedIn(folder.path).map((it) => it.processId)).not.toContain(processId);
});

test("a daemon that is killed while it makes a link leaves nothing the next one cannot finish", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const { gateway, server } = await openMinimalTopology(lab);
  const far = await startWireguardServer(server, { address: "203.0.113.1" });
  const link = far.client(mark);
  for (let round = 0; round < 8; round += 1) {
    const victim = await startTunnelEngines(gateway, folder.path);
    const pending = victim.want({ wireguard: [link] }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, round * 20));
    await victim.kill();
    await pending;
    const next = await startTunnelEngines(gateway, folder.path);
    await until(
      "the link is ready",
      async () => {
        // As a reconciler would, again and again: a program that was started a moment ago does not answer yet.
        await next.want({ wireguard: [link] });
        return (await next.states())[link.interface]!.kind === "ready";
      },
      5,
    );
    expect(supervisedIn(folder.path)).toHaveLength(1);
    await next.want({ wireguard: [] });
    expect(supervisedIn(folder.path)).toEqual([]);
    await next.kill();
  }
});
