import { useCallback } from "react";
import { useLocation } from "wouter";
import { navigate, useLocationProperty } from "wouter/use-browser-location";

/**
 * A word of the page's address: a filter or an open row that can be sent to somebody. Empty takes it out.
 * Whoever asks hears of this word only: a letter typed into one filter builds nothing anew that looks at another.
 */
export function useAddress(name: string, otherwise = ""): readonly [string, (value: string) => void] {
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

/** Goes to another page. */
export function useGo(): (to: string) => void {
  const [, go] = useLocation();
  return go;
}
