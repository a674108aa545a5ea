import { type FocusEvent, type PointerEvent, type UIEvent, useEffect, useMemo, useRef, useState } from "react";

export interface Hold {
  /** Why the rows do not move, if they do not. */
  readonly reason: "button" | "looking" | "scrolled" | undefined;
  readonly press: (paused: boolean) => void;
  readonly listeners: ReturnType<typeof useListeners>["listeners"];
}

/** Rows keep still while the pointer or the focus is in them, or while the list is scrolled away from the newest. */
export function useHold(): Hold {
  const [pressed, press] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const { listeners, looking } = useListeners(setScrolled);
  const reason = pressed ? "button" : looking ? "looking" : scrolled ? "scrolled" : undefined;
  return { reason, press, listeners };
}

/** A value that is frozen while the pointer or the focus is in its element: a button stays under the pointer. */
export function useStill<T>(value: T): { readonly shown: T; readonly listeners: Hold["listeners"] } {
  const { reason, listeners } = useHold();
  const [shown, show] = useState(value);
  if (reason !== "looking" && shown !== value) show(value);
  return { shown, listeners };
}

/**
 * A row's menu is elsewhere in the document, but React events bubble through its parents. So an event that reaches the
 * list is marked, and the document handler, which runs last, recognises by the mark whether it came from the list. An
 * element that is removed under the pointer sends no leave event; the next element that is entered does.
 */
function useListeners(setScrolled: (scrolled: boolean) => void) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const marked = useRef<Event>(undefined);
  useEffect(() => {
    const over = (event: globalThis.PointerEvent) =>
      setPointed(event.pointerType === "mouse" && marked.current === event);
    const out = ({ relatedTarget }: globalThis.PointerEvent) => relatedTarget === null && setPointed(false);
    const focus = (event: Event) => setFocused(marked.current === event);
    document.addEventListener("pointerover", over);
    document.addEventListener("pointerout", out);
    document.addEventListener("focusin", focus);
    return () => {
      document.removeEventListener("pointerover", over);
      document.removeEventListener("pointerout", out);
      document.removeEventListener("focusin", focus);
    };
  }, []);
  const listeners = useMemo(
    () => ({
      onPointerOver: ({ nativeEvent }: PointerEvent) => void (marked.current = nativeEvent),
      onFocus: ({ nativeEvent }: FocusEvent) => void (marked.current = nativeEvent),
      onBlur: ({ relatedTarget }: FocusEvent) => relatedTarget === null && setFocused(false),
      onScrollCapture: ({ target }: UIEvent) => setScrolled((target as HTMLElement).scrollTop > 8),
    }),
    [setScrolled],
  );
  return { listeners, looking: pointed || focused };
}
