import { type Metric, metricCatalogue, sampleName } from "@portcullis/contract/metric-catalogue";
import { blocks, code, generated, table } from "./markdown.ts";

/** metrics.md: every metric of GET /metrics. */
export const metricsPage = (): string =>
  blocks(
    generated,
    "# Metrics",
    "What `GET /api/v1/metrics` contains. A metric that is not known now is absent. Counters begin at 0 with each start of the daemon, or of the program that counts.",
    table(
      ["Metric", "Type", "Labels", "Most series", "Meaning"],
      (Object.entries(metricCatalogue) as [string, Metric][]).map(([name, metric]) => [
        code(sampleName(name, metric)),
        metric.type,
        Object.keys(metric.labels).map(code).join(", "),
        String(metric.series),
        metric.help,
      ]),
    ),
    "## Labels",
    table(["Label", "Value"], labels()),
  );

const labels = (): string[][] =>
  [
    ...new Map(
      (Object.values(metricCatalogue) as Metric[])
        .flatMap((metric) => Object.entries(metric.labels))
        .map(([label, value]) => [`${label} ${value}`, [code(label), value] as string[]] as const),
    ).values(),
  ].toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1));
