import { type ReactNode, useDeferredValue } from "react";

/** Renders expensive content after its surroundings, interruptible by input. */
export function Later({ children, meanwhile }: { readonly children: ReactNode; readonly meanwhile: ReactNode }) {
  return useDeferredValue(true, false) ? children : meanwhile;
}
