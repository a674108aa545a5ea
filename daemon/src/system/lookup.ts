import { lookup as getaddrinfo, Resolver } from "node:dns/promises";
import { setTimeout as pause } from "node:timers/promises";

const limitMs = 3000;

/**
 * getaddrinfo occupies one of the few threads that everything else of Node shares, and it may wait for a silent resolver
 * far longer than we do. So only two of them are under way at a time, also those nobody waits for any more.
 */
const mostAtOnce = 2;

let underWay = 0;
const queue: (() => void)[] = [];

/** All addresses of a name as the machine itself would find them, /etc/hosts included. */
export async function lookup(host: string): Promise<string[]> {
  const late = new AbortController();
  const found = inTurn(async () => (await getaddrinfo(host, { all: true })).map(({ address }) => address));
  found.catch(() => {}); // Whoever is late is not listened to, and may fail unheard.
  const giveUp = pause(limitMs, undefined, { signal: late.signal }).then(() => {
    throw new Error(`No answer about ${host} within ${limitMs / 1000} s`);
  });
  giveUp.catch(() => {}); // Called off when the answer is there.
  try {
    return await Promise.race([found, giveUp]);
  } finally {
    late.abort();
  }
}

/**
 * The same, asked of our own resolver first: it asks its upstreams as the operator wants them asked. As long as that knows
 * nothing, a tunnel by name must be found all the same.
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

/** The same as one server knows it, asked with addresses of ours: by these the kernel chooses the way. */
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
  if (underWay >= mostAtOnce) await new Promise<void>((go) => queue.push(go));
  underWay += 1;
  try {
    return await work();
  } finally {
    underWay -= 1;
    queue.shift()?.();
  }
}
