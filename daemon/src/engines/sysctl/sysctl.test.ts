import { expect, test } from "vitest";
import type { System } from "../../system/system.ts";
import { sysctl } from "./sysctl.engine.ts";
import { accountingKey, leastLimits, pathOf } from "./sysctl.model.ts";

/** A kernel with these settings and no interfaces. */
function kernel(settings: Readonly<Record<string, string>>) {
  const values = new Map(Object.entries(settings).map(([key, value]) => [pathOf(key), value]));
  const written: string[] = [];
  const system: Pick<System, "list" | "readText" | "run"> = {
    list: () => [],
    readText: (path) => values.get(path),
    run: async (_, words) => {
      written.push(...words.filter((it) => it.includes("=")));
      return "";
    },
  };
  const engine = sysctl(system as System);
  const apply = async (desired: Readonly<Record<string, string>>) => {
    const actual = await engine.observe();
    const changes = engine.changes(desired, actual);
    if (changes.length > 0) await engine.apply(changes);
    return engine.drift(changes, actual);
  };
  return { apply, written };
}

const [limit = "", larger = ""] = ["gc_thresh2", "gc_thresh3"].map((it) => `net.ipv4.neigh.default.${it}`);

test("kernel settings: what differs is written and reported, and nothing else", async () => {
  const { apply, written } = kernel({ [accountingKey]: "0", "net.ipv4.ip_forward": "1" });
  expect(await apply({ [accountingKey]: "1", "net.ipv4.ip_forward": "1" })).toEqual([
    { resource: accountingKey, field: "value", expected: "1", actual: "0" },
  ]);
  expect(written).toEqual([`${accountingKey}=1`]);
});

test("kernel settings: the limits of the table of neighbours are raised for 10,000 devices, and never lowered", async () => {
  const small = kernel({ [limit]: "512", [larger]: "1024" });
  await small.apply({});
  expect(small.written).toEqual([`${limit}=${leastLimits[limit]}`, `${larger}=${leastLimits[larger]}`]);
  expect(Number(leastLimits[limit])).toBeGreaterThan(10_000);
  const large = kernel({ [limit]: "100000", [larger]: "200000" });
  expect([await large.apply({}), large.written]).toEqual([[], []]);
});

test("kernel settings: in a network namespace, which has no limits of neighbours, none is written or missing", async () => {
  const { apply, written } = kernel({});
  expect([await apply({}), written]).toEqual([[], []]);
});
