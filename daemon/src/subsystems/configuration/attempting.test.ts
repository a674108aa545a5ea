import { Problem } from "@portcullis/contract/problem";
import { expect, test } from "vitest";
import { ledgerInMemory } from "../../../../testing/ledger.ts";
import { attemptDocument } from "./attempting.ts";

interface Device {
  readonly id: string;
  readonly name: string;
  readonly mac: string;
}
const cause = { actor: "ada", action: "apply", resourceType: "configuration" };
const place = (index: number) => `02:00:00:00:${Math.floor(index / 90) + 10}:${(index % 90) + 10}`;

/** Gives each of `count` devices the MAC of another one; returns how often a device was updated. */
async function updatesFor(count: number, wanted: (index: number) => number): Promise<number> {
  const ledger = ledgerInMemory({ device: "at-once" });
  const devices = ledger.staged<Device>("device");
  ledger.change(cause, (draft) => {
    for (let at = 0; at < count; at++)
      draft.put("device", { id: `d${at}`, name: `device ${at}`, mac: place(at) } as Device);
  });
  let updates = 0;
  const update = (_: unknown, id: string, body: object) => {
    updates++;
    const device = { ...devices.get(id)!, ...body };
    if (devices.all().some((it) => it.id !== id && it.mac === device.mac)) throw new Problem("conflict", {});
    ledger.change(cause, (draft) => draft.put("device", device));
  };
  const document = {
    devices: Array.from({ length: count }, (_, at) => ({ name: `device ${at}`, mac: place(wanted(at)) })),
  };
  const { attempt } = await ledger.attempt({ publishes: false }, async (attempted) => {
    const nameOf = (_: string, id: string) => id;
    const pause = () => Promise.resolve();
    const operations = { device: { update } };
    await attemptDocument(
      { ledger, attempt: attempted, operations, nameOf, cause, isAdmin: true, pause },
      document,
      [],
    );
  });
  expect(attempt.differences()).toHaveLength(count);
  return updates;
}

test("configuration: a chain of resources that take over a value needs a few tries for each, in both orders", async () => {
  const count = 300;
  for (const step of [1, -1]) {
    const updates = await updatesFor(count, (index) => index + step + 1000);
    expect(updates).toBe(count);
  }
  expect(await updatesFor(count, (index) => index + 1)).toBeLessThanOrEqual(3 * count);
  expect(await updatesFor(count, (index) => (index === 0 ? count : index - 1))).toBeLessThanOrEqual(3 * count);
});

test("configuration: a document that makes little progress is refused after some passes", async () => {
  // Each pass ends one link: device 0 waits for the last one, which waits for device 1, and so on.
  const zigzag = (count: number) => {
    const order = Array.from({ length: count }, (_, at) => (at % 2 === 0 ? at / 2 : count - (at + 1) / 2));
    const next = new Map(order.map((it, at) => [it, order[at + 1] ?? count]));
    return updatesFor(count, (index) => next.get(index)!);
  };
  await expect(zigzag(100)).rejects.toThrow('devices "device 0": ');
  expect(await zigzag(16)).toBeGreaterThan(16);
});
