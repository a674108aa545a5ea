import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Format } from "../i18n/format.ts";
import { useFormat } from "../i18n/i18n.tsx";
import type { ChartProps } from "./chart-props.ts";

const heightPx = 180;

/** The chart canvas. Loaded only where a chart is shown. */
export function Drawing({ label, times, series, unit }: ChartProps) {
  const format = useFormat();
  const index = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot>(undefined);
  const shape = series.map(({ name, colour }) => `${name} ${colour}`).join();
  useEffect(() => {
    const host = index.current!;
    const draw = () => {
      drawn.current?.destroy();
      drawn.current = new uPlot(optionsFor(host, series, unit, format), dataOf(times, series), host);
    };
    draw();
    const fit = new ResizeObserver(() => drawn.current?.setSize({ width: host.clientWidth, height: heightPx }));
    fit.observe(host);
    // A canvas does not follow style sheets: it is drawn again when the theme changes.
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", draw);
    return () => {
      fit.disconnect();
      theme.disconnect();
      system.removeEventListener("change", draw);
      drawn.current?.destroy();
      drawn.current = undefined;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- new values are drawn below; only a new layout is created again
  }, [shape]);
  useEffect(() => drawn.current?.setData(dataOf(times, series)), [times, series]);
  return <div className="chart-space" ref={index} role="img" aria-label={label} />;
}

const dataOf = (times: ChartProps["times"], series: ChartProps["series"]): uPlot.AlignedData => [
  times.map((time) => time.getTime() / 1000),
  ...series.map(({ values }) => [...values]),
];

function optionsFor(
  host: HTMLElement,
  series: ChartProps["series"],
  unit: ChartProps["unit"],
  format: Format,
): uPlot.Options {
  const [quiet, line] = [colourOf(host, "--quiet"), colourOf(host, "--line")];
  const grid = { stroke: line, width: 1 };
  return {
    width: host.clientWidth,
    height: heightPx,
    cursor: { drag: { x: false, y: false } },
    legend: { live: true },
    scales: { y: { range: (_, __, max) => [0, Math.max(max, 1) * 1.1] } },
    axes: [
      { stroke: quiet, grid, values: (_, splits) => splits.map((at, index) => tickOf(at, splits[index - 1], format)) },
      { stroke: quiet, grid, size: 72, values: (_, values) => values.map(unit) },
    ],
    series: [
      { value: (_, at: number | null) => (at === null ? "–" : format.exact(new Date(at * 1000))) },
      ...series.map(({ name, colour }) => ({
        label: name,
        stroke: colourOf(host, colour),
        width: 1.5,
        points: { show: false },
        value: (_: uPlot, value: number | null) => (value === null ? "–" : unit(value)),
      })),
    ],
  };
}

/** The time label on the axis; the date where a new day begins. */
function tickOf(at: number, before: number | undefined, format: Format): string {
  const date = new Date(at * 1000);
  const isSameDay = before !== undefined && new Date(before * 1000).toDateString() === date.toDateString();
  return before === undefined || isSameDay ? format.minute(date) : format.date(date);
}

/** A token's colour in the current theme. */
function colourOf(host: HTMLElement, token: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
