import type { ClockProbe } from "../../engines/unbound/clock.ts";

interface Needs {
  readonly probe: ClockProbe;
  readonly onChange: (ignoresDates: boolean) => void;
}

/** Whether the clock may be trusted with the dates of signatures: looked at soon after a start, and then now and again. */
export function openClockWatch({ probe, onChange }: Needs) {
  let ignoresDates = false;
  let looks = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function look(): Promise<void> {
    const before = ignoresDates;
    ignoresDates = await probe(before).catch(() => before);
    if (isClosed) return;
    looks += 1;
    if (ignoresDates !== before) onChange(ignoresDates);
    timer = setTimeout(() => void look(), pauseMs());
    timer.unref();
  }
  const pauseMs = (): number => (looks < 15 ? 2000 : ignoresDates ? 10_000 : 60_000);
  timer = setTimeout(() => void look(), 1000);
  timer.unref();
  return { ignoresDates: () => ignoresDates, close };

  function close(): void {
    isClosed = true;
    clearTimeout(timer);
  }
}
