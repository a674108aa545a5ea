import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

/**
 * For virtual lists: the options of the virtualizer that depend on rows.
 * Jumping to the end arrives there only if the estimated height of unmeasured rows is right, so the first rendered
 * row is measured. The key function is stable until rows or height change: otherwise the virtualizer would compute all
 * offsets again at each render.
 */
export function useVisibleRows<T>(
  list: RefObject<HTMLElement | null>,
  rows: readonly T[],
  keyOf: (row: T, index: number) => string | number,
  guessPx: number,
) {
  const [rowHeightPx, setRowHeightPx] = useState(guessPx);
  const isMeasured = useRef(false);
  useLayoutEffect(() => {
    const first = isMeasured.current ? null : list.current?.querySelector<HTMLElement>("[data-index]");
    if (!first) return;
    isMeasured.current = true;
    setRowHeightPx(first.offsetHeight);
  });
  // The scroll element is known only after mounting. One more render, or the list would stay empty until something
  // else changes.
  const [, setFramed] = useState(false);
  useLayoutEffect(() => setFramed(true), []);
  const getItemKey = useCallback(
    (index: number) => keyOf(rows[index]!, index),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
    [rows, rowHeightPx],
  );
  return { count: rows.length, getScrollElement: () => list.current, estimateSize: () => rowHeightPx, getItemKey };
}
