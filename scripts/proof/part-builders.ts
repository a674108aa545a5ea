import type { Part } from "./part.ts";

/** What the built daemon consists of. */
export const daemon = ["contract/src/**", "daemon/src/**", "package-lock.json", "rolldown.config.ts"];
/**
 * Used by the DNS plane alone. Parts that do not send DNS queries leave it out: a change there is proved by the parts that
 * do, and the others stay valid.
 */
export const withoutDns = [
  ...["dnsdist", "dns-proxy", "lists", "nsd", "unbound"].map((engine) => `!daemon/src/engines/${engine}/**`),
  "!daemon/src/dns-proxy/**",
  "!daemon/src/subsystems/dns/**",
  "!daemon/src/subsystems/dns-log/**",
  "!daemon/src/ledger/dns-log*",
];
export const labSupport = ["lab/*", "testing/**"];
export const leakSupport = [...daemon, ...labSupport, "lab/leaks/**", "scripts/leak-*.ts"];
export const browserSupport = [...daemon, ...labSupport, "web/**", "e2e/*", "scripts/documentation/**"];

export const engines = (...names: readonly string[]): string[] =>
  names.map((name) => `lab/engines/${name}.lab.test.ts`);
export const journeys = (...names: readonly string[]): string[] =>
  names.map((name) => `lab/journeys/${name}.lab.test.ts`);

export function lab(
  name: string,
  promise: string,
  tests: readonly string[],
  { covers = [...daemon, ...labSupport], sizes = {} }: Partial<Pick<Part, "covers" | "sizes">> = {},
): Part {
  const steps = [{ kind: "tests", project: "lab*", files: tests }] as const;
  return { name, promise, kind: "lab", covers, tests, sizes, steps, needsBuild: true, needsRoot: true };
}

export function benchmark(group: string, promise: string, covers: readonly string[]): Part {
  return {
    name: `bench-${group}`,
    promise,
    kind: "benchmark",
    covers: [...covers, "bench/**", "testing/**"],
    tests: [],
    sizes: { BENCH_RUNS: 3 },
    steps: [{ kind: "script", script: "bench/run.ts", words: [group] }],
    needsBuild: true,
    needsRoot: true,
  };
}
