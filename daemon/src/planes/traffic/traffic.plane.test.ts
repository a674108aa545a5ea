import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { kinds } from "../../app/resource-kinds.ts";
import { openTrafficStore } from "../../ledger/traffic-store.ts";
import type { Neighbour } from "../../monitors/neighbours.ts";
import type { System } from "../../system/system.ts";
import type { Compiled } from "../inputs.ts";
import type { DeviceFlow } from "./attribution.ts";
import { openTrafficPlane } from "./traffic.plane.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const tv = "02:00:00:00:00:07";
const radio = "02:00:00:00:00:09";

/** A gateway with devices that are known by their MAC only, and the kernel's connections of it. */
function machine() {
  const ledger = ledgerInMemory(kinds, { now: () => new Date() });
  const put = (type: string, resource: object) =>
    ledger.change({ actor: "test", action: "create_device", resourceType: "device" }, (draft) =>
      draft.put(type, resource as { id: string }),
    );
  const putDevice = (id: string, mac: string, more = {}) =>
    put("device", { id, name: id, mac, ips: [], group_ids: [], ...more });
  putDevice("tv", tv);
  putDevice("radio", radio);
  const store = openTrafficStore({ path: ":memory:", setAside: () => {}, remove: () => {}, warn: () => {} });
  const neighbours: { list: readonly Neighbour[] } = { list: [] };
  const passedOn: (readonly DeviceFlow[])[] = [];
  const kernel = { connections: [] as string[] };
  const compiled = {
    revision: ledger.revision(),
    intent: { tunnels: [], network: { uplinks: [] } },
    neighbours: [],
  } as unknown as Compiled;
  const plane = openTrafficPlane({
    system: {
      run: async () => kernel.connections.join("\n"),
      follow: () => ({ stop: () => {} }),
      readText: () => undefined,
      writeAtomically: () => {},
    } as unknown as System,
    ledger,
    store,
    runFolder: "/run",
    compiled: () => compiled,
    neighbours: () => neighbours.list,
    decided: async () => new Map(),
    onFlows: (flows) => void passedOn.push(flows),
    nowMs: () => Date.now(),
    warn: () => {},
  });
  const sentBy = (device: string) =>
    plane.today().find(({ kind, id }) => kind === "device" && id === device)?.usage.sentBytes;
  /** The next reading, to its end. */
  const read = async () => {
    await vi.advanceTimersToNextTimerAsync();
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  };
  return { plane, store, kernel, neighbours, sentBy, passedOn, read, put, putDevice };
}

const connection = (source: string, bytes: number, id = 7): string =>
  `ipv4     2 udp      17 29 src=${source} dst=203.0.113.9 sport=4000 dport=443 packets=9 bytes=${bytes} src=203.0.113.9 dst=192.0.2.1 sport=443 dport=4000 packets=1 bytes=90 mark=2 use=1 id=${id}`;

test("traffic: what a device with a new address sends is counted for it before anything is compiled again", async () => {
  const { plane, kernel, neighbours, sentBy, passedOn, read } = machine();
  await read();
  kernel.connections = [connection("10.0.0.7", 9000)];
  neighbours.list = [{ mac: tv, address: "10.0.0.7" }];
  await read();
  expect(sentBy("tv")).toBe(9000);
  expect(passedOn.map((flows) => flows.map(({ device, sentBytes }) => [device, sentBytes]))).toEqual([[["tv", 9000]]]);
  // Another card has the address now.
  neighbours.list = [{ mac: "02:00:00:00:00:08", address: "10.0.0.7" }];
  kernel.connections = [connection("10.0.0.7", 9500)];
  await read();
  expect(sentBy("tv")).toBe(9000);
  await plane.close();
});

test("traffic: what waits in memory of a device is removed with a change to the level none, after midnight too", async () => {
  vi.setSystemTime(new Date(2026, 9, 1, 23, 52));
  const { plane, store, kernel, neighbours, sentBy, read, put, putDevice } = machine();
  await read();
  kernel.connections = [connection("10.0.0.7", 9000), connection("10.0.0.9", 8000, 9)];
  neighbours.list = [
    { mac: tv, address: "10.0.0.7" },
    { mac: radio, address: "10.0.0.9" },
  ];
  await read();
  expect([sentBy("tv"), sentBy("radio")]).toEqual([9000, 8000]);
  vi.setSystemTime(new Date(2026, 9, 2, 0, 3));
  put("privacy_class", { id: "hidden", name: "hidden", log_level: "none" });
  putDevice("tv", tv, { privacy_class: "hidden" });
  plane.applyLevels();
  await plane.close();
  expect([store.devices(), store.devicesWithDestinations()]).toEqual([["radio"], ["radio"]]);
  store.close();
});
