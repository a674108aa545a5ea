import { type ReactNode, useDeferredValue } from "react";

/** Renders expensive content after the rest of the page, interruptible by input. */
export function Later({ children, meanwhile }: { readonly children: ReactNode; readonly meanwhile: ReactNode }) {
  return useDeferredValue(true, false) ? children : meanwhile;
}
