#!/usr/bin/env node
import { existsSync } from "node:fs";

const built = new URL("../../dist/portcullis.mjs", import.meta.url);
if (!existsSync(built)) {
  console.error("portcullis is not built yet: run `npm run build` first");
  process.exit(1);
}
await import(built.href);
