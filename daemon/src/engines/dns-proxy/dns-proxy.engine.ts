import { sandboxed } from "../sandbox/sandbox.model.ts";
import { driftOfProcesses, programState, type ProgramState } from "../sandbox/program-state.model.ts";
import { untilReady } from "../../system/async.ts";
import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";
import type { ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import { type DnsProxy, dnsProxyPaths as paths, failuresIn } from "./dns-proxy.model.ts";
import { renderDnsProxy } from "./dns-proxy.render.ts";

interface Needs {
  readonly system: System;
  readonly supervisor: Supervisor;
  /** Absolute path of Node. */
  readonly node: string;
  /** Folder and file name of the program. */
  readonly program: { readonly folder: string; readonly file: string };
}

type Processes = Engine<readonly DnsProxy[], readonly ProcessState[], ProcessChange>;

interface DnsProxyEngine extends Processes {
  /** The last failure of each upstream whose last connection or query failed, by its name. */
  readonly failures: (wanted: DnsProxy) => ReadonlyMap<string, string>;
  readonly states: (wanted: readonly DnsProxy[]) => readonly (ProgramState & { readonly number: number })[];
  /** Ends unused DNS proxies. It runs after the frontends, which query them until they are reconfigured. */
  readonly former: Processes;
}

/**
 * One supervised, sandboxed DNS proxy per frontend with upstreams for it. Other upstreams mean another process, which
 * runs beside the old one until no frontend queries that.
 */
export function dnsProxyEngine({ system, supervisor, node, program }: Needs): DnsProxyEngine {
  const nameOf = (proxy: DnsProxy): string =>
    `dns-proxy.${proxy.number}.${system.digest(renderDnsProxy(proxy)).slice(0, 12)}`;
  const specOf = (proxy: DnsProxy): ProcessSpec => ({
    name: nameOf(proxy),
    ...sandboxed({
      // Without the daemon's environment: it could add issuers to those Node trusts.
      command: "env",
      args: ["-i", paths.node, ...memoryLimits, `${paths.program}/${program.file}`],
      userId: proxy.userId,
      shown: { [paths.issuers]: proxy.caFile, [paths.node]: node },
      read: { [paths.program]: program.folder },
      fromStdin: paths.settings,
      port: proxy.port,
    }),
    stdin: renderDnsProxy(proxy),
  });
  const isWanted = (it: DnsProxy) => it.upstreams.length > 0;
  const all = (wanted: readonly DnsProxy[], processes: readonly ProcessState[]): readonly ProcessChange[] =>
    supervisor.changes(wanted.filter(isWanted).map(specOf), processes);
  const observe = async () => supervisor.observe("dns-proxy");

  /** A frontend that queries it before its ports are open would be refused. A crash is left to the supervisor. */
  async function opened(name: string): Promise<void> {
    const isDone = () =>
      supervisor.find(name)?.condition.kind !== "running" || supervisor.output(name).includes(paths.listening);
    if (!(await untilReady(() => isDone() || undefined, { limitMs: startMs, everyMs: 25 })))
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
    failures: (wanted) => failuresIn(isWanted(wanted) ? supervisor.output(nameOf(wanted)) : "", wanted),
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

/** It holds a few thousand queries at most. */
const memoryLimits = ["--max-old-space-size=64", "--max-semi-space-size=2", "--no-warnings"];
