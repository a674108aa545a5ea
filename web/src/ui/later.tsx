import { type ReactNode, useDeferredValue } from "react";

/** What takes long to build is built when what stands around it has been shown, and gives way to whoever types or taps. */
export function Later({ children, meanwhile }: { readonly children: ReactNode; readonly meanwhile: ReactNode }) {
  return useDeferredValue(true, false) ? children : meanwhile;
}
