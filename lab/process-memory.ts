import { readFileSync } from "node:fs";

/** Resident memory of a process in MB: now, and at its maximum so far. */
export function memoryOf(processId: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${processId}/status`, "utf8");
  const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)![1]) / 1024;
  return { now: megabytes("VmRSS"), most: megabytes("VmHWM") };
}
