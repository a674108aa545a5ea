import { execFileSync } from "node:child_process";
import { dirname, resolve } from "node:path";

/**
 * Commit and date of the sources, never of the build: two builds of the same sources are the same bytes. Without
 * a repository both are unknown, unless SOURCE_DATE_EPOCH gives the date.
 */
export function sourcesAt(environment: Readonly<Record<string, string | undefined>>, folder = "."): Sources {
  const epoch = environment["SOURCE_DATE_EPOCH"];
  const date = /^\d{1,12}$/.test(epoch ?? "") ? utc(Number(epoch)) : undefined;
  const [commit, seconds] = committed(folder)?.split(" ") ?? [];
  return {
    commit: commit ?? "unknown",
    date: date ?? (seconds === undefined ? "unknown date" : utc(Number(seconds))),
  };
}

interface Sources {
  readonly commit: string;
  readonly date: string;
}

const utc = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

function committed(folder: string): string | undefined {
  try {
    const output = execFileSync("git", ["-C", folder, "log", "-1", "--format=%H %ct"], {
      stdio: ["ignore", "pipe", "ignore"],
      // Sources that were unpacked inside of another repository are not of that one.
      env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(resolve(folder)) },
    });
    return output.toString().trim() || undefined;
  } catch {
    return undefined; // No git, or no repository: an archive of the sources.
  }
}
