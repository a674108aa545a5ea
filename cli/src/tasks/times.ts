import { pauseMinutes } from "@portcullis/contract/subsystems/pauses";
import { Misuse } from "../failure.ts";
import type { Reading } from "../screen/values.ts";
import { duration, timeWords } from "../screen/values.ts";

const written = /^(?:(\d{1,3})h)?(?:(\d{1,4})m(?:in)?)?$/;

/** `10m`, `2h` or `1h30m` → minutes. */
export function minutesOf(word: string, usage: string): number {
  const [, hours = "0", minutes = "0"] = written.exec(word) ?? [];
  const total = Number(hours) * 60 + Number(minutes);
  if (total >= 1 && total <= pauseMinutes.maximum) return total;
  throw new Misuse(
    `${JSON.stringify(word)} is not a duration from 1m to ${pauseMinutes.maximum / 60}h, such as 10m, 2h or 1h30m`,
    usage,
  );
}

/** `until 14:13, for 10 min`. */
export const untilWords = (at: string, reading: Reading): string =>
  `until ${timeWords(at, reading, "timestamp")}, for ${duration(Math.max(0, (Date.parse(at) - reading.now.getTime()) / 1000))}`;
