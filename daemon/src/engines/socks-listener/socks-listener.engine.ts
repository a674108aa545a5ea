import { because, type Reason } from "@portcullis/contract/reason";
import type { IpListing } from "../../system/iplisting.ts";
import { driftOfProcesses, type ProgramState, stateAmong } from "../sandbox/program-state.model.ts";
import { sandboxed } from "../sandbox/sandbox.model.ts";
import type { Engine } from "../engine.ts";
import type { CachedReader } from "../freshness.ts";
import type { ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import { type SocksListener, type Sources, socksListenerPaths as paths } from "./socks-listener.model.ts";
import { firstAddresses } from "./socks-listener.parse.ts";
import { impediment, renderSocksListener } from "./socks-listener.render.ts";

interface Needs {
  readonly supervisor: Supervisor;
  readonly listing: CachedReader<IpListing>;
  /** Absolute path of Node. */
  readonly node: string;
  /** Folder and file name of the program. */
  readonly program: { readonly folder: string; readonly file: string };
}

export interface ObservedListeners {
  readonly processes: readonly ProcessState[];
  /** Interface → its addresses: they are part of a listener's settings. */
  readonly sources: ReadonlyMap<string, Sources>;
}

interface SocksListenerEngine extends Engine<readonly SocksListener[], ObservedListeners, ProcessChange> {
  readonly states: (wanted: readonly SocksListener[]) => Promise<readonly ProgramState[]>;
}

/** One supervised, sandboxed program per listener. A listener that cannot run is reported and affects no other. */
export function socksListenerEngine({ supervisor, listing, node, program }: Needs): SocksListenerEngine {
  const observe = async (): Promise<ObservedListeners> => {
    const { v4, v6 } = await listing.read();
    const [first4, first6] = [firstAddresses(v4.addresses), firstAddresses(v6.addresses)];
    return {
      // An earlier version used danted: its processes are not wanted any more.
      processes: ["socks-listener", "dante"].flatMap((it) => supervisor.observe(it)),
      sources: new Map(
        [...new Set([...first4.keys(), ...first6.keys()])].map((name) => [
          name,
          { v4: first4.get(name) ?? null, v6: first6.get(name) ?? null },
        ]),
      ),
    };
  };

  const specOf = (listener: SocksListener, sources: Sources): ProcessSpec => ({
    name: nameOf(listener),
    ...sandboxed({
      // Without the daemon's environment: it could change how Node runs.
      command: "env",
      args: ["-i", paths.node, ...memoryLimits, `${paths.program}/${program.file}`],
      userId: listener.userId,
      shown: { [paths.node]: node },
      read: { [paths.program]: program.folder },
      fromStdin: paths.settings,
      port: listener.listen.port,
    }),
    stdin: renderSocksListener(listener, sources),
  });

  /** The process runs before its port is open. */
  const listens = (state: ProgramState, listener: SocksListener): ProgramState =>
    state.kind === "running" && !supervisor.output(nameOf(listener)).includes(paths.listening)
      ? { ...state, kind: "starting" }
      : state;

  return {
    name: "socks-listener",
    observe,
    changes: (wanted, { processes, sources }) =>
      supervisor.changes(
        wanted.filter((it) => obstacle(it, sources) === undefined).map((it) => specOf(it, sources.get(it.interface)!)),
        processes,
      ),
    drift: driftOfProcesses,
    apply: (changes) => supervisor.apply(changes),
    states: async (wanted) => {
      const { processes, sources } = await observe();
      return wanted.map((it) =>
        listens(stateAmong(processes, nameOf(it), { name: it.name, impediment: obstacle(it, sources) }), it),
      );
    },
  };
}

const nameOf = ({ userId }: SocksListener): string => `socks-listener.${userId}`;

const obstacle = (listener: SocksListener, sources: ObservedListeners["sources"]): Reason | undefined =>
  impediment(listener) ??
  (sources.has(listener.interface)
    ? undefined
    : because("interface_without_address", { interface: listener.interface }));

/** Buffers of connections are outside of the heap, and small. */
const memoryLimits = ["--max-old-space-size=64", "--max-semi-space-size=2", "--no-warnings"];
