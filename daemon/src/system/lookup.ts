import { lookup as getaddrinfo, Resolver } from "node:dns/promises";
import { setTimeout as pause } from "node:timers/promises";

const limitMs = 3000;

/**
 * getaddrinfo occupies one of the few threads that everything else of Node shares, and it may wait for a silent resolver
 * far longer than we do. So only two of them run at a time, including abandoned ones.
 */
const maxRunning = 2;

let running = 0;
const queue: (() => void)[] = [];

/** All addresses of a name as the machine itself would find them, /etc/hosts included. */
export async function lookup(host: string): Promise<string[]> {
  const late = new AbortController();
  const found = inTurn(async () => (await getaddrinfo(host, { all: true })).map(({ address }) => address));
  found.catch(() => {}); // A late result is ignored.
  const giveUp = pause(limitMs, undefined, { signal: late.signal }).then(() => {
    throw new Error(`No answer about ${host} within ${limitMs / 1000} s`);
  });
  giveUp.catch(() => {}); // Cancelled when the answer arrives.
  try {
    return await Promise.race([found, giveUp]);
  } finally {
    late.abort();
  }
}

/**
 * The same by our own resolver first, which queries its upstreams as the operator configured. While it has no
 * answer, the address of a tunnel's server must be found nevertheless.
 */
export const lookupBy =
  (port: number) =>
  async (host: string): Promise<string[]> => {
    const resolver = new Resolver({ timeout: 1000, tries: 1 });
    resolver.setServers([`127.0.0.1:${port}`]);
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = found.flatMap((it) => (it.status === "fulfilled" ? it.value : []));
    return addresses.length > 0 ? addresses : lookup(host);
  };

/** The same from one server, with given source addresses: the kernel chooses the path by them. */
export async function lookupAt(
  server: string,
  from: { readonly v4?: string | undefined; readonly v6?: string | undefined },
  host: string,
): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1000, tries: 2 });
  resolver.setServers([server]);
  resolver.setLocalAddress(from.v4 ?? "0.0.0.0", from.v6 ?? "::");
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((it) => (it.status === "fulfilled" ? it.value : []));
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxRunning) await new Promise<void>((go) => queue.push(go));
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    queue.shift()?.();
  }
}
