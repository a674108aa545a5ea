import type { Send } from "@portcullis/contract/client";
import { afterAll, beforeEach, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../testing/gateway.ts";
import { peerKey } from "../../testing/tunnels.ts";
import { targetOf } from "./address.ts";
import { Unreachable } from "./failure.ts";
import { run } from "./run.ts";
import { followTo, sendTo } from "./send.ts";

let gateway: TestGateway | undefined;
afterAll(() => gateway?.[Symbol.asyncDispose]());

/** One gateway for all tests: before each, everything that one of them may have written is removed. */
beforeEach(async () => {
  gateway ??= await startGateway();
  const { client } = gateway;
  const { pending } = await client.changes.show();
  if (pending) await client.changes.revert();
  for (const { id } of (await client.routing.list()).items) await client.routing.remove({ params: { id } });
  await client.routing.apply();
  for (const list of [client.deviceGroups, client.devices, client.tunnels] as const)
    for (const { id } of (await list.list()).items) await list.remove({ params: { id } });
  const config = { addresses: ["10.2.0.2/32"], peers: [{ public_key: peerKey }] };
  await client.tunnels.create({ body: { name: "Oslo", type: "wireguard", config } });
  await client.devices.create({ body: { name: "TV", mac: "02:00:00:00:00:01" } });
  await client.deviceGroups.create({ body: { name: "Family", device_ids: ["TV"] } });
});

/** The output of a command that is not at a terminal. */
const portcullis = (...words: string[]) => portcullisWith((send) => send, ...words);

async function portcullisWith(over: (send: Send) => Send, ...words: string[]) {
  const target = targetOf(gateway!.origin, () => false);
  const access = { key: undefined, judge: () => {} };
  const { out, complaint } = await run(words, {
    send: over(sendTo(target, access)),
    follow: followTo(target, access),
    receive: () => Promise.reject(new Error("no file is received here")),
    printBytes: () => {},
    print: () => {},
    now: () => new Date(),
    waitForNext: () => Promise.reject(new Error("no list is followed")),
    login: () => Promise.reject(new Error("there is no terminal")),
    logout: () => "",
    setup: async () => ({ out: "" }),
    isFile: () => false,
    readFile: () => Promise.reject(new Error("there are no files")),
    readStdin: () => Promise.reject(new Error("there is no standard input")),
  });
  return { complaint, value: out === "" ? undefined : (JSON.parse(out) as Record<string, unknown>) };
}

const policies = async () => (await gateway!.client.routing.list()).items;
const family = (more: object = {}) =>
  gateway!.client.routing.create({
    body: {
      name: "Family direct",
      source_type: "device_group",
      source_value: "Family",
      fail_policy: "fail-open",
      priority: 50,
      ...more,
    },
  });

test("protect: the policy is created, applied until it is confirmed, and reported as JSON to a program", async () => {
  const { value, complaint } = await portcullis("protect", "TV", "--via", "Oslo", "--confirm-within", "60");
  expect(complaint).toBeUndefined();
  expect(value).toMatchObject({
    change: "create",
    policy: { name: "TV via Oslo", fail_policy: "fail-closed" },
    confirm_until: expect.any(String),
    not_in_force: expect.stringContaining("the dataplane is off"),
    evaluation: { outcome: "block" },
  });
  expect(await gateway!.client.changes.show()).toMatchObject({
    staged: [],
    pending: { differences: [{ name: "TV via Oslo" }] },
  });
  const pending = await portcullis("protect", "TV", "--via", "Oslo", "--fail-over");
  expect(pending.complaint?.text).toContain("waits for its confirmation; nothing was written");
});

test("protect: a policy that decides before is not overridden unless the command names it", async () => {
  await family();
  await gateway!.client.routing.apply();
  const { complaint } = await portcullis("protect", "TV", "--via", "Oslo");
  expect(complaint?.text).toMatch(
    /"Family direct" decides about TV before[^]*nothing was changed[^]*--before "Family direct"/,
  );
  expect(await policies()).toMatchObject([{ name: "Family direct", priority: 50 }]);
  expect((await gateway!.client.changes.show()).staged).toEqual([]);

  const { value } = await portcullis("protect", "TV", "--via", "Oslo", "--before", "Family direct", "--keep");
  expect(value).toMatchObject({ policy: { priority: 50 }, confirm_until: null, evaluation: { outcome: "block" } });
  expect((await policies()).find(({ name }) => name === "Family direct")).toMatchObject({
    priority: 50,
    enabled: true,
  });
});

test("protect: with fail-over the next policy decides while the hop is down, and the report says so", async () => {
  await family({ priority: 200 });
  await gateway!.client.routing.apply();
  const { value } = await portcullis("protect", "TV", "--via", "Oslo", "--fail-over", "--keep");
  expect(value).toMatchObject({
    change: "create",
    policy: { fail_policy: "fail-over" },
    evaluation: { outcome: "direct" },
  });
});

test("protect: changes of others are not applied on the side", async () => {
  await family({ priority: 200 });
  const { complaint } = await portcullis("protect", "TV", "--via", "Oslo");
  expect(complaint?.text).toContain("Another change is staged (Family direct)");
  expect(await policies()).toHaveLength(1);
});

test("protect: a policy that a revert left staged is applied, and one that is published already is not applied again", async () => {
  const { client } = gateway!;
  await portcullis("protect", "TV", "--via", "Oslo");
  await client.changes.revert();
  expect((await client.changes.show()).staged).toMatchObject([{ name: "TV via Oslo" }]);
  const { value } = await portcullis("protect", "TV", "--via", "Oslo", "--keep");
  expect(value).toMatchObject({ change: "applied", confirm_until: null, policy: { name: "TV via Oslo" } });
  const { staged, applied } = await client.changes.show();
  expect(staged).toEqual([]);
  expect(await client.policyViews.evaluate({ body: { device_id: "TV" } })).toMatchObject({ outcome: "block" });

  expect((await portcullis("protect", "TV", "--via", "Oslo", "--keep")).value).toMatchObject({ change: "unchanged" });
  expect((await client.changes.show()).applied.id).toBe(applied.id);
});

test("protect: a policy that was staged before stays as it was staged if its apply is refused", async () => {
  const { client } = gateway!;
  await family();
  await client.routing.apply();
  await client.routing.create({
    body: { name: "TV via Oslo", source_type: "device", source_value: "TV", hops: [{ type: "vpn", target: "Oslo" }] },
  });
  const { complaint } = await portcullis("protect", "TV", "--via", "Oslo");
  expect(complaint?.text).toContain('"Family direct" decides about TV before');
  expect((await client.changes.show()).staged).toMatchObject([{ name: "TV via Oslo" }]);
});

test("protect: a change that is applied is reported with its time to confirm if the gateway cannot be reached afterwards", async () => {
  let isCut = false;
  const cutByApply =
    (send: Send): Send =>
    async (request) => {
      if (isCut) throw new Unreachable("The gateway cannot be reached");
      const answer = await send(request);
      isCut = request.url.startsWith("/routing/policies/apply");
      return answer;
    };
  const { value, complaint } = await portcullisWith(cutByApply, "protect", "TV", "--via", "Oslo");
  expect(isCut).toBe(true);
  expect(complaint).toBeUndefined();
  expect(value).toMatchObject({
    change: "create",
    confirm_until: expect.any(String),
    evaluation: null,
    not_in_force: "the state could not be read: The gateway cannot be reached",
  });
  expect((await gateway!.client.changes.show()).pending).not.toBeNull();
  await gateway!.client.changes.confirm();

  const cut =
    (send: Send): Send =>
    (request) =>
      request.url === "/status" ? Promise.reject(new Unreachable("gone")) : send(request);
  const unchanged = await portcullisWith(cut, "protect", "TV", "--via", "Oslo");
  expect(unchanged.complaint?.text).toBe("unreachable: gone\n");
});

test("protect: a refused change of an existing policy leaves it as it was", async () => {
  const { client } = gateway!;
  await client.routing.create({ body: { name: "Own", source_type: "device", source_value: "TV", priority: 80 } });
  await family();
  await client.routing.apply();
  const before = (await policies()).find(({ name }) => name === "Own");
  expect((await portcullis("protect", "TV", "--via", "Oslo")).complaint?.status).toBe(2);
  expect((await policies()).find(({ name }) => name === "Own")).toEqual(before);
  expect((await client.changes.show()).staged).toEqual([]);
});

test("protect: a device that its policy could not match is refused; with an address it is not", async () => {
  await gateway!.client.devices.create({ body: { name: "Lamp" } });
  const { complaint } = await portcullis("protect", "Lamp", "--via", "Oslo");
  expect(complaint?.text).toContain("would match no packet of Lamp");
  expect(await policies()).toEqual([]);
  await portcullis("devices", "update", "Lamp", "--mac", "02:00:00:00:00:09");
  expect((await portcullis("protect", "Lamp", "--via", "Oslo")).value).toMatchObject({ change: "create" });
});

test("tasks: what cannot be meant is refused, and nothing is written", async () => {
  const refused: readonly (readonly [string, string])[] = [
    ["protect TV", "--via is missing"],
    ["protect TV --via Olso", 'did you mean "Oslo"?'],
    ["protect TV --via Oslo --fail-open --fail-closed", "exclude each other"],
    ["protect TV --via Oslo --confirm-within 0", "must be an integer (1 to 86400)"],
    ["protect TV --vai Oslo", "did you mean --via?"],
    ["pause 25h", "is not a duration from 1m to 24h"],
    ["pause 10m --for Nothing", "not_found"],
    ["block games.example forever", "is not a duration"],
    ["why", "<device> is missing"],
    ["resume now", "Unexpected argument"],
  ];
  for (const [line, reason] of refused)
    expect((await portcullis(...line.split(" "))).complaint?.text).toContain(reason);
  expect(await policies()).toEqual([]);
  expect(await gateway!.client.pauses.active()).toEqual([]);
});

test("pause and resume: they concern the named device or group only", async () => {
  await portcullis("pause", "10m", "--for", "Family");
  await portcullis("pause", "1h30m", "--for", "TV", "--reason", "a film");
  await portcullis("block", "video.example", "45m", "--for", "TV");
  expect((await portcullis("resume", "--for", "Family")).value).toMatchObject({ ended: [{ deleted: true }] });
  const active = await gateway!.client.pauses.active();
  expect(active.map((it) => `${it.type} ${it.source_name} ${it.duration_min}`).toSorted()).toEqual([
    "block-domain TV 45",
    "filtering TV 90",
  ]);
  expect((await portcullis("resume")).value).toMatchObject({ still_active: [{ domain: "video.example" }] });
  await gateway!.client.devices.create({ body: { name: "Family" } });
  expect((await portcullis("pause", "10m", "--for", "Family")).complaint?.text).toContain("give the id");
});

test("block and unblock: an entry of the opposite list for the same clients goes, others stay", async () => {
  const { client } = gateway!;
  const entries = async () => [
    ...(await client.dnsBlocklist.list()).items.map((it) => `block ${it.domain} ${it.source_name}`),
    ...(await client.dnsAllowlist.list()).items.map((it) => `allow ${it.domain} ${it.source_name}`),
  ];
  await portcullis("block", "shop.example");
  expect((await portcullis("unblock", "shop.example", "--for", "TV")).complaint).toBeUndefined();
  expect(await entries()).toEqual(["block shop.example ", "allow shop.example TV"]);
  await portcullis("block", "Shop.example", "--for", "TV");
  expect(await entries()).toEqual(expect.arrayContaining(["block shop.example ", "block shop.example TV"]));
  await portcullis("unblock", "shop.example");
  expect(await entries()).toEqual(["block shop.example TV"]);
  expect((await portcullis("unblock", "shop.example", "--for", "TV")).value).toMatchObject({
    removed: 1,
    in_force: false,
  });
  expect(await entries()).toEqual([]);
});
