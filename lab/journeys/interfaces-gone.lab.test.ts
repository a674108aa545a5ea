import { expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import {
  addresses,
  answers,
  enforcement,
  kernelState,
  openAdminNetwork,
  rename,
  right,
  reportOf,
  wrong,
} from "../admin-network.ts";
import { startDaemon } from "../daemon.ts";
import { openLab } from "../namespaces.ts";

/* Interfaces come and go: what a gateway that never enforced does, and what one that has enforced does not do. */

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
  expect(await reportOf(connects.inside)).toMatchObject({ last: true });
  expect(await reportOf(connects.outside)).toMatchObject({ last: false });
  expect(await answers(inside, addresses.outside, 22)).toBe(true);
});

test("a gateway that has enforced: a renamed LAN interface opens nothing, and its owner still gets in (T-degraded-10)", async () => {
  await using lab = openLab();
  using folder = temporaryFolder();
  const kept = { ...folder, [Symbol.dispose]: () => {} };
  const { gateway, inside, outside, connects } = await openAdminNetwork(lab);
  using before = await startDaemon(gateway, right, kept);
  expect(await kernelState(gateway)).toContain("portcullis_guard");
  expect(await reportOf(connects.inside)).toMatchObject({ last: true });
  expect([await reportOf(connects.outside), await answers(inside, addresses.lan, 2222)]).toMatchObject([
    { last: false },
    true,
  ]);
  expect(await answers(inside, addresses.outside, 22)).toBe(true); // It is forwarded, by the default egress.

  await rename(gateway, "enp2s0", "lan-renamed");
  const isLetIn = async () => (await reportOf(connects.inside)).last;
  await until("the owner gets in by the renamed interface", isLetIn, 10);
  expect(await answers(inside, addresses.outside, 22)).toBe(false);
  expect(await answers(inside, addresses.lan, 2222)).toBe(false); // Ports of administration only.
  expect((await reportOf(connects.outside)).last).toBe(false);
  expect(await answers(outside, addresses.lan, 22)).toBe(false);
  expect(await enforcement(before)).toMatchObject({
    status: "failed",
    message: expect.stringMatching(/guard stays in force.*network.lan_iface is enp2s0.*lan-renamed/),
  });
  // Renamed at boot: the next daemon finds it so.
  await before.stop();
  using after = await startDaemon(gateway, right, kept);
  expect((await reportOf(connects.inside)).last).toBe(true);
  expect(await answers(inside, addresses.outside, 22)).toBe(false);
  expect(await kernelState(gateway)).toContain("portcullis_guard");
  // And back again: nothing is left of it.
  await rename(gateway, "lan-renamed", "enp2s0");
  await until("devices are forwarded again", () => answers(inside, addresses.outside, 22), 10);
  expect(await gateway.run("nft", "list", "chain", "inet", "portcullis_guard", "input")).not.toContain("lan-renamed");
  await after.stop();
});
