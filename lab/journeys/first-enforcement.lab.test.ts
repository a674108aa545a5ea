import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { readRecord } from "../../daemon/src/planes/forwarding/enforcement-record.ts";
import { linux } from "../../daemon/src/system/system.ts";
import { expectWithin, repeatable, until } from "../../testing/deadline.ts";
import { measureSlowness } from "../../testing/slowness.ts";
import { addresses, answers, isForwarding, kernelState, openAdminNetwork, reportOf } from "../admin-network.ts";
import { daemonFolder, supervisedBy, startDaemon } from "../daemon.ts";
import { type Host, openLab } from "../namespaces.ts";

/*
 * The interfaces exist, so that the guard is loaded at the first start. Whether it lets the owner in shows only then: until
 * they confirm it from another machine, it is reverted at its deadline, whatever becomes of the daemon.
 */
const key = "a-key-of-the-operator-0123456789";
/** Long enough to look at everything before the revert, also on a busy machine. The tests wait for its end three times. */
const confirmSec = Math.min(60, Math.ceil(15 * (await lastingSlowness())));
const config = (network: object) => ({
  listen: { api_addr: "0.0.0.0:8080" },
  auth: { enabled: true, api_keys: [{ key, role: "operator", name: "ops" }] },
  dataplane: { confirm_first_sec: confirmSec },
  dns: { enabled: true, upstream_servers: [addresses.outside] },
  network,
});
const right = config({ wan_iface: "enp1s0", lan_iface: "enp2s0", default_egress: "direct" });
/** The owner, who is on the LAN, has confused the two. */
const swapped = config({ wan_iface: "enp2s0", lan_iface: "enp1s0", default_egress: "direct" });

/** Files of the lab that start at the same time slow each other down for some seconds, which says nothing about the next minutes. */
async function lastingSlowness(): Promise<number> {
  let lowest = await measureSlowness();
  for (let samples = 1; samples < 6 && lowest > 1.4; samples += 1) {
    await wait(1000);
    lowest = Math.min(lowest, await measureSlowness());
  }
  return lowest;
}

async function ask(from: Host, address: string, method: string, path: string) {
  const flags = ["--silent", "--insecure", "--max-time", "60", "--request", method, "--write-out", "\n%{http_code}"];
  const sent = await from.run(
    "curl",
    ...flags,
    "-H",
    `Authorization: Bearer ${key}`,
    `https://${address}:8080/api/v1${path}`,
  );
  const [, body = "", status = "0"] = /^([\s\S]*)\n(\d+)$/.exec(sent) ?? [];
  return { status: Number(status), body: JSON.parse(body) as Record<string, unknown> };
}
const onGateway = (gateway: Host, method: string, path: string) => ask(gateway, "127.0.0.1", method, path);
const onLan = (inside: Host, method: string, path: string) => ask(inside, addresses.lan, method, path);

/** Nothing is left of it: the gateway is reached from everywhere, and forwards nothing. */
async function expectNothingEnforced(gateway: Host, inside: Host): Promise<void> {
  expect([await kernelState(gateway), await isForwarding(gateway)]).toEqual(["", false]);
  expect(await answers(inside, addresses.lan, 22)).toBe(true);
  expect(await answers(inside, addresses.outside, 22)).toBe(false);
}

test(
  "an unconfirmed first enforcement that locks its owner out is reverted, and not tried again by itself (T-wiped-6)",
  repeatable,
  async () => {
    using folder = daemonFolder();
    await using lab = openLab();
    const kept = { ...folder, [Symbol.dispose]: () => {} };
    const { gateway, inside, connects } = await openAdminNetwork(lab);
    expect((await reportOf(connects.inside)).last).toBe(true);
    const began = performance.now();
    using daemon = await startDaemon(gateway, swapped, kept);
    // The API answers before the first rule is loaded.
    await until("the guard is loaded", async () => (await kernelState(gateway)).includes("portcullis_guard"));
    await until("the owner is locked out", async () => !(await reportOf(connects.inside)).last);
    const shown = await onGateway(gateway, "GET", "/enforcement");
    expect(shown.body).toMatchObject({ state: "provisional", deadline: expect.any(String) });
    expect(await onGateway(gateway, "POST", "/enforcement/confirm")).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining("comes from the gateway itself") } },
    });
    // Also not by the address of the LAN, which leads the gateway to itself.
    expect((await onLan(gateway, "POST", "/enforcement/confirm")).status).toBe(409);
    await until("the owner gets in again", async () => (await reportOf(connects.inside)).last, confirmSec + 10);
    expectWithin(confirmSec + 8, { "the revert": (performance.now() - began) / 1000 });
    await until(
      "it is reported",
      async () => (await onLan(inside, "GET", "/enforcement")).body["state"] === "reverted",
      10,
    );
    await expectNothingEnforced(gateway, inside);
    expect(supervisedBy(folder)).toEqual([]);
    expect((await onLan(inside, "GET", "/status")).body).toMatchObject({
      not_enforced: expect.stringContaining("reverted"),
    });

    await daemon.stop();
    using again = await startDaemon(gateway, right, kept);
    await expectNothingEnforced(gateway, inside);
    // Requested again, with the right interfaces this time, and confirmed from the LAN.
    expect((await onLan(inside, "POST", "/enforcement/start")).body).toMatchObject({ state: "provisional" });
    expect(await answers(inside, addresses.outside, 22)).toBe(true);
    expect(await onLan(inside, "POST", "/enforcement/confirm")).toMatchObject({
      status: 200,
      body: { state: "confirmed", confirmed_by: "key:ops", confirmed_how: `network: ${addresses.inside}` },
    });
    const audit = (await onLan(inside, "GET", "/audit")).body as unknown as { action: string; details: object }[];
    expect(audit.slice(0, 2)).toMatchObject([
      { action: "confirm_enforcement", details: { from: addresses.inside } },
      { action: "start_enforcement" },
    ]);
    await again.kill();
    await wait((confirmSec + 4) * 1000); // Nothing is to happen: there is no event to wait for.
    expect(await kernelState(gateway)).toContain("portcullis_guard");
    expect(await answers(inside, addresses.outside, 22)).toBe(true);
    expect((await reportOf(connects.outside)).last).toBe(false);
  },
);

test("a daemon that is killed reverts nothing: another process does, at the deadline", repeatable, async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const kept = { ...folder, [Symbol.dispose]: () => {} };
  const { gateway, inside, outside, connects } = await openAdminNetwork(lab);
  using daemon = await startDaemon(gateway, swapped, kept);
  await until("the owner is locked out", async () => !(await reportOf(connects.inside)).last);
  expect(await answers(outside, addresses.wan, 22)).toBe(true); // By what it takes for its LAN.
  await until("resolvers run", async () => supervisedBy(folder).length > 0, 20);
  await daemon.kill();
  expect(await kernelState(gateway)).toContain("portcullis_guard");
  await until("the owner gets in again", async () => (await reportOf(connects.inside)).last, confirmSec + 15);
  await until("nothing is left", async () => (await kernelState(gateway)) === "", 10);
  // Written down after the last rule is gone. A daemon that started before would revert once more, for another reason.
  const state = join(folder.path, "state");
  await until("it is written down", async () => readRecord(linux, state).state === "reverted", 10);
  await expectNothingEnforced(gateway, inside);
  expect(supervisedBy(folder)).toEqual([]);
  using next = await startDaemon(gateway, swapped, kept);
  expect((await onLan(inside, "GET", "/enforcement")).body).toMatchObject({
    state: "reverted",
    message: expect.stringContaining("the daemon was dead"),
  });
  await expectNothingEnforced(gateway, inside);
  await next.stop();
});

test("a daemon that finds an unconfirmed first enforcement at its start reverts it at once", async () => {
  using folder = daemonFolder();
  await using lab = openLab();
  const kept = { ...folder, [Symbol.dispose]: () => {} };
  const { gateway, inside } = await openAdminNetwork(lab);
  const longDeadline = {
    ...right,
    listen: { api_addr: "127.0.0.1:8080" },
    auth: { enabled: false },
    dataplane: { confirm_first_sec: 3600 },
  };
  using daemon = await startDaemon(gateway, longDeadline, kept);
  await until("the guard is loaded", async () => (await kernelState(gateway)).includes("portcullis_guard"));
  await daemon.kill();
  using next = await startDaemon(gateway, longDeadline, kept);
  await expectNothingEnforced(gateway, inside);
  // From the console, with a reason, it can be confirmed without another machine: by the command that people type.
  const portcullis = (...words: string[]) =>
    gateway.run(
      "env",
      "GATEWAY_ADDR=http://127.0.0.1:8080",
      process.execPath,
      resolve("dist/portcullis.mjs"),
      ...words,
    );
  await portcullis("enforcement", "start");
  await expect(portcullis("confirm")).rejects.toThrow("comes from the gateway itself");
  const confirmed: unknown = JSON.parse(await portcullis("confirm", "no device yet"));
  expect(confirmed).toMatchObject({ state: "confirmed", confirmed_how: "console: no device yet" });
  await next.stop();
});
