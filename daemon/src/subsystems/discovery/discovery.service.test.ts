import { Problem } from "@portcullis/contract/problem";
import type { Device } from "@portcullis/contract/subsystems/devices";
import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { kinds } from "../../app/resource-kinds.ts";
import { discoveryService, type ObservedCard } from "./discovery.service.ts";

const cause = { actor: "test", action: "link_device", resourceType: "device" };
const [old, latest] = ["00:1b:a9:00:00:01", "02:00:00:00:00:02"];

test("discovery: a device that is online is not linked to another MAC address, and one that is offline is", () => {
  const ledger = ledgerInMemory(kinds, { now: () => new Date() });
  ledger.change(cause, (draft) =>
    draft.put("device", { id: "tv", name: "TV", mac: old, ips: [], hostname: "tv" } as { id: string }),
  );
  const online = new Set([old, latest]);
  const card = (mac: string): ObservedCard => ({
    number: 1,
    mac,
    interface: "lan0",
    addresses: [],
    facts: [],
    firstMs: 0,
    lastMs: 0,
    isOnline: online.has(mac),
  });
  const updates: unknown[] = [];
  const service = discoveryService({
    ledger,
    source: { all: () => [card(old), card(latest)], get: card, vendorOf: () => undefined, sources: () => [] },
    createDevice: () => ({}) as Device,
    updateDevice: (_, id, body) => {
      updates.push([id, body]);
      return {} as Device;
    },
    createGroup: () => ({ id: "guest" }),
  });
  const link = () => service.link(cause, latest, "TV");
  expect(link).toThrow(Problem);
  expect(link).toThrow(`TV is online with the MAC address ${old}`);
  expect(updates).toEqual([]);
  online.delete(old);
  link();
  expect(updates).toEqual([["tv", { mac: latest }]]);
});
