import type { Figure } from "../testing/figure.ts";

/**
 * All groups of measurements, in the order in which they run. Each call is one run; none of them takes more than four minutes on an
 * idle machine, so that every run includes its set-up.
 */
export const groups: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  start: async () => (await import("./start.ts")).start(),
  api: async () => (await import("./api.ts")).api(),
  control: asRoot(async () => (await import("./control.ts")).control()),
  monitor: asRoot(async () => (await import("./monitor.ts")).monitor()),
  forwarding: asRoot(async () => (await import("./forwarding.ts")).forwarding()),
  tunnel: asRoot(async () => (await import("./tunnel.ts")).tunnel()),
  lists: async () => (await import("./lists.ts")).lists(),
  verdicts: async () => (await import("./verdicts.ts")).verdicts(),
  dns: asRoot(async () => (await import("./dns.ts")).dns()),
  "dns-log": async () => (await import("./dns-log.ts")).dnsLog(),
  week: async () => (await import("./week.ts")).week(),
};

function asRoot<T>(measure: () => Promise<T>): () => Promise<T> {
  return async () => {
    if (process.getuid!() !== 0) throw new Error("Only root can create network namespaces");
    return measure();
  };
}
