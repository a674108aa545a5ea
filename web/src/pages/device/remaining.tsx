import { useNow } from "../../ui/time.tsx";
import { useFormat, useWords } from "../../i18n/i18n.tsx";

/** The remaining time, with the exact end on hover. */
export function Remaining({ until }: { readonly until: string }) {
  const say = useWords().device.exceptions;
  const [now, format] = [useNow(), useFormat()];
  const left = Math.max(0, (new Date(until).getTime() - now.getTime()) / 1000);
  return (
    <time dateTime={until} title={format.exact(new Date(until))}>
      {say.left(left < 3600 ? format.countdown(left) : format.duration(left))}
    </time>
  );
}
