import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { findingsOf } from "./findings.ts";

function found(part: string, files: Readonly<Record<string, string>>, output = "") {
  using folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder.path, name), content);
  const { figures, ...others } = findingsOf[part]!(folder.path, output);
  return { ...others, figures: Object.fromEntries(figures.map(({ name, value }) => [name, value])) };
}

test.each(Object.keys(findingsOf))("%s without any results has no findings", (part) => {
  expect(found(part, {})).toEqual({ passed: 0, broken: [], late: [], figures: {} });
});

test("findings: texts of the fuzzers are counted, and every finding is broken", () => {
  const output =
    "SEED=1 for 5 s\n120 texts, 7 of them read, 0 findings\nhosts, SEED=9: it threw\nhosts: 33 texts, 2 million characters, 1 findings\n";
  expect(found("fuzz", {}, output)).toEqual({
    passed: 1,
    broken: ["hosts, SEED=9: it threw"],
    late: [],
    figures: { "tunnel files tried": 120, "block lists tried, format hosts": 33 },
  });
});

const row = (leaked: number) => ({
  cells: [
    { sent: 10, leaked, control: 3 },
    { sent: 20, leaked: 0, control: 4 },
  ],
  findings: {},
});

test("findings: cells of the lab and of the virtual machine are added up", () => {
  const files = { "lab.json": JSON.stringify({ rows: [row(0), row(0)] }), "vm.json": JSON.stringify([row(2)]) };
  const output = "1 a fault: 0 of 30 leaked\nfault 1 (x): udp4 leaked 2 of 10\nit took 901 s, of 900\n2 complaints\n";
  expect(found("leak-matrix", files, output)).toEqual({
    passed: 2,
    broken: ["fault 1 (x): udp4 leaked 2 of 10"],
    late: ["it took 901 s, of 900"],
    figures: {
      "faults done": 3,
      "packets sent by the protected device": 90,
      "packets seen outside": 2,
      "other unexpected packets outside": 0,
      "packets seen outside in the controls": 21,
    },
  });
  expect(found("vm", files, "WRONG  fault 1 was not done\n")).toMatchObject({
    passed: 0,
    broken: ["fault 1 was not done"],
  });
});

test("findings: sequences are added up, and one in which something was seen is broken", () => {
  const run = { seed: 1, struck: [2, 3], missed: [], sent: 100, leaked: {}, findings: {}, healedSec: 1.5, seconds: 30 };
  const toPortal = { portal4: 7 };
  const lines = [
    { ...run, leaked: toPortal },
    { ...run, seed: 2, leaked: { udp4: 4, ...toPortal }, healedSec: 0.5 },
  ]
    .map((it) => `${JSON.stringify(it)}\n`)
    .join("");
  expect(found("leak-sequences", { "sequences.jsonl": lines })).toMatchObject({
    passed: 1,
    broken: ["sequence 2 (2, 3): udp4 leaked 4"],
    figures: {
      sequences: 2,
      "faults done": 4,
      "packets seen outside": 4,
      "longest recovery after the last fault": 1.5,
    },
  });
});

test("findings: a removal that leaks is broken", () => {
  const part = { id: "a", kind: "rule", table: "guard", place: "forward", text: "drop" };
  const mutations = [
    { part, leaks: ["phone udp4"], noticed: [{ situation: "alone", by: ["phone udp4"] }] },
    { part: { ...part, text: "accept" }, leaks: [], noticed: [] },
  ];
  const it = found("leak-layers", { "layers.json": JSON.stringify({ mutations }) });
  expect(it).toMatchObject({ passed: 1, figures: { "removals that leak with all other layers on": 1 } });
  expect(it.broken).toHaveLength(1);
});
