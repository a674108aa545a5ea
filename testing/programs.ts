import { join } from "node:path";

/** Whether the tests run the built programs, which start in a fifth of the time, or their sources. */
export const isBuilt = process.env["PORTCULLIS_BUILT"] === "1";

const program = (built: string, source: string): string => join(import.meta.dirname, "..", isBuilt ? built : source);
export const daemonProgram = program("dist/portcullisd.mjs", "daemon/src/main.ts");
export const cliProgram = program("dist/portcullis.mjs", "cli/src/main.ts");
