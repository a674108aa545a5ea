import { defineConfig } from "vitest/config";
import { scenarioFiles } from "./scripts/gate/scenarios.ts";
import { SlowestFirst } from "./testing/slowest-first.ts";

/**
 * Files of the lab that mostly wait and measure nothing that other load could disturb: two run concurrently. All others measure
 * durations or losses, and run one after the other.
 */
const concurrentFiles = [
  ...inFolder("engines", ["bridge", "dns-proxy", "nsd", "openvpn", "proxies", "wireguard"]),
  ...inFolder("journeys", [
    "captive",
    "controls",
    "dhcp",
    "dns-never-early",
    "dns-never-wrong",
    "reverse-path",
    "router-advertisements",
    "segments",
    "vlans",
  ]),
  ...inFolder("journeys", ["dns-egress", "dns-per-egress", "enforcement", "evaluate", "evaluator", "exceptions"]),
  ...inFolder("journeys", [
    "guard",
    "guard-boot",
    "guard-servers",
    "hits",
    "lan-destinations",
    "leak-check",
    "leak-monitor",
    "leaks",
  ]),
  ...inFolder("journeys", [
    "guide",
    "listeners",
    "missing-programs",
    "package",
    "package-debian13",
    "packaging",
    "policy-windows",
    "protected-sources",
    "splitting",
    "survival",
  ]),
];

const inLab = { testTimeout: 900_000, setupFiles: ["testing/setup-lab.ts"] };

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `lab/${folder}/${name}.lab.test.ts`);
}

/**
 * `unit` and `api` are `npm test`: their files share a worker's modules, which halves the time. `crash` kills real daemons
 * for minutes; `lab` needs root and network namespaces (`--project "lab*"` is all of it), `e2e` a browser besides.
 *
 * Timeouts here only stop tests that hang. Limits in seconds are deadlines (`testing/deadline.ts`).
 */
export default defineConfig({
  test: {
    maxWorkers: "100%",
    sequence: { sequencer: SlowestFirst },
    tags: [{ name: "proof", description: "Too long for the gate; runs in `npm run proof` only." }],
    projects: [
      suite("unit", ["{contract,daemon,cli,web,architecture,scripts,testing}/**/*.test.ts"], {
        isolate: false,
        exclude: ["**/*.{api,crash,lab}.test.ts"],
      }),
      suite("api", ["{daemon,cli,testing}/**/*.api.test.ts"], { isolate: false }),
      suite("crash", ["**/*.crash.test.ts"], { testTimeout: 3_600_000, maxWorkers: 2 }),
      suite("lab-concurrent", concurrentFiles, { ...inLab, maxWorkers: 2, sequence: { groupOrder: 1 } }),
      suite("lab", ["lab/**/*.lab.test.ts"], {
        ...inLab,
        fileParallelism: false,
        sequence: { groupOrder: 2 },
        exclude: concurrentFiles,
      }),
      suite("gate-lab", scenarioFiles, { ...inLab, maxWorkers: 3 }),
      suite("e2e", ["e2e/**/*.e2e.test.ts"], { ...inLab, fileParallelism: false }),
    ],
  },
});

interface Options {
  readonly testTimeout?: number;
  readonly setupFiles?: string[];
  readonly isolate?: boolean;
  readonly fileParallelism?: boolean;
  readonly maxWorkers?: number;
  readonly sequence?: { readonly groupOrder: number };
  readonly exclude?: readonly string[];
}

function suite(name: string, include: string[], { exclude = [], ...options }: Options) {
  return {
    test: {
      name,
      include,
      exclude: ["**/node_modules/**", "dist/**", ...exclude],
      setupFiles: ["testing/setup.ts"],
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000 } },
      ...options,
    },
  };
}
