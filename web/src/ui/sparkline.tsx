/** The last values as a line, newest at the right, with a text alternative. */
export function Sparkline({ points, text }: { readonly points: readonly number[]; readonly text: string }) {
  const [width, height] = [96, 24];
  const max = Math.max(...points, 1);
  const step = width / Math.max(points.length - 1, 1);
  const line = points
    .map((value, index) => `${(index * step).toFixed(1)},${(height - 2 - (value / max) * (height - 4)).toFixed(1)}`)
    .join(" ");
  return (
    <svg
      className="sparkline"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={text}
    >
      <polyline points={line} fill="none" stroke="var(--accent)" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
