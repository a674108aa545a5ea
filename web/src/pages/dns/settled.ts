import { useEffect, useState } from "react";

/** A word once nobody has typed on for a moment: not every letter is worth a question. */
export function useSettled(value: string, afterMs = 250): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
