import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { api } from "@portcullis/contract/api";
import { version } from "@portcullis/contract/version";
import { referencePages } from "./reference/pages.ts";

/** `npm run reference`: writes docs/reference. A test fails while it differs from the contract. */
const folder = fileURLToPath(new URL("../docs/reference", import.meta.url));
const pages = Object.entries(referencePages(api, version));

await rm(folder, { recursive: true, force: true });
for (const [path, text] of pages) {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}
console.log(`docs/reference: ${pages.length} files`);
