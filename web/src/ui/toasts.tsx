import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from "react";
import { useTranslation } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";
import { sentenceOf } from "./problem.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly failed: boolean;
  readonly undo: (() => void) | undefined;
}
interface Toaster {
  /** With `undo`, the action can be reverted for a while. */
  readonly done: (text: string, undo?: () => void) => void;
  readonly failed: (problem: Error) => void;
  /** A failure in the middle. With `undo`, what was done before it can be reverted. */
  readonly partly: (text: string, undo?: () => void) => void;
}
const Toasting = createContext<Toaster>({ done: () => {}, failed: () => {}, partly: () => {} });
export const useToast = (): Toaster => useContext(Toasting);

const shownMs = 8000;
const maxShown = 4;

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const { ui } = useTranslation();
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const lastId = useRef(0);
  const dismiss = useCallback((gone: number) => setToasts((all) => all.filter(({ id }) => id !== gone)), []);
  const show = useCallback(
    (text: string, failed: boolean, undo?: () => void) => {
      const id = (lastId.current += 1);
      setToasts((all) => [...all, { id, text, failed, undo }].slice(-maxShown));
      // An error stays until it is dismissed.
      if (!failed) setTimeout(() => dismiss(id), shownMs);
    },
    [dismiss],
  );
  const toaster = useMemo<Toaster>(
    () => ({
      done: (text, undo) => show(text, false, undo),
      failed: (problem) => show(sentenceOf(problem, ui.unreachable), true),
      partly: (text, undo) => show(text, true, undo),
    }),
    [show, ui],
  );
  return (
    <Toasting value={toaster}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, failed, undo }) => (
          <div key={id} className={failed ? "toast failed" : "toast"}>
            <span className="grow wrap">{text}</span>
            {undo && (
              <Button
                kind="quiet"
                onPress={() => {
                  dismiss(id);
                  undo();
                }}
              >
                {ui.undo}
              </Button>
            )}
            <Button kind="bare" icon="close" label={ui.dismiss} onPress={() => dismiss(id)} />
          </div>
        ))}
      </div>
    </Toasting>
  );
}
