import { confine } from "../confinement/confinement.model.ts";
import { driftOfChildren, programState, type ProgramState } from "../confinement/state.model.ts";
import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";
import type { ChildChange } from "../supervisor/supervisor.diff.ts";
import type { Keeper } from "../supervisor/supervisor.ts";
import type { Child, Kept } from "../supervisor/supervisor.model.ts";
import { type Forwarder, forwarderPlaces as places } from "./dns-proxy.model.ts";
import { renderForwarder } from "./dns-proxy.render.ts";

interface Needs {
  readonly system: System;
  readonly keeper: Keeper;
  /** The Node that runs us, in full. */
  readonly node: string;
  /** The folder with the forwarder's program, and what the program is called there. */
  readonly program: { readonly folder: string; readonly file: string };
}

type Children = Engine<readonly Forwarder[], readonly Kept[], ChildChange>;

interface ForwarderEngine extends Children {
  readonly states: (wanted: readonly Forwarder[]) => readonly (ProgramState & { readonly number: number })[];
  /** Those that are of no use any more. It comes after the fronts, which ask them until they are told of others. */
  readonly former: Children;
}

/**
 * One forwarder per front that has upstreams for it, kept running and confined. One with other upstreams is another one,
 * which runs beside the one before until nobody asks that any more.
 */
export function forwarderEngine({ system, keeper, node, program }: Needs): ForwarderEngine {
  const nameOf = (forwarder: Forwarder): string =>
    `dns-proxy.${forwarder.number}.${system.digest(renderForwarder(forwarder)).slice(0, 12)}`;
  const childOf = (forwarder: Forwarder): Child => ({
    name: nameOf(forwarder),
    ...confine({
      // Nothing of the daemon's environment: it could tell Node to trust somebody else.
      command: "env",
      args: ["-i", places.node, ...sparing, `${places.program}/${program.file}`],
      userId: forwarder.userId,
      shown: { [places.issuers]: forwarder.caFile, [places.node]: node },
      read: { [places.program]: program.folder },
      fromStdin: places.settings,
      port: forwarder.port,
    }),
    stdin: renderForwarder(forwarder),
  });
  const isWanted = (it: Forwarder) => it.upstreams.length > 0;
  const all = (wanted: readonly Forwarder[], kept: readonly Kept[]): readonly ChildChange[] =>
    keeper.changes(wanted.filter(isWanted).map(childOf), kept);
  const observe = async () => keeper.observe("dns-proxy");

  /** Whoever is told of it before its doors are open would be refused. One that dies instead is its keeper's affair. */
  async function opened(name: string): Promise<void> {
    for (const until = performance.now() + startMs; performance.now() < until; ) {
      if (keeper.find(name)?.condition.kind !== "running" || keeper.said(name).includes(places.listening)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`${name} does not listen`);
  }

  return {
    name: "dns-proxy",
    observe,
    changes: (wanted, kept) => all(wanted, kept).filter(({ kind }) => kind === "start"),
    drift: driftOfChildren,
    apply: async (changes) => {
      await keeper.apply(changes);
      await Promise.all(changes.flatMap((it) => (it.kind === "start" ? [opened(it.child.name)] : [])));
    },
    states: (wanted) => {
      const kept = keeper.observe("dns-proxy");
      return wanted.filter(isWanted).map((it) => {
        const own = kept.find(({ name }) => name === nameOf(it));
        return { number: it.number, ...programState(`dns-proxy.${it.number}`, undefined, own) };
      });
    },
    former: {
      name: "former dns-proxies",
      observe,
      changes: (wanted, kept) => all(wanted, kept).filter(({ kind }) => kind === "end"),
      drift: driftOfChildren,
      apply: (changes) => keeper.apply(changes),
    },
  };
}

const startMs = 5000;

/** It holds a few thousand questions at most. */
const sparing = ["--max-old-space-size=64", "--max-semi-space-size=2", "--no-warnings"];
