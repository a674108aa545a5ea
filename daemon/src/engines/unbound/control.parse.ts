import type { RuntimeState } from "./unbound.diff.ts";

/** The commands that read Unbound's state, and the parser of their output. Undefined if one of them failed. */
export const stateCommands = ["list_insecure", "list_local_zones", "get_option val-override-date"] as const;

export function parseRuntimeState([insecure = "", zones = "", date = ""]: readonly string[]): RuntimeState | undefined {
  if ([insecure, zones, date].some((text) => /^error\b/.test(text)) || !/^\d+\s*$/.test(date)) return undefined;
  return {
    insecure: linesOf(insecure),
    localZones: new Map(linesOf(zones).map((line) => line.split(" ") as [string, string])),
    ignoresDates: date.trim() !== "0",
  };
}

/** How many answers it has held for false since it runs. */
export const parseBogusAnswers = (statistics: string): number =>
  Number(/^num\.answer\.bogus=(\d+)$/m.exec(statistics)?.[1] ?? 0);

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");
