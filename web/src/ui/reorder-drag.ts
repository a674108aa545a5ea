import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useRef, useState } from "react";

interface Held {
  readonly key: string;
  readonly from: number;
  /** The position if it were dropped now. */
  readonly to: number;
}
export interface Drag {
  readonly held: Held | undefined;
  readonly take: (event: ReactPointerEvent, key: string, from: number) => void;
}

/** Within this distance of an edge, the list scrolls. */
const edgePx = 48;
const fastestPx = 14;

/** A dragged row. Events are handled on the window: the row may leave the document while the list scrolls. */
export function useDrag(scroller: RefObject<HTMLElement | null>, drop: (key: string, to: number) => void): Drag {
  const [held, setHeld] = useState<Held>();
  const now = useRef<Held>(undefined);
  const pointer = useRef({ x: 0, y: 0 });
  const dropped = useRef(drop);
  useEffect(() => void (dropped.current = drop));
  const isHeld = held !== undefined;
  useEffect(() => {
    if (!isHeld) return;
    const hold = (next: Held | undefined) => {
      now.current = next;
      setHeld(next);
    };
    const look = () => {
      const to = indexUnder(scroller.current, pointer.current, now.current!.from);
      if (to !== undefined && to !== now.current!.to) hold({ ...now.current!, to });
    };
    const follow = (event: PointerEvent) => {
      pointer.current = { x: event.clientX, y: event.clientY };
      look();
    };
    const letGo = () => {
      const { key, from, to } = now.current!;
      hold(undefined);
      if (to !== from) dropped.current(key, to);
    };
    const giveUp = (event: Event) => {
      if (event instanceof KeyboardEvent && event.key !== "Escape") return;
      hold(undefined);
    };
    let shell = requestAnimationFrame(function scroll() {
      if (scrollAtEdge(scroller.current, pointer.current.y)) look();
      shell = requestAnimationFrame(scroll);
    });
    addEventListener("pointermove", follow);
    addEventListener("pointerup", letGo);
    addEventListener("pointercancel", giveUp);
    addEventListener("keydown", giveUp);
    return () => {
      cancelAnimationFrame(shell);
      removeEventListener("pointermove", follow);
      removeEventListener("pointerup", letGo);
      removeEventListener("pointercancel", giveUp);
      removeEventListener("keydown", giveUp);
    };
  }, [isHeld, scroller]);
  return {
    held,
    take: (event, key, from) => {
      if (event.button !== 0) return;
      pointer.current = { x: event.clientX, y: event.clientY };
      now.current = { key, from, to: from };
      setHeld(now.current);
    },
  };
}

/** The new position for this pointer position: over the nearer half of a row, it takes its position. */
function indexUnder(list: HTMLElement | null, { y }: { readonly y: number }, from: number): number | undefined {
  const shell = list?.getBoundingClientRect();
  if (!list || !shell) return undefined;
  const row = [...list.querySelectorAll<HTMLElement>("[data-index]")]
    .map((it) => ({ index: Number(it.dataset["index"]), box: it.getBoundingClientRect() }))
    .filter(({ box }) => box.bottom > shell.top && box.top < shell.bottom)
    .toSorted((a, b) => distance(a.box, y) - distance(b.box, y))[0];
  if (!row) return undefined;
  const isUpperHalf = y < row.box.top + row.box.height / 2;
  if (row.index < from) return isUpperHalf ? row.index : row.index + 1;
  if (row.index > from) return isUpperHalf ? row.index - 1 : row.index;
  return from;
}

const distance = ({ top, bottom }: DOMRect, y: number): number => (y < top ? top - y : y > bottom ? y - bottom : 0);

/** The list, or the page if the list is not higher than the window. */
function scrollAtEdge(list: HTMLElement | null, y: number): boolean {
  if (!list) return false;
  const own = list.scrollHeight > list.clientHeight + 1;
  const { top, bottom } = own ? list.getBoundingClientRect() : { top: 0, bottom: innerHeight };
  const [high, low] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
  const depth = y < high + edgePx ? y - high - edgePx : y > low - edgePx ? y - low + edgePx : 0;
  if (depth === 0) return false;
  const by = Math.round(Math.max(-1, Math.min(1, depth / edgePx)) * fastestPx || 0);
  (own ? list : document.scrollingElement)?.scrollBy(0, by);
  return by !== 0;
}
