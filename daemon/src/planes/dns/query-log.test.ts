import { expect, test } from "vitest";
import { deviceByAddress, type Placed } from "./query-log.ts";
import type { Ledger } from "../../ledger/ledger.ts";

const device = (id: string, ...ips: string[]): Placed => ({ id, name: id, mac: null, ips });

test("DNS log: the device of an address comes from the neighbour table, before that from the configuration", () => {
  let revision = 1;
  let looked = 0;
  let written = [device("tv", "10.0.0.7")];
  const ledger = {
    revision: () => revision,
    staged: () => ({ all: () => ((looked += 1), written) }),
  } as unknown as Pick<Ledger, "revision" | "staged">;
  let seen: readonly Placed[] | undefined;
  const deviceOf = deviceByAddress(ledger, () => seen);
  expect([deviceOf("10.0.0.7")?.id, deviceOf("10.0.0.8")?.id]).toEqual(["tv", undefined]);
  expect(looked).toBe(1);
  written = [device("tv", "10.0.0.8")];
  revision = 2;
  expect(deviceOf("10.0.0.8")?.id).toBe("tv");
  seen = [device("phone", "10.0.0.8"), device("tv", "10.0.0.9")];
  expect(["10.0.0.7", "10.0.0.8", "10.0.0.9"].map((it) => deviceOf(it)?.id)).toEqual([undefined, "phone", "tv"]);
});
