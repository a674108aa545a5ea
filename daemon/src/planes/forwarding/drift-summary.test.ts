import { expect, test } from "vitest";
import { shownDrift, summarize } from "./drift-summary.ts";
import type { DriftItem } from "../../reconciler/reconciler.ts";

const at = "2026-11-17T20:00:00.000Z";
const item = (over: Partial<DriftItem>): DriftItem => ({
  at,
  type: "steering",
  resource: "portcullis classify",
  field: "rule",
  expected: '{"rule":{}}',
  actual: null,
  ...over,
});

test("drift summary: a removed table is one line, however much it contained", () => {
  const inside = Array.from({ length: 118 }, (_, n) => item({ resource: `portcullis chain${n}` }));
  const table = item({ resource: "portcullis", field: "table", expected: '{"table":{}}' });
  const about = { at, type: "steering", resource: "portcullis", field: "table", differences: 119 };
  const values = { expected: "table", coded_expected: { code: "drift_table" }, actual: null, coded_actual: null };
  expect(summarize([...inside, table])).toMatchObject([{ ...about, ...values }]);
});

test("drift summary: rules of one chain are one line with their counts, expected and actual", () => {
  const extra = { expected: null, actual: '{"rule":{}}' };
  expect(summarize([item({}), item({}), item(extra)])).toMatchObject([
    { resource: "portcullis classify", field: "rule", expected: "2 × rule", actual: "1 × rule", differences: 3 },
  ]);
  expect(summarize([item(extra)])).toMatchObject([{ expected: null, actual: "1 × rule", differences: 1 }]);
  expect(summarize([item({}), item({ field: "chain" })])).toMatchObject([
    { field: "rule, chain", expected: "1 × rule; 1 × chain", actual: null },
  ]);
});

test("drift summary: an element, a route or a setting is shown as it is", () => {
  const element = item({ resource: "portcullis mac_rank", field: "element 02:00:00:00:00:01", expected: "0x2" });
  const setting = item({ type: "sysctl", resource: "net.ipv4.ip_forward", field: "value", expected: "1", actual: "0" });
  expect(summarize([element, setting])).toMatchObject([
    { ...element, differences: 1 },
    { ...setting, coded_actual: { code: "literal", params: { text: "0" } }, differences: 1 },
  ]);
  expect(summarize([element, { ...element, field: "element 02:00:00:00:00:02" }])).toMatchObject([
    { resource: "portcullis mac_rank", field: "element", expected: "2 × element", actual: null, differences: 2 },
  ]);
});

test("drift summary: the same object at another time, and a table of another engine, are separate lines", () => {
  const later = item({ at: "2026-11-17T20:05:00.000Z" });
  const guard = item({ type: "guard", resource: "portcullis_guard forward" });
  const table = item({ resource: "portcullis", field: "table" });
  expect(summarize([later, table, item({}), guard]).map(({ at: when, resource }) => [when, resource])).toEqual([
    [later.at, "portcullis classify"],
    [at, "portcullis"],
    [at, "portcullis_guard forward"],
  ]);
});

test("drift: a word of an engine has a code, and what the kernel prints is shown as it is", () => {
  const process = item({ type: "dnsdist", resource: "direct", field: "process", expected: "running" });
  expect(shownDrift(process)).toMatchObject({ expected: "running", coded_expected: { code: "drift_running" } });
  expect(shownDrift(item({ expected: "0x2" }))).toMatchObject({ coded_expected: { code: "literal" } });
});
