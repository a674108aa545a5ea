import { groups } from "./groups.ts";

/*
 * `one-run.ts GROUP`, started by run.ts: runs a group once and sends its figures to the parent. A process for each run, because
 * memory and compiled code of one run would change the figures of the next.
 */
process.once("disconnect", () => process.exit(1)); // The parent has ended.
const figures = await groups[process.argv[2]!]!();
for (const { name, value } of figures) if (!Number.isFinite(value)) throw new Error(`${name}: measured ${value}`);
process.send!(figures, () => process.exit(0));
