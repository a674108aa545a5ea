import { dirname, join } from "node:path";

/** A program of ours that an engine starts: its source, or the bundle beside this one. */
export function ownProgram(name: "dns-proxy" | "socks-listener"): { readonly folder: string; readonly file: string } {
  const here = dirname(import.meta.filename);
  return import.meta.filename.endsWith(".ts")
    ? { folder: join(here, "..", name), file: "main.ts" }
    : { folder: here, file: `portcullis-${name}.mjs` };
}
