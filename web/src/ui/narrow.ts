import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 719px)");

/** Whether tables are shown as cards. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      narrow.addEventListener("change", tell);
      return () => narrow.removeEventListener("change", tell);
    },
    () => narrow.matches,
  );
