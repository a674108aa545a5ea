import { expect, test } from "vitest";
import { ownSec } from "../../../testing/clock.ts";
import { expectWithin, repeatable } from "../../../testing/deadline.ts";
import type { Link } from "../compiler/input/facts.ts";
import { type Intent, type IntentDevice, type IntentPolicy, noLinks } from "../compiler/input/intent.ts";
import { matrix } from "./leak-matrix.ts";

const links: Link[] = [
  { name: "lan0", up: true, networks: ["10.0.0.0/24", "fd00::/64"] },
  { name: "wan0", up: true },
  { name: "nl", up: true },
  { name: "se", up: false },
];
const policy = (id: string, over: Partial<IntentPolicy>): IntentPolicy => ({
  id,
  priority: 1,
  sourceType: "all",
  sourceValue: "",
  hops: [{ type: "vpn", target: "nl" }],
  failPolicy: "fail-closed",
  splitting: false,
  ...over,
});
const intentOf = (devices: readonly IntentDevice[], policies: readonly IntentPolicy[]): Intent => ({
  network: { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" },
  devices,
  groups: [],
  policies,
  exceptions: [],
  ...noLinks,
});
const device = (id: string, over: Partial<IntentDevice> = {}): IntentDevice => ({
  id,
  mac: null,
  ips: [],
  groupIds: [],
  requiresTunnel: false,
  ...over,
});
const tv = device("tv", { mac: "02:00:00:00:00:01" });
const rows = async (policies: readonly IntentPolicy[], subject = tv) => {
  const [cells] = await matrix(intentOf([tv], policies), { links }, [subject], async () => {});
  return Object.fromEntries(
    cells!.map(({ scenario, posture, interfaces }) => [scenario, [posture, ...interfaces].join(" ")]),
  );
};

test("leak matrix: each scenario has its posture: protected, blocked or exposed", async () => {
  expect(await rows([policy("a", {})])).toEqual({
    now: "protected nl",
    "all up": "protected nl",
    "nl down": "blocked",
    "all down": "blocked",
  });
  expect(await rows([policy("a", { failPolicy: "fail-open", hops: [{ type: "vpn", target: "se" }] })])).toEqual({
    now: "exposed wan0",
    "all up": "protected se",
    "se down": "exposed wan0",
    "all down": "exposed wan0",
  });
  expect(await rows([])).toEqual({ now: "exposed wan0", "all up": "exposed wan0", "all down": "exposed wan0" });
});

test("leak matrix: a device fails over to the next policy, and is blocked when none is left", async () => {
  const chain = [
    policy("a", { failPolicy: "fail-over" }),
    policy("b", { priority: 2, failPolicy: "fail-over", hops: [{ type: "vpn", target: "se" }] }),
  ];
  expect(await rows(chain)).toEqual({
    now: "protected nl",
    "all up": "protected nl",
    "nl down": "protected se",
    "se down": "protected nl",
    "all down": "blocked",
  });
});

test("leak matrix: a hop that is the uplink protects no device", async () => {
  expect((await rows([policy("a", { hops: [{ type: "interface", target: "wan0" }] })]))["now"]).toBe("exposed wan0");
});

test("leak matrix: a policy for IPv4 alone leaves a device exposed; one for all addresses covers unknown devices", async () => {
  const v4 = policy("a", { sourceType: "subnet", sourceValue: "10.0.0.0/24" });
  const v6 = policy("b", { sourceType: "subnet", sourceValue: "fd00::/64" });
  const unknown = device("unknown");
  expect((await rows([v4], unknown))["now"]).toBe("exposed wan0");
  expect((await rows([v4, v6], unknown))["now"]).toBe("protected nl");
});

test("leak matrix: a page of 1,000 of 10,000 devices over 50 tunnels takes seconds, and other requests run meanwhile", {
  ...repeatable,
  tags: "proof",
}, async () => {
  const devices = Array.from({ length: 10_000 }, (_, place) =>
    device(`d${place}`, { mac: `02:00:00:00:${hex(place >> 8)}:${hex(place & 255)}`, groupIds: [`g${place % 50}`] }),
  );
  const policies = Array.from({ length: 1000 }, (_, place) =>
    policy(`p${place}`, {
      priority: place,
      sourceType: place % 2 ? "device_group" : "subnet",
      sourceValue: place % 2 ? `g${place % 50}` : `10.${place >> 8}.${place & 255}.0/24`,
      hops: [{ type: "vpn", target: `t${place % 50}` }],
    }),
  );
  let turns = 0;
  const started = ownSec();
  const cells = await matrix(
    intentOf(devices, policies),
    { links },
    devices.slice(0, 1000),
    async () => void (turns += 1),
  );
  const tookSec = ownSec() - started;
  process.stdout.write(`leak matrix: 1,000 of 10,000 devices, 53 scenarios, ${tookSec.toFixed(1)} s\n`);
  expect([cells.length, cells[0]!.length, turns]).toEqual([1000, 53, 53]);
  expectWithin(10, { "leak matrix of 1,000 devices": tookSec });
});

const hex = (byte: number): string => byte.toString(16).padStart(2, "0");
