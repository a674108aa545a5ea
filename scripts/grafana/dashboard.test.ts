import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Metric, metricCatalogue, sampleName } from "@portcullis/contract/metric-catalogue";
import { expect, test } from "vitest";
import { dashboard, type Panel } from "./dashboard.ts";

const file = fileURLToPath(new URL("../../packaging/grafana/portcullis.json", import.meta.url));
const committed = JSON.parse(readFileSync(file, "utf8")) as ReturnType<typeof dashboard>;
const panels = committed.panels as readonly Panel[];
const graphs = panels.filter(({ type }) => type !== "row");

test("dashboard: the file in the package is up to date; `npm run grafana` regenerates it", () =>
  expect(committed).toEqual(JSON.parse(JSON.stringify(dashboard()))));

/** Samples → their labels. Prometheus itself adds instance and job. */
const known = new Map(
  (Object.entries(metricCatalogue) as [string, Metric][]).map(([name, metric]) => [
    sampleName(name, metric),
    [...Object.keys(metric.labels), "instance", "job"],
  ]),
);

/** What an expression uses that the catalogue does not have. */
function unknownIn(expression: string, legend: string): string[] {
  const metrics = [...expression.matchAll(/\b(?:portcullis|process)_\w+/g)].map(([name]) => name);
  const labelsOf = (name: string) => known.get(name) ?? [];
  const selected = [...expression.matchAll(/\b((?:portcullis|process)_\w+)\{([^}]*)\}/g)].flatMap(
    ([, name = "", inner = ""]) =>
      [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = ""]) => [name, label] as const),
  );
  const grouped = [...expression.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)].flatMap(([, inner = ""]) =>
    inner.split(/\s*,\s*/),
  );
  const shown = [...legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, label = ""]) => label);
  return [
    ...metrics.filter((name) => !known.has(name)),
    ...selected.flatMap(([name, label]) => (labelsOf(name).includes(label) ? [] : [`${name}{${label}}`])),
    ...[...grouped, ...shown].filter((label) => !metrics.every((name) => labelsOf(name).includes(label))),
    ...(metrics.length === 0 ? ["no metric"] : []),
  ];
}

test("dashboard: every expression uses metrics and labels of the catalogue", () => {
  const targets = graphs.flatMap(({ targets: each = [] }) => each);
  expect(targets.length).toBeGreaterThan(30);
  for (const { expr, legendFormat } of targets) expect([expr, unknownIn(expr, legendFormat)]).toEqual([expr, []]);
});

test.each([
  ["portcullis_tunnel_up", "", ["portcullis_tunnel_up"]],
  ['portcullis_ready{mac="x"}', "", ["portcullis_ready{mac}"]],
  ["sum by (device) (portcullis_tunnel_status)", "", ["device"]],
  ["portcullis_tunnel_rtt_seconds", "{{device}}", ["device"]],
  ["up", "", ["no metric"]],
  ['portcullis_tunnel_rtt_seconds{instance="x"}', "{{tunnel}}", []],
])("dashboard: the check sees what is wrong with %s %s", (expression, legend, wrong) =>
  expect(unknownIn(expression, legend)).toEqual(wrong),
);

test("dashboard: every panel has a unit and a title in plain English, and no two have the same", () => {
  for (const { title, fieldConfig } of graphs) {
    expect(title).toMatch(/^[A-Z][A-Za-z]+( [A-Za-z]+)*$/);
    expect([title, fieldConfig?.defaults.unit]).toEqual([title, expect.stringMatching(/^[a-z]+$/)]);
  }
  const titles = panels.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

test("dashboard: panels have ids of their own, do not overlap, and use the chosen data source", () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  expect(committed.templating.list[0]).toMatchObject({ name: "datasource", type: "datasource", query: "prometheus" });
  for (const { datasource, targets = [] } of graphs)
    for (const it of [{ datasource }, ...targets]) expect(it.datasource?.uid).toBe("${datasource}");
});

test("dashboard: it has the version of the format of current Grafana", () =>
  expect(committed.schemaVersion).toBeGreaterThanOrEqual(39));
