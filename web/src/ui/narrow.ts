import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 719px)");

/** Whether tables are shown as cards. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (notify) => {
      narrow.addEventListener("change", notify);
      return () => narrow.removeEventListener("change", notify);
    },
    () => narrow.matches,
  );
