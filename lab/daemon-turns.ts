import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The CPU time of turns of a daemon's event loop; meanwhile it answers no request. */
interface DaemonTurns {
  /** The longest one that ended since then, in seconds; 0: none was long. */
  longestSince(ms: number): number;
}

/** Starts a daemon whose turns are measured. Its own programs, which inherit the environment, are not to run in Node. */
export async function withTurns<Daemon extends object>(
  folder: { readonly path: string },
  start: () => Promise<Daemon>,
): Promise<Daemon & DaemonTurns> {
  const file = join(folder.path, "long-turns");
  const { NODE_OPTIONS: options } = process.env;
  process.env["NODE_OPTIONS"] = `${options ?? ""} --import=${resolve("lab/turns-driver.ts")}`;
  process.env["LONG_TURNS"] = file;
  const starting = start();
  // The process has its environment.
  if (options === undefined) delete process.env["NODE_OPTIONS"];
  else process.env["NODE_OPTIONS"] = options;
  return Object.assign(await starting, {
    longestSince: (ms: number) =>
      Math.max(
        0,
        ...turnsIn(existsSync(file) ? readFileSync(file, "utf8") : "")
          .filter(({ atMs }) => atMs >= ms)
          .map(({ tookMs }) => tookMs / 1000),
      ),
  });
}

const turnsIn = (text: string): { readonly atMs: number; readonly tookMs: number }[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [atMs = 0, tookMs = 0] = line.split(" ").map(Number);
      return { atMs, tookMs };
    });
