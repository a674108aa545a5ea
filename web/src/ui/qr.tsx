import { encodeQR } from "qr";
import { useMemo } from "react";

/** For a phone's camera. Black on white in both themes, which cameras need. Inline: the page may load no data URLs. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { side, path } = useMemo(() => squaresOf(encodeQR(text, "raw")), [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${side} ${side}`} shapeRendering="crispEdges" role="img" aria-label={label}>
      <path d={path} fill="#000000" />
    </svg>
  );
}

function squaresOf(rows: readonly (readonly boolean[])[]): { readonly side: number; readonly path: string } {
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return { side: rows.length, path };
}
