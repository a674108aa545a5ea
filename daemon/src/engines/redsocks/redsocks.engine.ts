import { sandboxed, userOf } from "../sandbox/sandbox.model.ts";
import type { Engine } from "../engine.ts";
import type { ProcessChange } from "../supervisor/supervisor.diff.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { ProcessSpec, ProcessState } from "../supervisor/supervisor.model.ts";
import { driftOfProcesses, type ProgramState, stateAmong } from "../sandbox/program-state.model.ts";
import type { Redirector } from "./redsocks.model.ts";
import { impediment, renderRedsocks } from "./redsocks.render.ts";

interface RedsocksEngine extends Engine<readonly Redirector[], readonly ProcessState[], ProcessChange> {
  readonly states: (wanted: readonly Redirector[]) => readonly ProgramState[];
}

/** One supervised redsocks per redirector. A redirector that cannot run is reported and affects no other. */
export function redsocksEngine({ supervisor }: { readonly supervisor: Supervisor }): RedsocksEngine {
  return {
    name: "redsocks",
    observe: async () => supervisor.observe("redsocks"),
    changes: (wanted, processes) =>
      supervisor.changes(wanted.filter((it) => impediment(it) === undefined).map(specOf), processes),
    drift: driftOfProcesses,
    apply: (changes) => supervisor.apply(changes),
    states: (wanted) => {
      const processes = supervisor.observe("redsocks");
      return wanted.map((it) => stateAmong(processes, nameOf(it), { name: it.name, impediment: impediment(it) }));
    },
  };
}

const nameOf = ({ port }: Redirector): string => `redsocks.${port}`;

function specOf(redirector: Redirector): ProcessSpec {
  const { port } = redirector;
  const program = sandboxed({
    command: "redsocks",
    args: ["-c", "/etc/redsocks.conf"],
    userId: userOf(port),
    shown: {},
    fromStdin: "/etc/redsocks.conf",
    port,
  });
  return { name: nameOf(redirector), ...program, stdin: renderRedsocks(redirector) };
}
