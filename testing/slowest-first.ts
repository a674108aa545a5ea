import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The order of the test runner, except that slow files of the gate's lab start first: in a fresh clone it knows only sizes, and a slow file that starts
 * last keeps one processor waiting. The slowest of the lab are short files that drive long scenarios.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => positionOf(one) - positionOf(other));
  }
}

function positionOf({ project, moduleId }: TestSpecification): number {
  const found = project.name === "gate-lab" ? slowFiles.findIndex((it) => moduleId.endsWith(`/${it}.lab.test.ts`)) : -1;
  return found === -1 ? slowFiles.length : found;
}

/** More than half a minute each on an idle machine, the slowest first. */
const slowFiles = [
  "lab/journeys/package",
  "lab/leaks/sequences",
  "lab/leaks/matrix",
  "lab/journeys/first-enforcement",
  "lab/journeys/guard",
  "lab/engines/proxies",
  "lab/journeys/pause-protection",
  "lab/journeys/exceptions",
  "lab/journeys/dns-never-early",
  "lab/journeys/confirm",
  "lab/engines/openvpn",
  "lab/journeys/controls",
  "lab/journeys/dhcp",
];
