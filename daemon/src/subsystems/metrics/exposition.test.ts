import { type Metric, metricCatalogue, type Readings, sampleName } from "@portcullis/contract/metric-catalogue";
import fc from "fast-check";
import { expect, test } from "vitest";
import { promtool, samplesIn } from "../../../../testing/metrics.ts";
import { exposition, formatFor } from "./exposition.ts";
import { facts } from "../../../../testing/metric-facts.ts";
import { readingsOf } from "./readings.ts";

const all = Object.entries(metricCatalogue) as [string, Metric][];
const textOf = (changed: Parameters<typeof facts>[0], format: "prometheus" | "openmetrics" = "prometheus") =>
  exposition(readingsOf(facts(changed)), format);

test("metrics: Prometheus takes the text, and finds nothing against its conventions", () => {
  expect(promtool(["check", "metrics"], textOf({}))).toEqual({ status: 0, output: "" });
  expect(promtool(["check", "metrics"], 'portcullis_x{a="b} 1\n').status).not.toBe(0);
});

test("metrics: names of tunnels and devices of any kind do not break the text", () => {
  const nasty = [
    '"',
    "\\",
    "\n",
    "\\n",
    '\\"',
    "}",
    '{a="b"} 1',
    "# EOF",
    "",
    " ",
    "é",
    "隧道",
    "🙂",
    "\u0000",
    "\r",
    "\u2028",
    "\ud800",
  ];
  const text = textOf({ tunnels: nasty.map((name, at) => ({ ...facts({}).tunnels[0]!, id: String(at), name })) });
  expect(promtool(["check", "metrics"], text)).toEqual({ status: 0, output: "" });
  const shown = samplesIn(text).filter(({ name }) => name === "portcullis_tunnel_rtt_seconds");
  expect(shown.map(({ labels }) => labels["id"])).toEqual(nasty.map((_, at) => String(at)));
});

test("metrics: a label value is read back as it was, except for control characters", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 5 }), (names) => {
      const tunnels = names.map((name, at) => ({ ...facts({}).tunnels[0]!, id: String(at), name }));
      for (const format of ["prometheus", "openmetrics"] as const) {
        const text = textOf({ tunnels }, format);
        const lines = text.split("\n").filter((line) => line.startsWith("portcullis_tunnel_rtt_seconds"));
        const read = samplesIn(lines.join("\n"));
        expect(read.map(({ labels }) => labels["tunnel"])).toEqual(
          names.map((name) => name.toWellFormed().replace(/(?!\n)[\p{Cc}\u2028\u2029]/gu, "\ufffd")),
        );
      }
    }),
    { numRuns: 25 },
  );
});

test("metrics: OpenMetrics has families without suffix, units, and its end", () => {
  const text = textOf({}, "openmetrics");
  expect(text.endsWith("\n# EOF\n")).toBe(true);
  expect(text.match(/# EOF/g)).toHaveLength(1);
  expect(text).toContain("# TYPE portcullis_http_requests counter\nportcullis_http_requests_total{");
  expect(text).toContain("# TYPE portcullis_build info\nportcullis_build_info{");
  expect(text).toContain("# UNIT process_resident_memory_bytes bytes\n");
  expect(textOf({})).toContain("# TYPE portcullis_http_requests_total counter\nportcullis_http_requests_total{");
  expect(textOf({})).not.toMatch(/# (EOF|UNIT)/);
});

test("metrics: no metric has more series than its maximum, and omitted ones are counted", () => {
  const [tunnel] = facts({}).tunnels;
  const tunnels = Array.from({ length: 257 }, (_, at) => ({ ...tunnel!, id: String(at) }));
  const samples = samplesIn(textOf({ tunnels }));
  for (const [name, metric] of all)
    expect(samples.filter((it) => it.name === sampleName(name, metric)).length).toBeLessThanOrEqual(metric.series);
  const omitted = (changed: Parameters<typeof facts>[0]) =>
    samplesIn(textOf(changed)).find(({ name }) => name === "portcullis_metrics_omitted_series")?.value;
  expect(omitted({})).toBe(0);
  expect(omitted({ tunnels })).toBe(5 + 5); // The statuses of one tunnel, and its five other metrics.
});

test("metrics: every series of an answer is different", () => {
  const samples = samplesIn(textOf({})).map(({ name, labels }) => JSON.stringify([name, labels]));
  expect(new Set(samples).size).toBe(samples.length);
});

test("metrics: the catalogue keeps the conventions of OpenMetrics, and is bounded", () => {
  for (const [name, { type, unit, labels, series, help }] of all) {
    expect(name).toMatch(/^(portcullis|process)_[a-z_]+[a-z]$/);
    expect(name).not.toMatch(/_(total|info|count|sum|bucket|created)$/);
    expect([name, unit === undefined || name.endsWith(`_${unit}`)]).toEqual([name, true]);
    expect([name, /_(seconds|bytes|ratio)$/.test(name)]).toEqual([name, unit !== undefined]);
    expect([name, series === 1 || Object.keys(labels).length > 0]).toEqual([name, true]);
    expect([name, Object.keys(labels).some((it) => /device|mac|client|address$/.test(it) && it !== "address")]).toEqual(
      [name, false],
    );
    expect([name, type === "info" ? series : 1]).toEqual([name, 1]);
    expect(help).toMatch(/^[A-Z0-9][^\n]*[^.]$/);
  }
  expect(all.reduce((sum, [, { series }]) => sum + series, 0)).toBeLessThan(10_000);
});

test("metrics: what is not known is absent, and not zero", () => {
  const known = (readings: Partial<Readings>) =>
    samplesIn(exposition({ ...readingsOf(facts({})), ...readings }, "prometheus")).map(({ name }) => name);
  expect(known({})).toContain("portcullis_leaking_devices");
  expect(known({ portcullis_leaking_devices: null })).not.toContain("portcullis_leaking_devices");
  expect(textOf({ traffic: undefined })).not.toContain("portcullis_tunnel_sent_bytes");
  expect(textOf({ traffic: new Map() })).toMatch(/portcullis_tunnel_sent_bytes_total\{[^}]*\} 0\n/);
});

test.each([
  [undefined, "prometheus"],
  ["*/*", "prometheus"],
  ["text/plain", "prometheus"],
  ["application/json", "prometheus"],
  ["application/openmetrics-text", "openmetrics"],
  ["application/openmetrics-text;version=1.0.0", "openmetrics"],
  ['Application/OpenMetrics-Text; version="1.0.0"; charset=utf-8', "openmetrics"],
  ["application/openmetrics-text;version=0.0.1", "prometheus"],
  ["application/openmetrics-text;version=2.0.0", "prometheus"],
  ["application/openmetrics-text;q=0", "prometheus"],
  ["application/openmetrics-text;q=x", "prometheus"],
  ["application/openmetrics-text;q=0.3,text/plain;q=0.9", "prometheus"],
  // Prometheus 2.42 and 3.
  [
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
    "openmetrics",
  ],
  [
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,*/*;q=0.2",
    "openmetrics",
  ],
])("metrics: to the Accept header %s the answer is %s", (accept, format) => expect(formatFor(accept)).toBe(format));
