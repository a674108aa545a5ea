import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { watchCommits } from "../../engines/nftables/commits.ts";
import { nothingObserved } from "../inputs.ts";
import { openDataplane } from "./forwarding.plane.ts";
import { kinds } from "../../app/resource-kinds.ts";
import type { System } from "../../system/system.ts";

/** A machine with given outputs of programs, and without files. */
const machine = (run: System["run"]): System =>
  ({
    run,
    follow: () => ({ stop: () => {} }),
    readText: () => undefined,
    list: () => [],
  }) as unknown as System;

const listing = `${["[]", "[]", "[]", "[]"].join("\n")}\n`;

test.each([
  ["answers", async () => listing, { links: [] }],
  [
    "does not answer",
    async () => {
      throw new Error("ip: No such file");
    },
    { code: "engine_unavailable" },
  ],
])("dataplane: the observed state, or engine_unavailable: ip %s", async (_, run, expected) => {
  const now = () => new Date();
  const ledger = ledgerInMemory(kinds, { now });
  const dataplane = openDataplane({
    commits: watchCommits(),
    ledger,
    network: { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" },
    exceptions: () => [],
    observedLinks: nothingObserved,
    onSteered: () => {},
    onEnforced: () => {},
    onCompiled: () => {},
    permit: () => {},
    system: machine(run),
    sightings: { see: () => {}, gone: () => {}, failed: () => {} },
    enabled: true,
    intervalSec: 3600,
    now,
    onApplied: () => {},
    onDrift: () => {},
  });
  try {
    expect(await dataplane.observedState().catch((problem: unknown) => problem)).toMatchObject(expected);
  } finally {
    await dataplane.close();
    ledger.close();
  }
});

test("dataplane: degraded, with a message, while the published revision is not in force", async () => {
  const now = () => new Date();
  const ledger = ledgerInMemory(kinds, { now });
  const dataplane = openDataplane({
    commits: watchCommits(),
    ledger,
    network: { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" },
    exceptions: () => [],
    observedLinks: nothingObserved,
    onSteered: () => {},
    onEnforced: () => {},
    onCompiled: () => {},
    permit: () => {},
    system: machine(async () => {
      throw new Error("nft: Operation not permitted");
    }),
    sightings: { see: () => {}, gone: () => {}, failed: () => {} },
    enabled: true,
    intervalSec: 3600,
    now,
    onApplied: () => {},
    onDrift: () => {},
  });
  try {
    ledger.change({ actor: "test", action: "create_device", resourceType: "device" }, (draft) =>
      draft.put("device", { id: "tv" }),
    );
    expect(dataplane.isReady()).toBe(false);
    expect(dataplane.health()).toMatchObject({
      name: "dataplane",
      status: "degraded",
      message: expect.stringMatching(/^Revision \d+ is published, revision 0 is in force.*`portcullis reconcile`/),
    });
    dataplane.wake();
    await dataplane.whenIdle();
    expect(dataplane.isReady()).toBe(false);
    expect(dataplane.health()).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/not permitted.*`portcullis enforce reconcile`/),
    });
  } finally {
    await dataplane.close();
    ledger.close();
  }
});
