import type { System } from "../system/system.ts";

/** Addresses of servers that are configured by name. */
export interface ServerAddresses {
  /** Sets all names whose address is needed. */
  setHosts(hosts: readonly string[]): void;
  /** undefined if the name was never resolved. An address is returned as it is. */
  readonly addressOf: (host: string) => string | undefined;
  /** Resolves the name again, because its address may be outdated. */
  readonly refresh: (host: string) => void;
  close(): void;
}

interface Needs {
  readonly system: System;
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** The last good answers are saved here; its folder must exist. */
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
const retryMs = { min: 1000, max: 60_000 };
/** Between two lookups of one name, however many callers request them. */
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
      const lookup: Lookup = { failures: 0, startedAtMs: nowMs(), isRunning: false };
      lookups.set(host, lookup);
      void start(host, lookup);
    }
  }

  async function start(host: string, lookup: Lookup): Promise<void> {
    if (lookup.isRunning) return;
    clearTimeout(lookup.next);
    [lookup.isRunning, lookup.startedAtMs] = [true, nowMs()];
    const found = await resolve(host).catch(() => []); // A failure and an empty answer are the same: the old address stays.
    lookup.isRunning = false;
    if (lookups.get(host) !== lookup) return;
    lookup.failures = found.length === 0 ? lookup.failures + 1 : 0;
    lookup.next = setTimeout(() => void start(host, lookup), waitMs(lookup.failures));
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
      // The address is in memory; only the next daemon has to resolve it first.
    }
  }

  function refresh(host: string): void {
    const lookup = lookups.get(host);
    if (lookup && nowMs() - lookup.startedAtMs >= minIntervalMs) void start(host, lookup);
  }

  return {
    setHosts,
    addressOf: (host) => (isAddress(host) ? host : addresses.get(host)),
    refresh,
    close: () => setHosts([]),
  };
}

/** An address that is still valid is kept, because a change breaks connections. */
function bestOf(found: readonly string[], current: string | undefined): string | undefined {
  if (current !== undefined && found.includes(current)) return current;
  return found.find((address) => !address.includes(":")) ?? found[0];
}

function waitMs(failures: number): number {
  return failures === 0 ? refreshMs : Math.min(retryMs.max, retryMs.min * 2 ** (failures - 1));
}

/** Names have no colons, and none has the form of an IPv4 address. */
const isAddress = (host: string): boolean => host.includes(":") || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);

function savedAddresses(text: string): Map<string, string> {
  try {
    const saved = Object.entries((JSON.parse(text) ?? {}) as Record<string, unknown>);
    return new Map(saved.filter((entry): entry is [string, string] => isAddress(String(entry[1]))));
  } catch {
    return new Map(); // Missing or incomplete: every name is resolved again anyway.
  }
}
