import { useNow } from "../ui/time.tsx";
import { useFormat, useTranslation } from "../i18n/i18n.tsx";

/** The remaining time, with the exact end on hover. */
export function Remaining({ until }: { readonly until: string }) {
  const t = useTranslation().device.exceptions;
  const [now, format] = [useNow(), useFormat()];
  const left = Math.max(0, (new Date(until).getTime() - now.getTime()) / 1000);
  return (
    <time dateTime={until} title={format.exact(new Date(until))}>
      {t.left(left < 3600 ? format.countdown(left) : format.duration(left))}
    </time>
  );
}
