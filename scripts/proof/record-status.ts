import { resolve } from "node:path";
import { parts } from "./parts.ts";
import { type Records, readRecords } from "./record.ts";
import { staleParts } from "./stale.ts";

/*
 * `node scripts/proof/record-status.ts`, for the gate: which parts of the proof are stale, and whether a record shows a broken
 * invariant. Only the latter fails.
 */
export function recordStatus(
  names: readonly string[],
  records: Records,
  stale: ReadonlySet<string>,
): { readonly lines: readonly string[]; readonly exitCode: 0 | 1 } {
  const missing = names.filter((name) => !records.has(name));
  const outdated = names.filter((name) => records.has(name) && stale.has(name));
  const broken = [...records.values()].filter(({ verdict }) => verdict === "broken");
  const lines = [
    ...(missing.length > 0 ? [`proof: without a record: ${missing.join(", ")}`] : []),
    ...(outdated.length > 0 ? [`proof: stale: ${outdated.join(", ")}`] : []),
    ...broken.map((record) => `proof: broken: ${record.part}: ${record.broken.join("; ")}`),
  ];
  return {
    lines: lines.length > 0 ? lines : ["proof: every part has a record for these sources"],
    exitCode: broken.length > 0 ? 1 : 0,
  };
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, "../..");
  const records = readRecords(resolve(root, "proof"));
  const names = parts.map(({ name }) => name);
  const { lines, exitCode } = recordStatus(names, records, staleParts(root, parts, records));
  for (const line of lines) console.log(line);
  process.exitCode = exitCode;
}
