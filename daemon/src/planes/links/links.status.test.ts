import { because, explained } from "@portcullis/contract/reason";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { intentWith, policy, proxy, proxyHop, tunnel } from "../../../../testing/intent.ts";
import { openLinkStatus, together, notProxied } from "./links.status.ts";
import type { LinksPlane } from "./links.plane.ts";
import type { Compiled } from "../inputs.ts";
import { factsFor } from "../../compiler/input/facts.ts";
import type { System } from "../../system/system.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** Links: a listener, an upstream proxy, a bridge and a tunnel. Each part of a read can be made to fail. */
function fixture(policies = [policy("p", { hops: [proxyHop("office")] })], listener = {}) {
  const failing = new Set<string>();
  const part = async <T>(name: string, value: T): Promise<T> => {
    if (failing.has(name)) throw new Error(`${name} does not answer`);
    return value;
  };
  const intent = intentWith({
    proxies: [proxy("socks", { kind: "local", tunnelId: "t", ...listener }), proxy("office")],
    policies,
  });
  const redirecting = {
    wireguard: [{}],
    redsocks: [{ name: "id of office", port: 17_000 }],
    socksListener: [],
    bridge: [],
  };
  const compiled = { intent, facts: factsFor(intent, { links: [] }), links: redirecting } as unknown as Compiled;
  const running = (name: string) => ({ kind: "running", name });
  const broken = (name: string) => ({ kind: "broken", name, problem: because("program_ended") });
  const bridge = { interface: "br0", exists: true, up: true, carrier: true, stp: false, members: [], problems: [] };
  let bytes = 0;
  const links = {
    latest: () => compiled,
    health: { condition: () => ({ status: "up", reason: because("link_answers") }) },
    engines: {
      bridge: { states: () => part("bridge", [bridge]) },
      socksListener: { states: () => part("listener", [running("id of socks")]) },
      redsocks: { states: () => [failing.has("redsocks") ? broken("id of office") : running("id of office")] },
      wireguard: { observe: () => part("wireguard", undefined) },
    },
  } as unknown as LinksPlane;
  const counted = () => [{ name: "id of socks", received: { bytes: (bytes += 100) }, sent: { bytes: 7 } }];
  const readings = openLinkStatus({
    system: { readText: () => undefined } as unknown as System,
    links,
    traffic: () => part("traffic", counted() as never),
    now: () => new Date(Date.UTC(2030, 0, 1) + performance.now()),
  });
  return { readings, failing };
}

test.each([["traffic"], ["bridge"], ["listener"], ["wireguard"], ["traffic", "bridge", "listener", "wireguard"]])(
  "link status: values that cannot be read now are the previous ones, the others are current: %s",
  async (...parts) => {
    const { readings, failing } = fixture();
    const status = () => ({ ...readings.proxy("id of socks"), bridge: readings.bridges.seen("br0")?.status });
    await readings.refresh();
    expect(status()).toMatchObject({ status: "up", tx: 100, bridge: "up" });
    for (const name of parts) failing.add(name);
    vi.advanceTimersByTime(60_000);
    await readings.refresh();
    expect(status()).toMatchObject({ status: "up", tx: parts.includes("traffic") ? 100 : 200, bridge: "up" });
    failing.clear();
    vi.advanceTimersByTime(60_000);
    await readings.refresh();
    expect(status().tx).toBeGreaterThanOrEqual(300);
  },
);

test("link status: proxy counters have the time of their last successful read", async () => {
  const { readings, failing } = fixture();
  const counted = () => {
    const { tx, counters_at } = readings.proxy("id of socks");
    return { tx, at: Date.parse(counters_at!) - Date.UTC(2030, 0, 1) };
  };
  expect(readings.proxy("id of socks").counters_at).toBeNull();
  await readings.refresh();
  const first = counted();
  failing.add("traffic");
  vi.advanceTimersByTime(60_000);
  await readings.refresh();
  expect(counted()).toEqual(first);
  failing.clear();
  vi.advanceTimersByTime(60_000);
  await readings.refresh();
  expect(counted().at - first.at).toBe(120_000);
});

test("link status: a redirector that has ended is reported at once", async () => {
  const { readings, failing } = fixture();
  await readings.refresh();
  expect(readings.proxy("id of office").status).toBe("up");
  failing.add("redsocks");
  await readings.refresh();
  expect(readings.proxy("id of office")).toMatchObject({ status: "failed", reason: "It ended" });
});

test("link status: an upstream proxy without a policy has that as its reason", () => {
  expect(fixture([]).readings.proxy("id of office")).toMatchObject({
    status: "down",
    reason: "No policy uses it",
    coded_reason: because("proxy_unused"),
  });
});

test("link status: the reason of a listener without a password on the uplink names what is missing", () => {
  const reason = (over: object) => fixture(undefined, over).readings.proxy("id of socks").reason;
  expect(reason({ tunnelId: null })).toContain("Every device could leave in the clear by it");
  expect(reason({ tunnelId: null, username: "ada" })).toBe("Its program is starting");
});

test("link status: an upstream proxy with a policy has the state of its server", async () => {
  const { readings } = fixture();
  await readings.refresh();
  expect(readings.proxy("id of office")).toMatchObject({ status: "up", ...explained(because("link_answers")) });
});

test("link status: one request for many tunnels reads all of them once, and the next request reads again", async () => {
  const names = Array.from({ length: 100 }, (_, at) => `t${at}`);
  const intent = intentWith({ tunnels: names.map((name) => tunnel(name)) });
  let looks = 0;
  const states = () => {
    looks += 1;
    return new Map(names.map((name) => [`wg-${name}`, { kind: "ready", reason: null, txBytes: looks }]));
  };
  const links = {
    latest: () => ({ intent }),
    health: { condition: () => ({ status: "up", reason: because("link_answers"), sinceMs: 0 }) },
    engines: { wireguard: { states } },
  } as unknown as LinksPlane;
  const readings = openLinkStatus({ system: {} as System, links, traffic: async () => [], now: () => new Date() });
  const page = () => new Set(names.map((name) => readings.tunnel(`id of ${name}`).tx_bytes));
  expect(page()).toEqual(new Set([1]));
  await Promise.resolve();
  expect(page()).toEqual(new Set([2]));
});

const egresses = (...names: string[]) => ({ egresses: names.map((name) => ({ name, interfaces: [] })), splits: [] });
const udpOf = (...names: string[]) => together(notProxied({ name: "office" }, egresses(...names)));

test("link status: packets that a proxy cannot forward are blocked, except for policies that fail open", () => {
  expect(udpOf("/direct", "proxy office")).toBe("blocked");
  expect(udpOf("/direct or proxy office")).toBe("direct");
  expect(udpOf("proxy office", "/direct or proxy office")).toBe("mixed");
});

test("link status: without a policy, packets that a proxy cannot forward are blocked", () => {
  expect(udpOf()).toBe("blocked");
  expect(udpOf("/direct or proxy other", "/direct or proxy office too")).toBe("blocked");
});

test("link status: several proxies that differ are mixed", () => {
  expect(together(["direct", "direct"])).toBe("direct");
  expect(together(["blocked", "direct"])).toBe("mixed");
  expect(together(["mixed"])).toBe("mixed");
});
