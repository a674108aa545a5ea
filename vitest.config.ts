import { defineConfig } from "vitest/config";

/**
 * Five suites. `unit` and `api` are `npm test`: their files share a worker's modules, which halves the time.
 * `crash` kills real daemons for minutes; `lab` wants root and network namespaces, `e2e` a browser besides. Those
 * three measure time, so their files take turns.
 */
export default defineConfig({
  test: {
    maxWorkers: "100%",
    projects: [
      suite("unit", ["{contract,daemon,cli,web,architecture,scripts}/**/*.test.ts"], {
        testTimeout: 20_000,
        isolate: false,
        exclude: ["**/*.{api,crash,lab}.test.ts"],
      }),
      suite("api", ["{daemon,cli,testing}/**/*.api.test.ts"], { testTimeout: 60_000, isolate: false }),
      suite("crash", ["**/*.crash.test.ts"], { testTimeout: 1_800_000, fileParallelism: false }),
      suite("lab", ["lab/**/*.lab.test.ts"], { testTimeout: 120_000, fileParallelism: false }),
      suite("e2e", ["e2e/**/*.e2e.test.ts"], { testTimeout: 60_000, fileParallelism: false }),
    ],
  },
});

interface Options {
  readonly testTimeout: number;
  readonly isolate?: boolean;
  readonly fileParallelism?: boolean;
  readonly exclude?: readonly string[];
}

function suite(name: string, include: string[], { exclude = [], ...options }: Options) {
  return {
    test: { name, include, exclude: ["**/node_modules/**", "dist/**", ...exclude], hookTimeout: 60_000, ...options },
  };
}
