import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

/**
 * For lists of which only the rows in sight are built: what the reckoner of places has to know of rows.
 * Whoever jumps to the end arrives there only if rows out of sight are taken for as high as rows are, so the first one
 * that stands is measured. The keys are the same function until rows or height change: with another one, every place
 * would be reckoned anew at each look.
 */
export function useRowsInSight<T>(
  list: RefObject<HTMLElement | null>,
  rows: readonly T[],
  keyOf: (row: T, place: number) => string | number,
  guessPx: number,
) {
  const [usualPx, setUsualPx] = useState(guessPx);
  const isMeasured = useRef(false);
  useLayoutEffect(() => {
    const first = isMeasured.current ? null : list.current?.querySelector<HTMLElement>("[data-index]");
    if (!first) return;
    isMeasured.current = true;
    setUsualPx(first.offsetHeight);
  });
  // The list's frame is known only when everything in it stands. One look more, or it would stay empty until something
  // else changes.
  const [, setFramed] = useState(false);
  useLayoutEffect(() => setFramed(true), []);
  const getItemKey = useCallback(
    (place: number) => keyOf(rows[place]!, place),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
    [rows, usualPx],
  );
  return { count: rows.length, getScrollElement: () => list.current, estimateSize: () => usualPx, getItemKey };
}
