import { defineConfig } from "rolldown";
import { sourcesAt } from "./scripts/sources.ts";

const { commit, date } = sourcesAt(process.env);

/** Four programs, one file each: nothing of node_modules is needed to run them. The daemon's thread for lists is a fifth. */
export default defineConfig([
  program("portcullisd", "daemon/src/main.ts"),
  program("portcullis-lists", "daemon/src/engines/lists/lists.worker.ts"),
  program("portcullis-dns-proxy", "daemon/src/dns-proxy/main.ts"),
  program("portcullis-socks-listener", "daemon/src/socks-listener/main.ts"),
  program("portcullis", "cli/src/main.ts"),
]);

function program(name: string, input: string) {
  return {
    input,
    platform: "node" as const,
    transform: { define: { __BUILD_COMMIT__: JSON.stringify(commit), __BUILD_DATE__: JSON.stringify(date) } },
    output: { file: `dist/${name}.mjs`, format: "esm" as const, sourcemap: true, codeSplitting: false },
  };
}
