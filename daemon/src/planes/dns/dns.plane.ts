import { because, explained, type Reason, reported } from "@portcullis/contract/reason";
import { join } from "node:path";
import type { Announce } from "@portcullis/contract/events";
import { type Component, component } from "@portcullis/contract/subsystems/status";
import type { Compiled } from "../inputs.ts";
import type { DnsPlan } from "../../compiler/dns/dns-plan.ts";
import { filterPolicyFiles } from "../../engines/dnsdist/filter-policy.files.ts";
import { dnsdistEngine } from "../../engines/dnsdist/dnsdist.engine.ts";
import { dnsProxyEngine } from "../../engines/dns-proxy/dns-proxy.engine.ts";
import type { Supervisor } from "../../engines/supervisor/supervisor.ts";
import { type Built, openLists } from "../../engines/lists/lists.engine.ts";
import { nsdEngine } from "../../engines/nsd/nsd.engine.ts";
import { clockProbe } from "../../engines/unbound/clock.ts";
import { openSignatures } from "../../engines/unbound/dnssec.ts";
import { unboundEngine } from "../../engines/unbound/unbound.engine.ts";
import { openClockWatch } from "./clock-check.ts";
import { openFilterPolicyWriter } from "./filter-policy-writer.ts";
import { nothing, troubleOf, type Wanted, wantedFor } from "./wanted.machine.ts";
import { listEvents } from "./list-events.ts";
import { type StaleDomains, staleDomains } from "./cache-invalidation.ts";
import { createReconciler, type DriftItem } from "../../reconciler/reconciler.ts";
import type { PqMode } from "../../net/key-exchange.ts";
import { hostName } from "../../system/machine.ts";
import type { System } from "../../system/system.ts";
import { ownProgram } from "../own-program.ts";

interface Needs {
  readonly system: System;
  /** For files that are kept until the next boot, and for those that are kept longer. */
  readonly folder: string;
  readonly stateFolder: string;
  /** For lists that are files on the gateway. */
  readonly listFolder: string;
  readonly supervisor: Supervisor;
  readonly pqMode: () => PqMode;
  readonly now: () => Date;
  readonly announce: Announce;
  readonly onDrift: (items: readonly DriftItem[]) => void;
  readonly warn: (sentence: string, error: unknown) => void;
}

export type DnsPlane = ReturnType<typeof openDnsPlane>;

/**
 * The resolver engines, their filter policy and its lists. They have their own reconciler: a DNS failure must not delay the guard
 * or a tunnel.
 */
export function openDnsPlane({
  system,
  folder,
  stateFolder,
  listFolder,
  supervisor,
  pqMode,
  now,
  announce,
  onDrift,
  warn,
}: Needs) {
  const own = join(folder, "dns");
  system.makeFolder(own, 0o700);
  const policyFolder = join(own, "filter-policy");
  const policy = openFilterPolicyWriter({ files: filterPolicyFiles(system, policyFolder), warn });
  const dnsProxy = dnsProxyEngine({ system, supervisor, node: process.execPath, program: ownProgram("dns-proxy") });
  const engines = {
    nsd: nsdEngine({ system, supervisor, folder: join(own, "nsd") }),
    unbound: unboundEngine({ system, supervisor, folder: join(own, "unbound") }),
    dnsProxy,
    dnsdist: dnsdistEngine({ system, supervisor, folder: join(own, "dnsdist"), policyFolder }),
    formerDnsProxies: dnsProxy.former,
  };
  let latest: DnsPlan | undefined;
  let wanted: Wanted = nothing;

  const reconciler = createReconciler<Wanted>({
    published: async () => {
      announceState(); // Also errors of the previous cycle.
      // No resolver starts before it has a filter policy, with the lists that were in force before.
      await lists.whenRestored();
      await policy.written();
      return { revision: 0, desired: wanted };
    },
    engines,
    independent: true,
    now,
    onApplied: () => announceState(),
    onDrift,
  });
  let built: Built | undefined;
  const listName = (id: string): string => latest?.filterPolicy.lists.find((it) => it.id === id)?.name ?? id;
  const events = listEvents({ nameOf: listName, announce });
  const lists = openLists({
    system,
    folder: join(stateFolder, "dns-lists"),
    fileFolder: listFolder,
    ownNames: [hostName().toLowerCase()],
    pqMode,
    onBuilt: async (fresh) => {
      system.makeFolder(policyFolder, 0o755);
      await fresh.copyTo(join(policyFolder, "lists.cdb"), 0o644);
      built = fresh;
      await policy.rewrite();
      events.built(lists.states());
    },
    onChange: () => events.read(lists.states()),
    onProblem: (problem) => warn(problem, undefined),
    now: () => now().getTime(),
  });
  const ports = () => latest?.programs.validators.map(({ frontendPort }) => frontendPort) ?? [];
  const probe = clockProbe({ system, ports, nowMs: () => now().getTime() });
  const signatures = openSignatures({ validators: () => wanted.unbound, bogusAnswers: engines.unbound.bogusAnswers });
  const clock = openClockWatch({
    probe: async (before) => (ports().length === 0 ? before : probe(before)),
    onChange: (ignoresDates) => {
      if (ignoresDates) announce("dns.clock_suspect", explained(because("dns_clock_suspect")));
      want();
    },
  });

  function want(): void {
    if (!latest) return;
    wanted = wantedFor(latest.programs, clock.ignoresDates());
    reconciler.wake();
  }

  /** Flushes stale answers: first from Unbound, or dnsdist would cache them once more. */
  async function flush(domains: StaleDomains): Promise<void> {
    await reconciler.whenIdle();
    for (const name of domains === "all" ? [undefined] : domains) {
      await engines.unbound.flush(name === undefined ? { kind: "all" } : { kind: "suffix", name }).catch(() => {});
      const pattern = name === undefined ? "*" : `*.${name}`;
      await Promise.allSettled(wanted.dnsdist.map((front) => engines.dnsdist.flush(front, pattern)));
    }
  }

  // Finds a program that runs but does not listen any more, and a validator that trusts no signature.
  const rounds = setInterval(() => {
    reconciler.wake();
    void engines.unbound.flushBogus().then(signatures.look).then(announceState);
  }, roundMs);
  rounds.unref();

  let isDown = false;
  function announceState(): void {
    const reason = trouble();
    if ((reason !== undefined) === isDown) return;
    isDown = reason !== undefined;
    if (reason === undefined) announce("dns.plane_up", explained(because("dns_all_run")));
    else announce("dns.plane_down", explained(reason));
  }
  const trouble = (): Reason | undefined =>
    troubleOf(
      wanted.dnsdist,
      [...engines.dnsdist.states(wanted.dnsdist), ...engines.unbound.states(wanted.unbound)],
      signatures.of,
    );

  return {
    /** The filter policy is written at once; it does not depend on the forwarding rules. */
    write: ({ dns: { filterPolicy, instances } }: Compiled): void => {
      if (instances.length > 0) policy.want(filterPolicy);
    },
    /** Applies a compilation that is in the kernel. */
    follow: ({ dns }: Compiled): void => {
      const before = latest;
      latest = dns;
      if (dns.programs.frontends.length > 0 && dns.lists !== before?.lists) {
        lists.want(dns.lists);
        events.wanted(lists.states());
      }
      if (dns.programs === before?.programs) return;
      want();
      const stale = before ? staleDomains(before.programs, dns.programs) : [];
      if (stale.length > 0) flush(stale).catch((error: unknown) => warn("Stale answers could not be flushed", error));
    },
    /** Stops all resolvers: enforcement was withdrawn. */
    stopAll: (): void => {
      latest = undefined;
      wanted = nothing;
      reconciler.wake();
    },
    wake: () => reconciler.wake(),
    /** Resolves when the last filter policy is written. */
    written: policy.written,
    isPolicyWritten: policy.isWritten,
    automaton: policy.automaton,
    policyOf: policy.policyOf,
    whenIdle: async () => {
      await policy.written();
      await reconciler.whenIdle();
    },
    engines,
    lists,
    /** The lists as they were built last. */
    built: () => built,
    clock,
    signatures,
    latest: () => latest,
    drift: () => reconciler.drift(),
    component: (): Component => {
      const failing = trouble();
      const failed = reconciler.outcomes().find(({ error }) => error)?.error?.message;
      const problem = failing ?? (failed === undefined ? undefined : reported(failed));
      const resolvers = wanted.dnsdist.length;
      if (resolvers === 0) return component("dns", "off", because("dns_none_wanted"));
      return problem
        ? component("dns", "failed", problem)
        : component("dns", "ok", because("dns_resolvers_run", { resolvers }));
    },
    close: async () => {
      clearInterval(rounds);
      clock.close();
      await lists.close();
      await reconciler.close();
      await policy.close();
    },
  };
}

const roundMs = 15_000;
