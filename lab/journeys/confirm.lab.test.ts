import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { expectWithin, repeatable, until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type JsonScript, startJsonScript } from "../json-script.ts";
import { openDeviceTopology, type DeviceTopology } from "../topology-devices.ts";

/*
 * A remote administrator. Their only access is a host on the LAN that keeps a connection to them, through the first
 * tunnel, and sends requests to the gateway's API on their behalf. A policy that blocks this host locks them out.
 */
const key = randomBytes(32).toString("hex");
const config = {
  listen: { api_addr: "0.0.0.0:8080" },
  auth: { enabled: true, api_keys: [{ key, role: "admin", name: "jumphost" }] },
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
};
/** Long enough to look before it is over, also on a slow machine. */
const confirmWithinSec = 10;
const applyWithNet = `/routing/policies/apply?confirm_within=${confirmWithinSec}`;
const folder = temporaryFolder();
const recoveries: string[] = [];

let lab: Lab;
let topology: DeviceTopology;
let daemon: LabDaemon;
let remoteAdmin: JsonScript;
let policy: string;

type Answer =
  | { readonly path: "dead" }
  | { readonly path: "alive"; readonly egress: string; readonly status: number; readonly body: unknown };

/** A request of the administrator through the jump host, with this timeout. */
const adminRequest = (patienceSec: number, method: string, path: string, body: object | null = null): Promise<Answer> =>
  remoteAdmin.request(JSON.stringify([patienceSec, [method, path, body]])) as Promise<Answer>;

beforeAll(async () => {
  lab = openLab();
  topology = await openDeviceTopology(lab);
  const jumphost = await topology.device("jumphost", 1);
  daemon = await startDaemon(topology.gateway, config, folder);
  await daemon.ok("POST", "/devices", { name: "jumphost", mac: jumphost.mac });
  const own = { name: "jumphost", source_type: "device", source_value: "jumphost", hops: by("t1") };
  policy = ((await daemon.ok("POST", "/routing/policies", own)) as { id: string }).id;
  await daemon.ok("POST", "/routing/policies/apply");
  remoteAdmin = await startJsonScript(topology.outside, "remote-admin.py");
  await startJsonScript(jumphost, "jumphost.py", key);
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
  process.stdout.write(`confirm: ${recoveries.join("; ")}\n`);
});

const by = (target: string) => [{ type: "vpn", target }];
const secondsSince = (moment: number): number => (performance.now() - moment) / 1000;

/** Repeats the request until there is an answer. */
async function answered(withinSec: number): Promise<Answer> {
  let answer: Answer = { path: "dead" };
  const isAlive = async () => (answer = await adminRequest(5, "GET", "/changes")).path === "alive";
  await until("the administrator is answered", isAlive, withinSec);
  return answer;
}

beforeEach(async () => {
  const answer = await answered(20);
  if (answer.path !== "alive" || answer.egress !== "t1") throw new Error(`Before the test: ${JSON.stringify(answer)}`);
});

/** A change waits for confirmation as soon as it is published, which is before the kernel has it. */
const isInForce = async () => {
  const { pending } = (await daemon.ok("GET", "/changes")) as { pending: object | null };
  const { revision, applied_revision } = (await daemon.ok("GET", "/status")) as Record<string, number>;
  return pending !== null && applied_revision === revision;
};

/** They apply what locks them out, with a net. Answers when that was. */
async function locksThemselvesOut(): Promise<number> {
  expect(await adminRequest(60, "PUT", `/routing/policies/${policy}`, { hops: [] })).toMatchObject({ status: 200 });
  const applied = performance.now();
  await adminRequest(1, "POST", applyWithNet); // The answer is lost with the path.
  await until("the change is in force", isInForce, 5);
  return applied;
}

/** They cannot confirm: nothing of their host is seen outside, though it never gives up. */
async function isLockedOut(): Promise<boolean> {
  const before = await topology.counted();
  const answer = await adminRequest(1, "POST", "/changes/confirm");
  const after = await topology.counted();
  return answer.path === "dead" && JSON.stringify(before) === JSON.stringify(after);
}

/** Only a look that ended before the deadline counts: a slow machine may come to it too late. */
async function expectLockedOut(applied: number): Promise<void> {
  const isIt = await isLockedOut();
  expect(isIt || secondsSince(applied) >= confirmWithinSec).toBe(true);
}

const reverted = { path: "alive", egress: "t1", status: 200, body: { pending: null } };
const latest = confirmWithinSec + 5;

test(
  "commit-confirm: without a confirmation the path is back within five seconds of the deadline",
  repeatable,
  async () => {
    const applied = await locksThemselvesOut();
    await expectLockedOut(applied);
    expect(await answered(latest)).toMatchObject(reverted);
    const back = secondsSince(applied);
    recoveries.push(`back ${back.toFixed(1)} s after the apply`);
    expect(back).toBeGreaterThan(confirmWithinSec - 1);
    expectWithin(latest, { "the path's return after the apply": back });
  },
);

test("also when the daemon is killed meanwhile and started again", repeatable, async () => {
  const applied = await locksThemselvesOut();
  await daemon.kill();
  daemon = await startDaemon(topology.gateway, config, folder);
  await expectLockedOut(applied);
  expect(await answered(latest)).toMatchObject(reverted);
  const back = secondsSince(applied);
  recoveries.push(`${back.toFixed(1)} s with a death in between`);
  expect(back).toBeGreaterThan(confirmWithinSec - 1);
  expectWithin(latest, { "the path's return after the apply": back });
});

test("also when it is started only after the deadline has passed", repeatable, async () => {
  const applied = await locksThemselvesOut();
  await daemon.kill();
  while (secondsSince(applied) < confirmWithinSec + 2) expect(await isLockedOut()).toBe(true);
  const started = performance.now();
  daemon = await startDaemon(topology.gateway, config, folder);
  expect(await answered(5)).toMatchObject(reverted);
  const back = secondsSince(started);
  recoveries.push(`${back.toFixed(1)} s after a start behind the deadline`);
  expectWithin(5, { "the path's return after the start": back });
});

test("commit-confirm: a change confirmed in time stays, through the new tunnel", async () => {
  expect(await adminRequest(60, "PUT", `/routing/policies/${policy}`, { hops: by("t2") })).toMatchObject({
    status: 200,
  });
  const applied = performance.now();
  await adminRequest(1, "POST", applyWithNet);
  const before = await answered(confirmWithinSec);
  const confirmed = await adminRequest(60, "POST", "/changes/confirm");
  expectWithin(confirmWithinSec, { "the confirmation": secondsSince(applied) });
  if (secondsSince(applied) >= confirmWithinSec) return; // Too late to say anything about a confirmation in time.
  expect(before).toMatchObject({ egress: "t2", body: { pending: { actor: "key:jumphost" } } });
  expect(confirmed).toMatchObject({ egress: "t2", status: 200, body: { pending: null } });
  const seen: Answer[] = [];
  while (secondsSince(applied) < confirmWithinSec + 2) seen.push(await adminRequest(60, "GET", "/changes"));
  expect(new Set(seen.map((answer) => answer.path === "alive" && answer.egress))).toEqual(new Set(["t2"]));
});
