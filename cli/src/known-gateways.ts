import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Misuse } from "./failure.ts";

/** The stored entry of a gateway. */
export interface Known {
  /** Pin of the gateway's TLS key. */
  readonly pin?: string;
  /** API key that `portcullis login` has stored. */
  readonly key?: string;
}

/** The user's known gateways, by origin, in a file that only the user can read. */
export interface KnownGateways {
  readonly path: string;
  get(origin: string): Known;
  set(origin: string, known: Known): void;
  /** Returns whether there was an entry. */
  forget(origin: string): boolean;
}

export function knownGateways(path: string): KnownGateways {
  const read = (): Record<string, Known> => {
    const text = privateText(path);
    return text === undefined ? {} : parsed(text, path);
  };
  return {
    path,
    get: (origin) => read()[origin] ?? {},
    set: (origin, known) => write(path, { ...read(), [origin]: known }),
    forget: (origin) => {
      const { [origin]: forgotten, ...others } = read();
      if (forgotten !== undefined) write(path, others);
      return forgotten !== undefined;
    },
  };
}

/** The text of a file that may contain a key. A file that other users can read is refused, as ssh does. */
export function privateText(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if ((found.mode & 0o077) !== 0) throw new Misuse(`${path} can be read by other users; run: chmod 600 ${path}`);
  return readFileSync(path, "utf8");
}

function parsed(text: string, path: string): Record<string, Known> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object") return value as Record<string, Known>;
  } catch {
    // Reported below, together with JSON that is not an object.
  }
  throw new Misuse(`${path} is not the JSON that "portcullis login" writes; remove it and log in again`);
}

/** Replaced in one step, so that an interrupted write loses no other gateway's key. */
function write(path: string, known: Record<string, Known>): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.new`;
  writeFileSync(next, `${JSON.stringify(known, null, 2)}\n`, { mode: 0o600 });
  chmodSync(next, 0o600); // A file that an interrupted run left keeps its mode.
  renameSync(next, path);
}
