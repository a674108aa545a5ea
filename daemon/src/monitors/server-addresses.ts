import type { System } from "../system/system.ts";

/** Addresses of servers that are known by name. */
export interface Names {
  /** All names of which somebody needs the address, whenever that changes. */
  want(hosts: readonly string[]): void;
  /** Nothing when the name was never found. An address is its own answer. */
  readonly addressOf: (host: string) => string | undefined;
  /** For whoever has reason to doubt the answer. */
  readonly lookAgain: (host: string) => void;
  close(): void;
}

interface Needs {
  readonly system: System;
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Where the last good answers are kept; its folder must exist. */
  readonly file: string;
  readonly nowMs: () => number;
  readonly onChange: (host: string, address: string) => void;
}

interface Search {
  failures: number;
  askedAtMs: number;
  asking: boolean;
  next?: NodeJS.Timeout | undefined;
}

const freshMs = 600_000;
const retryMs = { least: 1000, most: 60_000 };
/** However many doubt an answer, nobody is asked more often. */
const spareMs = 1000;

export function openNames({ system, resolve, file, nowMs, onChange }: Needs): Names {
  const searches = new Map<string, Search>();
  const addresses = keptAddresses(system.readText(file) ?? "");

  function want(hosts: readonly string[]): void {
    const named = new Set(hosts.filter((host) => !isAddress(host)));
    for (const [host, { next }] of searches) {
      if (named.has(host)) continue;
      clearTimeout(next);
      searches.delete(host);
    }
    for (const host of named) {
      if (searches.has(host)) continue;
      const search: Search = { failures: 0, askedAtMs: nowMs(), asking: false };
      searches.set(host, search);
      void ask(host, search);
    }
  }

  async function ask(host: string, search: Search): Promise<void> {
    if (search.asking) return;
    clearTimeout(search.next);
    [search.asking, search.askedAtMs] = [true, nowMs()];
    const found = await resolve(host).catch(() => []); // Silence and "no such name" are the same: the old answer stays.
    search.asking = false;
    if (searches.get(host) !== search) return;
    search.failures = found.length === 0 ? search.failures + 1 : 0;
    search.next = setTimeout(() => void ask(host, search), waitMs(search.failures));
    take(host, found);
  }

  function take(host: string, found: readonly string[]): void {
    const address = bestOf(found, addresses.get(host));
    if (address === undefined || address === addresses.get(host)) return;
    addresses.set(host, address);
    keep();
    onChange(host, address);
  }

  function keep(): void {
    const wanted = [...addresses].filter(([host]) => searches.has(host));
    try {
      system.writeAtomically(file, `${JSON.stringify(Object.fromEntries(wanted))}\n`, 0o600);
    } catch {
      // The answer is known all the same; only the next daemon has to ask before it knows.
    }
  }

  function lookAgain(host: string): void {
    const search = searches.get(host);
    if (search && nowMs() - search.askedAtMs >= spareMs) void ask(host, search);
  }

  return {
    want,
    addressOf: (host) => (isAddress(host) ? host : addresses.get(host)),
    lookAgain,
    close: () => want([]),
  };
}

/** One that is still right is kept, for each move breaks connections. */
function bestOf(found: readonly string[], current: string | undefined): string | undefined {
  if (current !== undefined && found.includes(current)) return current;
  return found.find((address) => !address.includes(":")) ?? found[0];
}

function waitMs(failures: number): number {
  return failures === 0 ? freshMs : Math.min(retryMs.most, retryMs.least * 2 ** (failures - 1));
}

/** Names have no colons, and none ends with a number. */
const isAddress = (host: string): boolean => host.includes(":") || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);

function keptAddresses(text: string): Map<string, string> {
  try {
    const kept = Object.entries((JSON.parse(text) ?? {}) as Record<string, unknown>);
    return new Map(kept.filter((entry): entry is [string, string] => isAddress(String(entry[1]))));
  } catch {
    return new Map(); // Nothing, or half of something: everything is asked anew anyway.
  }
}
