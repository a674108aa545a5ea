/** A line over an area, in a box; the highest value touches the top. */
export function sparkPaths(
  values: readonly number[],
  { width, height }: { readonly width: number; readonly height: number },
): { readonly line: string; readonly area: string } {
  const [top, step] = [Math.max(...values, 1), width / Math.max(values.length - 1, 1)];
  const points = values.map((value, index) => {
    const y = height - 2 - (value / top) * (height - 6);
    return `${(index * step).toFixed(1)} ${y.toFixed(1)}`;
  });
  const line = points.length === 0 ? "" : `M${points.join("L")}`;
  return { line, area: line && `${line}V${height}H0Z` };
}
