import { expect, test } from "vitest";
import { enforcement, isForwarding, kernelState, openAdminNetwork, right, reportOf, wrong } from "../admin-network.ts";
import { startDaemon } from "../daemon.ts";
import { openLab } from "../namespaces.ts";

/*
 * The owner of a gateway reaches it by port 22, from its LAN or from its uplink. The machine's interfaces are enp1s0 and
 * enp2s0, whatever the configuration says.
 */
test("interfaces that do not exist: port 22 answers before, during and after the daemon, from both sides (T-wiped-5)", async () => {
  await using lab = openLab();
  const { gateway, connects } = await openAdminNetwork(lab);
  const nothingFailed = async () => {
    for (const side of [connects.inside, connects.outside])
      expect(await reportOf(side)).toEqual({ answered: expect.any(Number), failed: 0, last: true });
  };
  await nothingFailed();
  expect(await kernelState(gateway)).toBe("");
  using daemon = await startDaemon(gateway, wrong);
  await nothingFailed();
  const reason = expect.stringMatching(
    /network.wan_iface is eth0, .*network.lan_iface is eth1, .*Interfaces of this machine: enp1s0, enp2s0$/,
  );
  expect(await enforcement(daemon)).toMatchObject({ name: "enforcement", status: "failed", message: reason });
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

test("the right interfaces: the guard is loaded, and accepts the LAN only", async () => {
  await using lab = openLab();
  const { gateway, connects } = await openAdminNetwork(lab);
  using daemon = await startDaemon(gateway, right);
  expect(await kernelState(gateway)).toContain("portcullis_guard");
  expect(await isForwarding(gateway)).toBe(true);
  expect(await enforcement(daemon)).toMatchObject({ status: "ok" });
  await reportOf(connects.inside);
  expect(await reportOf(connects.inside)).toMatchObject({ failed: 0, last: true });
  expect(await reportOf(connects.outside)).toMatchObject({ last: false });
});
