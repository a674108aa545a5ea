import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { bodyTable } from "./body-table.ts";
import { routeTable } from "./route-table.ts";

const out = join(import.meta.dirname, "../dist/web");

/** In development `npm run dev` serves the API; in production the daemon serves these files itself. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), derived(), compressed()],
  build: { target: "es2024", outDir: out, emptyOutDir: true, modulePreload: { polyfill: false } },
  server: { proxy: { "/api": "http://127.0.0.1:8080" } },
});

/**
 * The client needs methods, paths and roles of the contract, not its schemas: a hundredth of the size. Forms need the kinds and
 * bounds of the fields of requests, and load them with the first page that has one.
 */
function derived(): Plugin {
  const sources: Readonly<Record<string, () => string>> = {
    "virtual:routes": () => `export const routes = ${JSON.stringify(routeTable())};`,
    "virtual:rules": () => `export const rules = ${JSON.stringify(bodyTable())};`,
  };
  return {
    name: "derived",
    resolveId: (source) => (Object.hasOwn(sources, source) ? `\0${source}` : undefined),
    load: (loaded) => sources[loaded.slice(1)]?.(),
  };
}

/** Compressed once at build time instead of at each request. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    closeBundle: () => {
      for (const file of readdirSync(out, { recursive: true, encoding: "utf8" })) {
        if (!/\.(?:js|css|html|svg|json)$/.test(file)) continue;
        const bytes = readFileSync(join(out, file));
        writeFileSync(join(out, `${file}.gz`), gzipSync(bytes, { level: 9 }));
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        writeFileSync(join(out, `${file}.br`), brotliCompressSync(bytes, { params }));
      }
    },
  };
}
