import { confine, userOf } from "../confinement/confinement.model.ts";
import type { Engine } from "../engine.ts";
import type { ChildChange } from "../supervisor/supervisor.diff.ts";
import type { Keeper } from "../supervisor/supervisor.ts";
import type { Child, Kept } from "../supervisor/supervisor.model.ts";
import { driftOfChildren, type ProgramState, stateAmong } from "../confinement/state.model.ts";
import type { Redirector } from "./redsocks.model.ts";
import { impediment, renderRedsocks } from "./redsocks.render.ts";

interface RedsocksEngine extends Engine<readonly Redirector[], readonly Kept[], ChildChange> {
  readonly states: (wanted: readonly Redirector[]) => readonly ProgramState[];
}

/** One redsocks per redirector, kept running. One that cannot run is told in its state and hinders no other. */
export function redsocksEngine({ keeper }: { readonly keeper: Keeper }): RedsocksEngine {
  return {
    name: "redsocks",
    observe: async () => keeper.observe("redsocks"),
    changes: (wanted, kept) => keeper.changes(wanted.filter((it) => impediment(it) === undefined).map(childOf), kept),
    drift: driftOfChildren,
    apply: (changes) => keeper.apply(changes),
    states: (wanted) => {
      const kept = keeper.observe("redsocks");
      return wanted.map((it) => stateAmong(kept, nameOf(it), { name: it.name, impediment: impediment(it) }));
    },
  };
}

const nameOf = ({ port }: Redirector): string => `redsocks.${port}`;

function childOf(redirector: Redirector): Child {
  const { port } = redirector;
  const program = confine({
    command: "redsocks",
    args: ["-c", "/etc/redsocks.conf"],
    userId: userOf(port),
    shown: {},
    fromStdin: "/etc/redsocks.conf",
    port,
  });
  return { name: nameOf(redirector), ...program, stdin: renderRedsocks(redirector) };
}
