import type { System } from "../system/system.ts";

/** Addresses of servers that are known by name. */
export interface ServerAddresses {
  /** All names of which somebody needs the address, whenever that changes. */
  setHosts(hosts: readonly string[]): void;
  /** Nothing when the name was never found. An address is its own answer. */
  readonly addressOf: (host: string) => string | undefined;
  /** For whoever has reason to doubt the answer. */
  readonly refresh: (host: string) => void;
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

interface Lookup {
  failures: number;
  startedAtMs: number;
  isRunning: boolean;
  next?: NodeJS.Timeout | undefined;
}

const refreshMs = 600_000;
const retryMs = { least: 1000, most: 60_000 };
/** However many doubt an answer, nobody is asked more often. */
const minIntervalMs = 1000;

export function openServerAddresses({ system, resolve, file, nowMs, onChange }: Needs): ServerAddresses {
  const lookups = new Map<string, Lookup>();
  const addresses = savedAddresses(system.readText(file) ?? "");

  function setHosts(hosts: readonly string[]): void {
    const named = new Set(hosts.filter((host) => !isAddress(host)));
    for (const [host, { next }] of lookups) {
      if (named.has(host)) continue;
      clearTimeout(next);
      lookups.delete(host);
    }
    for (const host of named) {
      if (lookups.has(host)) continue;
      const search: Lookup = { failures: 0, startedAtMs: nowMs(), isRunning: false };
      lookups.set(host, search);
      void start(host, search);
    }
  }

  async function start(host: string, search: Lookup): Promise<void> {
    if (search.isRunning) return;
    clearTimeout(search.next);
    [search.isRunning, search.startedAtMs] = [true, nowMs()];
    const found = await resolve(host).catch(() => []); // Silence and "no such name" are the same: the old answer stays.
    search.isRunning = false;
    if (lookups.get(host) !== search) return;
    search.failures = found.length === 0 ? search.failures + 1 : 0;
    search.next = setTimeout(() => void start(host, search), waitMs(search.failures));
    update(host, found);
  }

  function update(host: string, found: readonly string[]): void {
    const address = bestOf(found, addresses.get(host));
    if (address === undefined || address === addresses.get(host)) return;
    addresses.set(host, address);
    save();
    onChange(host, address);
  }

  function save(): void {
    const wanted = [...addresses].filter(([host]) => lookups.has(host));
    try {
      system.writeAtomically(file, `${JSON.stringify(Object.fromEntries(wanted))}\n`, 0o600);
    } catch {
      // The answer is known all the same; only the next daemon has to ask before it knows.
    }
  }

  function refresh(host: string): void {
    const search = lookups.get(host);
    if (search && nowMs() - search.startedAtMs >= minIntervalMs) void start(host, search);
  }

  return {
    setHosts,
    addressOf: (host) => (isAddress(host) ? host : addresses.get(host)),
    refresh,
    close: () => setHosts([]),
  };
}

/** One that is still right is kept, for each move breaks connections. */
function bestOf(found: readonly string[], current: string | undefined): string | undefined {
  if (current !== undefined && found.includes(current)) return current;
  return found.find((address) => !address.includes(":")) ?? found[0];
}

function waitMs(failures: number): number {
  return failures === 0 ? refreshMs : Math.min(retryMs.most, retryMs.least * 2 ** (failures - 1));
}

/** Names have no colons, and none ends with a number. */
const isAddress = (host: string): boolean => host.includes(":") || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);

function savedAddresses(text: string): Map<string, string> {
  try {
    const kept = Object.entries((JSON.parse(text) ?? {}) as Record<string, unknown>);
    return new Map(kept.filter((entry): entry is [string, string] => isAddress(String(entry[1]))));
  } catch {
    return new Map(); // Nothing, or half of something: everything is asked anew anyway.
  }
}
