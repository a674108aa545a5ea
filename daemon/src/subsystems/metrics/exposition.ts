import {
  type Metric,
  metricCatalogue,
  type MetricName,
  type Readings,
  sampleName,
} from "@portcullis/contract/metric-catalogue";

/** Of Prometheus and of OpenMetrics. */
export type Format = "prometheus" | "openmetrics";

export const contentTypes: Readonly<Record<Format, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
type Family = readonly [name: MetricName, metric: Metric, samples: readonly Sample[]];

/** The metrics as text. A metric without a reading is left out. */
export function exposition(readings: Omit<Readings, "portcullis_metrics_omitted_series">, format: Format): string {
  const families = (Object.keys(metricCatalogue) as MetricName[])
    .filter((name) => name !== "portcullis_metrics_omitted_series")
    .map((name): Family => [name, metricCatalogue[name], samplesOf(readings[name])]);
  const omitted = families.reduce((sum, [, { series }, { length }]) => sum + Math.max(0, length - series), 0);
  const all: Family[] = [
    ...families,
    [
      "portcullis_metrics_omitted_series",
      metricCatalogue.portcullis_metrics_omitted_series,
      [{ labels: {}, value: omitted }],
    ],
  ];
  const text = all.filter(([, , samples]) => samples.length > 0).map((family) => familyText(family, format));
  return `${text.join("")}${format === "openmetrics" ? "# EOF\n" : ""}`;
}

function samplesOf(reading: Readings[MetricName]): readonly Sample[] {
  if (reading === null) return [];
  if (typeof reading === "number") return [{ labels: {}, value: reading }];
  return reading.flatMap(({ labels, value }) => (value === null ? [] : [{ labels, value }]));
}

function familyText([name, metric, samples]: Family, format: Format): string {
  const sample = sampleName(name, metric);
  const isOpen = format === "openmetrics";
  // OpenMetrics names the family, Prometheus the samples, and has no type of information.
  const shown = isOpen ? name : sample;
  const type = !isOpen && metric.type === "info" ? "gauge" : metric.type;
  return [
    `# HELP ${shown} ${escaped(metric.help, isOpen)}\n`,
    `# TYPE ${shown} ${type}\n`,
    ...(isOpen && metric.unit !== undefined ? [`# UNIT ${shown} ${metric.unit}\n`] : []),
    ...samples.slice(0, metric.series).map((it) => `${sample}${labelText(it.labels)} ${numberText(it.value)}\n`),
  ].join("");
}

function labelText(labels: Sample["labels"]): string {
  const pairs = Object.entries(labels);
  return pairs.length === 0 ? "" : `{${pairs.map(([name, value]) => `${name}="${escaped(value, true)}"`).join()}}`;
}

/** Control characters end a line, or the text, for some readers. A half of a surrogate pair is no UTF-8. */
const escaped = (text: string, withQuotes: boolean): string =>
  text
    .toWellFormed()
    .replace(/\\/g, "\\\\")
    .replace(/\n/g, "\\n")
    .replace(/"/g, withQuotes ? '\\"' : '"')
    .replace(/[\p{Cc}\u2028\u2029]/gu, "\ufffd");

const numberText = (value: number): string => {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
};

/** The form that an Accept header prefers: that of Prometheus, unless the other one is named, and preferred. */
export function formatFor(accept: string | undefined): Format {
  const ranges = (accept ?? "").split(",").map(rangeOf);
  const best = (fits: (it: Range) => boolean): number =>
    Math.max(0, ...ranges.filter(fits).map(({ quality }) => quality));
  const open = best(({ type, version }) => type === "application/openmetrics-text" && isOurs(version));
  return open > 0 && open >= best(({ type }) => type === "text/plain") ? "openmetrics" : "prometheus";
}

const isOurs = (version: string | undefined): boolean => version === undefined || version === "1.0.0";

interface Range {
  readonly type: string;
  readonly version: string | undefined;
  readonly quality: number;
}

function rangeOf(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const parameter = (name: string) =>
    parameters
      .find((it) => it.startsWith(`${name}=`))
      ?.slice(name.length + 1)
      .replaceAll('"', "");
  const quality = Number(parameter("q") ?? 1);
  return { type, version: parameter("version"), quality: Number.isNaN(quality) ? 0 : quality };
}
