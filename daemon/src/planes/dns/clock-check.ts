import type { ClockProbe } from "../../engines/unbound/clock.ts";

interface Needs {
  readonly probe: ClockProbe;
  readonly onChange: (ignoresDates: boolean) => void;
}

/** Whether the clock is right enough to check the dates of signatures. Often after a start, then less often. */
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
