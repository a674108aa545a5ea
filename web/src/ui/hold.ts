import { type FocusEvent, type PointerEvent, type UIEvent, useEffect, useMemo, useRef, useState } from "react";

export interface Hold {
  /** Why nothing moves now, if nothing does. */
  readonly reason: "button" | "looking" | "scrolled" | undefined;
  readonly press: (paused: boolean) => void;
  readonly listeners: ReturnType<typeof useListeners>["listeners"];
}

/** Lines stand still while somebody points at them, has the keyboard in them or has scrolled away from the newest. */
export function useHold(): Hold {
  const [pressed, press] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const { listeners, looking } = useListeners(setScrolled);
  const reason = pressed ? "button" : looking ? "looking" : scrolled ? "scrolled" : undefined;
  return { reason, press, listeners };
}

/** A value that does not change while the pointer or the keyboard is in what shows it: a button stays under the finger. */
export function useStill<T>(value: T): { readonly shown: T; readonly listeners: Hold["listeners"] } {
  const { reason, listeners } = useHold();
  const [shown, show] = useState(value);
  if (reason !== "looking" && shown !== value) show(value);
  return { shown, listeners };
}

/**
 * A menu of a line stands elsewhere in the document, but is told as part of the line. So what reaches the list is marked
 * on its way, and the document, which hears of it last, knows by the mark whether it came from the list. What is taken
 * away under the pointer says no farewell; the next thing pointed at does.
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
