import { because, type Reason } from "@portcullis/contract/reason";
import type { DnsCondition } from "@portcullis/contract/subsystems/dns";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import type { DnsPlane } from "./dns.plane.ts";

interface Needs {
  readonly resolving: Pick<DnsPlane, "component" | "isPolicyWritten">;
  /** As GET /dns/status reports it; one read for all that are requested while it is fresh. */
  readonly status: () => Promise<Pick<DnsCondition, "status" | "reason" | "coded_reason" | "egresses">>;
  /** Whether queries are filtered: by the bootstrap file, and now. */
  readonly filtering: { readonly bootstrap: boolean; readonly now: () => boolean };
}

/** The state of the resolver and of its filter, for /observer. From GET /dns/status, so that the two agree. */
export function dnsComponents({ resolving, status, filtering }: Needs): (() => Promise<Component>)[] {
  return [
    async () => {
      const programs = resolving.component();
      if (programs.status !== "ok") return programs;
      const { status: word, coded_reason: why } = await status();
      if (word === "running" || word === "off") return programs;
      return component(programs.name, word, why);
    },
    async () => {
      const [state, why] = filterState(resolving, filtering);
      return component("filter", state, why);
    },
  ];
}

function filterState(
  { component: programs, isPolicyWritten }: Needs["resolving"],
  filtering: Needs["filtering"],
): readonly [status: Component["status"], why: Reason] {
  if (programs().status === "off") return ["off", because("dns_none_wanted")];
  if (!isPolicyWritten()) return ["degraded", because("filter_behind")];
  if (filtering.now()) return ["ok", because("filter_works")];
  return filtering.bootstrap ? ["degraded", because("filter_switched_off")] : ["off", because("filter_off")];
}

/** Requests share one read while it is fresh: /health needs no credential and must be cheap. */
export function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { readonly reading: Promise<T>; readonly freshUntilMs: number } | undefined;
  return () => {
    if (!last || performance.now() > last.freshUntilMs)
      last = { reading: read(), freshUntilMs: performance.now() + freshMs };
    return last.reading;
  };
}

const freshMs = 500;
