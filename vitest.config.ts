import { defineConfig } from "vitest/config";

/**
 * Four suites. `unit` and `api` are `npm test`; `crash` kills real daemons for minutes;
 * `lab` wants root and network namespaces.
 */
export default defineConfig({
  test: {
    projects: [
      suite("unit", ["{contract,daemon,cli,architecture,scripts}/**/*.test.ts"], 20_000, [
        "**/*.{api,crash,lab}.test.ts",
      ]),
      suite("api", ["{daemon,cli,testing}/**/*.api.test.ts"], 60_000),
      suite("crash", ["**/*.crash.test.ts"], 1_800_000),
      suite("lab", ["lab/**/*.lab.test.ts"], 120_000),
    ],
  },
});

function suite(name: string, include: string[], testTimeout: number, exclude: string[] = []) {
  return {
    test: { name, include, exclude: ["**/node_modules/**", "dist/**", ...exclude], testTimeout, hookTimeout: 60_000 },
  };
}
