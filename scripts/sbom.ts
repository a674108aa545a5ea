import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { version } from "../contract/src/version.ts";
import { packageRelations } from "./package/control.ts";
import { billOfMaterials, type Lock } from "./release/sbom.ts";
import { sourcesAt } from "./sources.ts";

/* `npm run sbom`: prints the software bill of materials of this checkout, as CycloneDX. */
const root = resolve(import.meta.dirname, "..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
const time = new Date(sourcesAt(process.env, root).date);
const document = billOfMaterials({ lock, version, time, node: process.versions, engines: packageRelations });
process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
