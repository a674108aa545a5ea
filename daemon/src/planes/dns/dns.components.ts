import type { DnsCondition } from "@portcullis/contract/subsystems/dns";
import type { Component } from "@portcullis/contract/subsystems/status";
import type { DnsPlane } from "./dns.plane.ts";

interface Needs {
  readonly resolving: Pick<DnsPlane, "component" | "isPolicyWritten">;
  /** As GET /dns/status reports it. */
  readonly status: () => Promise<Pick<DnsCondition, "status" | "reason" | "egresses">>;
  /** Whether queries are filtered: by the bootstrap file, and now. */
  readonly filtering: { readonly bootstrap: boolean; readonly now: () => boolean };
}

/** The state of the resolver and of its filter, for /observer. From GET /dns/status, so that the two agree. */
export function dnsComponents({ resolving, status, filtering }: Needs): (() => Promise<Component>)[] {
  const read = shared(status);
  return [
    async () => {
      const programs = resolving.component();
      if (programs.status !== "ok") return programs;
      const { status: word, reason } = await read();
      return word === "running" || word === "off" ? programs : { name: programs.name, status: word, message: reason };
    },
    async () => ({ name: "filter", ...filterState(resolving, filtering) }),
  ];
}

function filterState({ component, isPolicyWritten }: Needs["resolving"], filtering: Needs["filtering"]) {
  if (component().status === "off") return { status: "off", message: "no resolver is to run" } as const;
  if (!isPolicyWritten())
    return {
      status: "degraded",
      message: "The last change of rules or lists is not in force yet; the daemon's log says why if it stays so",
    } as const;
  if (filtering.now()) return { status: "ok", message: "Queries are filtered" } as const;
  return filtering.bootstrap
    ? ({
        status: "degraded",
        message: `Filtering is switched off: \`portcullis dns configure '{"filtering_enabled": true}'\` switches it on again`,
      } as const)
    : ({ status: "off", message: "dns.filtering_enabled is false" } as const);
}

/** Requests share one read while it is fresh: /health needs no credential and must be cheap. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { readonly reading: Promise<T>; readonly freshUntilMs: number } | undefined;
  return () => {
    if (!last || performance.now() > last.freshUntilMs)
      last = { reading: read(), freshUntilMs: performance.now() + freshMs };
    return last.reading;
  };
}

const freshMs = 500;
