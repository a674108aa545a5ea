import { useConnection } from "../api/live.tsx";
import { useTranslation } from "../i18n/i18n.tsx";

export type StateName = "protected" | "blocked" | "direct" | "leaking" | "unknown";

/** A raised gate, a lowered gate, an open arch, a broken line, dashes: distinguishable without colour. */
const shapes: Readonly<Record<StateName, string>> = {
  protected: "M4 21V11a8 8 0 0 1 16 0v10M9 5v6M12 4v7M15 5v6M5 9h14",
  blocked: "M4 21V11a8 8 0 0 1 16 0v10M8.5 5v16M12 4v17M15.5 5v16M4 12h16M4 17h16",
  direct: "M4 21V11a8 8 0 0 1 16 0v10",
  leaking: "M3 12h6l2-5 2 10 2-5M18 12h3M12 2v1M12 21v1",
  unknown: "M4 12h3M10.5 12h3M17 12h3",
};

export function Glyph({ state }: { readonly state: StateName }) {
  return (
    <svg className={`icon state ${state}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={shapes[state]} fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}

/** While the gateway is unreachable no state is known: old states lose their shape and colour. */
export function useShownState(state: StateName): StateName {
  return useConnection().state === "stale" ? "unknown" : state;
}

/** A word, a shape and a colour, always all three. `text` replaces the default word. */
export function State({ state: known, text }: { readonly state: StateName; readonly text?: string }) {
  const t = useTranslation().ui.states;
  const state = useShownState(known);
  return (
    <span className={`state ${state}`}>
      <Glyph state={state} />
      {text ?? t[known]}
    </span>
  );
}
