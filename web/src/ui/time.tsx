import { useEffect, useSyncExternalStore } from "react";
import { useFormat } from "../i18n/i18n.tsx";

/** One clock per tab: all relative times update together, and not while the tab is hidden. */
const clock = { now: new Date(), listeners: new Set<() => void>() };
setInterval(() => {
  if (document.visibilityState !== "visible" || clock.listeners.size === 0) return;
  clock.now = new Date();
  for (const notify of clock.listeners) notify();
}, 1000);

export function useNow(): Date {
  useEffect(() => void (clock.now = new Date()), []);
  return useSyncExternalStore(
    (notify) => {
      clock.listeners.add(notify);
      return () => void clock.listeners.delete(notify);
    },
    () => clock.now,
  );
}

/** "4 minutes ago", with the exact time on hover. */
export function Ago({ at, none = "–" }: { readonly at: string | null | undefined; readonly none?: string }) {
  return at == null ? <span>{none}</span> : <KnownAgo at={at} />;
}

function KnownAgo({ at }: { readonly at: string }) {
  const [now, format] = [useNow(), useFormat()];
  const date = new Date(at);
  return (
    <time dateTime={at} title={format.exact(date)}>
      {format.ago(date, now)}
    </time>
  );
}
