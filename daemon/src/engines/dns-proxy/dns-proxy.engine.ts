import { sandboxed } from "../sandbox/sandbox.model.ts";
import { driftOfProcesses, programState, type ProgramState } from "../sandbox/program-state.model.ts";
import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";
import type { ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import { type DnsProxy, dnsProxyPaths as places } from "./dns-proxy.model.ts";
import { renderDnsProxy } from "./dns-proxy.render.ts";

interface Needs {
  readonly system: System;
  readonly supervisor: Supervisor;
  /** The Node that runs us, in full. */
  readonly node: string;
  /** The folder with the forwarder's program, and what the program is called there. */
  readonly program: { readonly folder: string; readonly file: string };
}

type Processes = Engine<readonly DnsProxy[], readonly ProcessState[], ProcessChange>;

interface DnsProxyEngine extends Processes {
  readonly states: (wanted: readonly DnsProxy[]) => readonly (ProgramState & { readonly number: number })[];
  /** Those that are of no use any more. It comes after the fronts, which ask them until they are told of others. */
  readonly former: Processes;
}

/**
 * One forwarder per front that has upstreams for it, processes running and confined. One with other upstreams is another one,
 * which runs beside the one before until nobody asks that any more.
 */
export function dnsProxyEngine({ system, supervisor, node, program }: Needs): DnsProxyEngine {
  const nameOf = (forwarder: DnsProxy): string =>
    `dns-proxy.${forwarder.number}.${system.digest(renderDnsProxy(forwarder)).slice(0, 12)}`;
  const childOf = (forwarder: DnsProxy): ProcessSpec => ({
    name: nameOf(forwarder),
    ...sandboxed({
      // Nothing of the daemon's environment: it could tell Node to trust somebody else.
      command: "env",
      args: ["-i", places.node, ...sparing, `${places.program}/${program.file}`],
      userId: forwarder.userId,
      shown: { [places.issuers]: forwarder.caFile, [places.node]: node },
      read: { [places.program]: program.folder },
      fromStdin: places.settings,
      port: forwarder.port,
    }),
    stdin: renderDnsProxy(forwarder),
  });
  const isWanted = (it: DnsProxy) => it.upstreams.length > 0;
  const all = (wanted: readonly DnsProxy[], processes: readonly ProcessState[]): readonly ProcessChange[] =>
    supervisor.changes(wanted.filter(isWanted).map(childOf), processes);
  const observe = async () => supervisor.observe("dns-proxy");

  /** Whoever is told of it before its doors are open would be refused. One that dies instead is its keeper's affair. */
  async function opened(name: string): Promise<void> {
    for (const until = performance.now() + startMs; performance.now() < until; ) {
      if (supervisor.find(name)?.condition.kind !== "running" || supervisor.output(name).includes(places.listening))
        return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`${name} does not listen`);
  }

  return {
    name: "dns-proxy",
    observe,
    changes: (wanted, processes) => all(wanted, processes).filter(({ kind }) => kind === "start"),
    drift: driftOfProcesses,
    apply: async (changes) => {
      await supervisor.apply(changes);
      await Promise.all(changes.flatMap((it) => (it.kind === "start" ? [opened(it.spec.name)] : [])));
    },
    states: (wanted) => {
      const processes = supervisor.observe("dns-proxy");
      return wanted.filter(isWanted).map((it) => {
        const own = processes.find(({ name }) => name === nameOf(it));
        return { number: it.number, ...programState(`dns-proxy.${it.number}`, undefined, own) };
      });
    },
    former: {
      name: "former dns-proxies",
      observe,
      changes: (wanted, processes) => all(wanted, processes).filter(({ kind }) => kind === "end"),
      drift: driftOfProcesses,
      apply: (changes) => supervisor.apply(changes),
    },
  };
}

const startMs = 5000;

/** It holds a few thousand questions at most. */
const sparing = ["--max-old-space-size=64", "--max-semi-space-size=2", "--no-warnings"];
