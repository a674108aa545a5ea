import { type RefObject, useLayoutEffect, useRef, useState } from "react";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size of an element, also after it changed; undefined before it is measured. */
export function useSize<E extends Element>(): readonly [RefObject<E | null>, Size | undefined] {
  const element = useRef<E>(null);
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      setSize((was) => (was?.width === width && was.height === height ? was : { width, height }));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, size];
}
