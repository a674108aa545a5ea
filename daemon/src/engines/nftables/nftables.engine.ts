import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";
import { guardTable, renderGuard } from "./guard.render.ts";
import { natTable, renderNat } from "./nat.render.ts";
import type { Guard, Ruleset } from "./nftables.model.ts";
import { canonicalListing, differingLines, namesIn } from "./nftables.parse.ts";
import { steering } from "./steering.render.ts";
import { renderTransaction, steeringTable } from "./transaction.render.ts";

/** Tables as the kernel lists them, and what we know of the last load. */
export interface Listing {
  readonly now: string;
  readonly atMs: number;
  readonly loaded: { readonly desired: string; readonly listing: string } | undefined;
}

/** The one change there is: load this, in one transaction. */
export interface Load {
  readonly desired: string;
  readonly script: string;
}

/** The gate. It stands before anything is steered, and only its pairs ever change. */
export const guardEngine = (system: System, nowMs: () => number): Engine<Guard, Listing, Load> =>
  tableEngine({ system, nowMs, name: "guard", tables: [guardTable], render: (guard) => renderGuard(guard) });

/** Who goes where. Rewritten in place, each time as a new generation. */
export const steeringEngine = (system: System, nowMs: () => number): Engine<Ruleset, Listing, Load> =>
  tableEngine({
    system,
    nowMs,
    name: "steering",
    tables: [steeringTable, natTable],
    render: (ruleset, generation, { now, atMs }) =>
      renderNat(ruleset.lan) + renderTransaction(steering(ruleset, generation), namesIn(now), atMs),
  });

interface Tables<D> {
  readonly system: System;
  readonly nowMs: () => number;
  readonly name: string;
  readonly tables: readonly string[];
  readonly render: (desired: D, generation: number, actual: Listing) => string;
}

/** Compares read-back with read-back: nft writes rules its own way, so the text we sent proves nothing. */
function tableEngine<D>({ system, nowMs, name, tables, render }: Tables<D>): Engine<D, Listing, Load> {
  let loaded: Listing["loaded"];

  async function list(): Promise<string> {
    const standing = await system.run("nft", ["list", "tables"]);
    const ours = tables.filter((table) => standing.includes(`table ${table}\n`));
    const listed = await Promise.all(
      ours.map((table) => system.run("nft", ["-j", "list", "table", ...table.split(" ")])),
    );
    return listed.map(canonicalListing).join("\n");
  }
  return {
    name,
    observe: async () => ({ now: await list(), atMs: nowMs(), loaded }),
    changes: (wanted, actual) => {
      const { now, loaded: last } = actual;
      const desired = JSON.stringify(wanted);
      if (last?.desired === desired && last.listing === now) return [];
      return [{ desired, script: render(wanted, nextGeneration(now), actual) }];
    },
    drift: (_, { now, loaded: last }) => (last ? differingLines(last.listing, now) : []),
    apply: async ([load]) => {
      if (!load) return;
      await system.run("nft", ["-f", "-"], { stdin: load.script });
      loaded = { desired: load.desired, listing: await list() };
    },
  };
}

/** Eight bits, never 0, and never the one that stands: also after a restart, which only the kernel remembers. */
const nextGeneration = (listing: string): number => (Number(/"canary_(\d+)"/.exec(listing)?.[1] ?? 0) % 250) + 1;
