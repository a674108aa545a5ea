import { useCallback } from "react";
import { useLocation } from "wouter";
import { navigate, useLocationProperty } from "wouter/use-browser-location";

/**
 * A search parameter of the URL: a filter or an open row, which can be shared. Empty removes it.
 * Subscribes to this parameter only: typing into one filter does not render components that use another.
 */
export function useSearchParam(name: string, otherwise = ""): readonly [string, (value: string) => void] {
  const value = useLocationProperty(() => new URLSearchParams(location.search).get(name) ?? otherwise);
  const set = useCallback(
    (next: string) => {
      const words = new URLSearchParams(location.search);
      if (next === "" || next === otherwise) words.delete(name);
      else words.set(name, next);
      navigate(words.size > 0 ? `${location.pathname}?${words}` : location.pathname, { replace: true });
    },
    [name, otherwise],
  );
  return [value, set];
}

/** Navigates to another page. */
export function useGo(): (to: string) => void {
  const [, go] = useLocation();
  return go;
}
