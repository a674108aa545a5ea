import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../testing/ledger.ts";
import { network } from "../../../testing/intent.ts";
import type { Bootstrap } from "../config/keys.ts";
import { kinds } from "../app/resource-kinds.ts";
import { openPlanes } from "./planes.ts";
import type { System } from "../system/system.ts";

test("planes: with the dataplane off no program is run, started or stopped", async () => {
  const now = () => new Date();
  const ledger = ledgerInMemory(kinds, { now });
  const touched: string[] = [];
  const system = new Proxy({} as System, {
    get: (_, name) => {
      touched.push(String(name));
      return () => [];
    },
  });
  const { dataplane, links, dns, close } = openPlanes({
    bootstrap: {
      paths: { run: "/missing/run", state: "/missing/state" },
      dataplane: { enabled: false },
      reconcile: { interval_sec: 3600 },
    } as unknown as Bootstrap,
    network,
    ledger,
    system,
    now,
    exceptions: () => [],
    reveal: async () => "",
    announce: () => {},
    warn: () => {},
    complain: () => {},
  });
  dataplane.wake();
  await dataplane.whenIdle();
  expect([links, dns, dataplane.latest()]).toEqual([undefined, undefined, undefined]);
  expect(touched.filter((name) => ["run", "follow", "launch", "signal"].includes(name))).toEqual([]);
  await close();
  ledger.close();
});
