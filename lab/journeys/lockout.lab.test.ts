import { expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { addresses, answers, isForwarding, kernelState, openAdminNetwork, rename, told } from "../admin-network.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { openLab } from "../namespaces.ts";

/*
 * The owner of a gateway reaches it by port 22, from its LAN or from its uplink. The machine's interfaces are enp1s0 and
 * enp2s0, whatever the configuration says.
 */
const right = { network: { wan_iface: "enp1s0", lan_iface: "enp2s0", default_egress: "direct" } };
const wrong = { network: { wan_iface: "eth0", lan_iface: "eth1", default_egress: "direct" } };

const enforcement = async (daemon: LabDaemon) => {
  const { components } = (await daemon.ok("GET", "/observer")) as {
    components: { name: string; status: string; message: string }[];
  };
  return components.find(({ name }) => name === "enforcement")!;
};

test("interfaces that do not exist: port 22 answers before, during and after the daemon, from both sides (T-wiped-5)", async () => {
  await using lab = openLab();
  const { gateway, connects } = await openAdminNetwork(lab);
  const nothingFailed = async () => {
    for (const side of [connects.inside, connects.outside])
      expect(await told(side)).toEqual({ answered: expect.any(Number), failed: 0, last: true });
  };
  await nothingFailed();
  expect(await kernelState(gateway)).toBe("");
  using daemon = await startDaemon(gateway, wrong);
  await nothingFailed();
  const reason = expect.stringMatching(
    /network.wan_iface is eth0, .*network.lan_iface is eth1, .*Interfaces of this machine: enp1s0, enp2s0$/,
  );
  expect(await enforcement(daemon)).toEqual({ name: "enforcement", status: "failed", message: reason });
  expect(await daemon.ok("GET", "/observer")).toMatchObject({ status: "failed" });
  expect(await daemon.ok("GET", "/health")).toEqual({ status: "failed" });
  expect(await daemon.ok("GET", "/status")).toMatchObject({ ready: false, not_enforced: reason });
  expect(await daemon.ok("GET", "/privacy/status")).toMatchObject({ not_enforced: reason });
  const own = { name: "all", source_type: "all", source_value: "", hops: [] };
  await daemon.ok("POST", "/routing/policies", own);
  expect(await daemon.ok("POST", "/routing/policies/apply")).toMatchObject({ enforced: false, not_enforced: reason });
  expect(await daemon.ok("POST", "/enforce/reconcile")).toMatchObject({
    engines: [{ name: "enforcement", status: "failed" }],
  });
  await nothingFailed();
  expect(await kernelState(gateway)).toBe("");
  expect(await isForwarding(gateway)).toBe(false);
  await daemon.stop();
  await nothingFailed();
});

test("interfaces that do not exist yet: enforcement starts when they appear, and not before", async () => {
  await using lab = openLab();
  const { gateway, inside, connects } = await openAdminNetwork(lab);
  using daemon = await startDaemon(gateway, wrong);
  await rename(gateway, "enp1s0", "eth0");
  await until("the uplink is seen", async () => !(await enforcement(daemon)).message.includes("is eth0"), 10);
  expect(await kernelState(gateway)).toBe("");
  await rename(gateway, "enp2s0", "eth1");
  await until("the guard is loaded", async () => (await kernelState(gateway)).includes("portcullis_guard"), 10);
  await until("enforcement is reported", async () => (await enforcement(daemon)).status === "ok", 10);
  expect(await daemon.ok("GET", "/status")).toMatchObject({ not_enforced: null });
  // The same guard as with the right names from the beginning: the LAN is accepted, the uplink is not.
  expect(await told(connects.inside)).toMatchObject({ last: true });
  expect(await told(connects.outside)).toMatchObject({ last: false });
  expect(await answers(inside, addresses.outside, 22)).toBe(true);
});

test("a gateway that has enforced: a renamed LAN interface opens nothing, and its owner still gets in (T-degraded-10)", async () => {
  await using lab = openLab();
  using folder = temporaryFolder();
  const kept = { ...folder, [Symbol.dispose]: () => {} };
  const { gateway, inside, outside, connects } = await openAdminNetwork(lab);
  using before = await startDaemon(gateway, right, kept);
  expect(await kernelState(gateway)).toContain("portcullis_guard");
  expect(await told(connects.inside)).toMatchObject({ last: true });
  expect([await told(connects.outside), await answers(inside, addresses.lan, 2222)]).toMatchObject([
    { last: false },
    true,
  ]);
  expect(await answers(inside, addresses.outside, 22)).toBe(true); // It is forwarded, by the default egress.

  await rename(gateway, "enp2s0", "lan-renamed");
  const isLetIn = async () => (await told(connects.inside)).last;
  await until("the owner gets in by the renamed interface", isLetIn, 10);
  expect(await answers(inside, addresses.outside, 22)).toBe(false);
  expect(await answers(inside, addresses.lan, 2222)).toBe(false); // Ports of administration only.
  expect((await told(connects.outside)).last).toBe(false);
  expect(await answers(outside, addresses.lan, 22)).toBe(false);
  expect(await enforcement(before)).toMatchObject({
    status: "failed",
    message: expect.stringMatching(/guard stays in force.*network.lan_iface is enp2s0.*lan-renamed/),
  });
  // Renamed at boot: the next daemon finds it so.
  await before.stop();
  using after = await startDaemon(gateway, right, kept);
  expect((await told(connects.inside)).last).toBe(true);
  expect(await answers(inside, addresses.outside, 22)).toBe(false);
  expect(await kernelState(gateway)).toContain("portcullis_guard");
  // And back again: nothing is left of it.
  await rename(gateway, "lan-renamed", "enp2s0");
  await until("devices are forwarded again", () => answers(inside, addresses.outside, 22), 10);
  expect(await gateway.run("nft", "list", "chain", "inet", "portcullis_guard", "input")).not.toContain("lan-renamed");
  await after.stop();
});

test("the right interfaces: the guard is loaded, and accepts the LAN only", async () => {
  await using lab = openLab();
  const { gateway, connects } = await openAdminNetwork(lab);
  using daemon = await startDaemon(gateway, right);
  expect(await kernelState(gateway)).toContain("portcullis_guard");
  expect(await isForwarding(gateway)).toBe(true);
  expect(await enforcement(daemon)).toMatchObject({ status: "ok" });
  await told(connects.inside);
  expect(await told(connects.inside)).toMatchObject({ failed: 0, last: true });
  expect(await told(connects.outside)).toMatchObject({ last: false });
});
