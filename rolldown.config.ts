import { defineConfig } from "rolldown";

/** Two programs, one file each: nothing of node_modules is needed to run them. */
export default defineConfig([program("portcullisd", "daemon/src/main.ts"), program("portcullis", "cli/src/main.ts")]);

function program(name: string, input: string) {
  return {
    input,
    platform: "node" as const,
    output: { file: `dist/${name}.mjs`, format: "esm" as const, sourcemap: true, codeSplitting: false },
  };
}
