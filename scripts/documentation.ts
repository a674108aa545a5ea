import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSite } from "./documentation/site.ts";

/** The documentation that the daemon serves at /docs/. It is a part of the web files; the search index is compressed as well. */
const root = resolve(import.meta.dirname, "..");
const folder = join(root, "dist/web/docs");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
rmSync(folder, { recursive: true, force: true });
for (const [address, content] of buildSite(root, version)) {
  const path = join(folder, address);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  if (address.endsWith(".json")) writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
