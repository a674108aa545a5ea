import { resolve } from "node:path";
import { writeDocuments } from "./documents.ts";
import { parts } from "./parts.ts";
import { readRecords } from "./record.ts";

/** `npm run proof:docs`: renders docs/proof.md, docs/figures.md and docs/lab-results.md from the records. */
const root = resolve(import.meta.dirname, "../..");
writeDocuments(root, parts, readRecords(resolve(root, "proof")));
