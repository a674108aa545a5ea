import { useEffect, useState } from "react";

/** A value that changes only after the user stops typing: not every letter sends a request. */
export function useDebounced(value: string, afterMs = 250): string {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return debounced;
}
