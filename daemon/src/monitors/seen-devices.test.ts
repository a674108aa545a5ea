import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../testing/ledger.ts";
import { kinds } from "../app/resource-kinds.ts";
import { knownDevices, seenDevices } from "./seen-devices.ts";

const cause = { actor: "test", action: "create_device", resourceType: "device" };
const at = (ms: number) => new Date(ms).toISOString();

test("seen devices: a device was last seen when its card was, or when one of its addresses sent a query, whichever is later", () => {
  const cards = new Map([["02:00:00:00:00:07", 5000]]);
  const { lastSeen } = seenDevices({ lastSeenMs: (mac) => cards.get(mac) ?? null }, () => [
    { address: "10.0.0.7", lastMs: 7000 },
    { address: "10.0.0.8", lastMs: 3000 },
  ]);
  const seen = lastSeen();
  const mac = "02:00:00:00:00:07";
  expect(seen({ mac, ips: [] })).toBe(at(5000));
  expect(seen({ mac, ips: ["10.0.0.8"] })).toBe(at(5000));
  expect(seen({ mac, ips: ["10.0.0.8", "10.0.0.7"] })).toBe(at(7000));
  expect(seen({ mac: null, ips: ["10.0.0.8"] })).toBe(at(3000));
  expect(seen({ mac: "02:00:00:00:00:99", ips: ["10.0.0.99"] })).toBeNull();
});

test("seen devices: a card is known by a device's MAC, or by the address of a device without one; never by the address of another card", () => {
  const ledger = ledgerInMemory(kinds, { now: () => new Date() });
  const deviceOf = knownDevices(ledger);
  const card = (mac: string, ...addresses: string[]) => ({
    mac,
    addresses: addresses.map((address) => ({ address, seenMs: 0 })),
  });
  expect(deviceOf(card("02:00:00:00:00:07", "10.0.0.7"))).toBeUndefined();
  ledger.change(cause, (draft) => {
    draft.put("device", { id: "tv", mac: "02:00:00:00:00:07", ips: ["10.0.0.7"] } as { id: string });
    draft.put("device", { id: "nas", mac: null, ips: ["10.0.0.8"] } as { id: string });
  });
  expect(deviceOf(card("02:00:00:00:00:07", "10.0.0.70"))?.id).toBe("tv");
  expect(deviceOf(card("02:00:00:00:00:99", "10.0.0.8"))?.id).toBe("nas");
  expect(deviceOf(card("02:00:00:00:00:99", "10.0.0.7"))).toBeUndefined();
  ledger.close();
});
