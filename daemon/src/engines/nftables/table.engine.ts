import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";
import { trackFreshness } from "../freshness.ts";
import type { Commits } from "./commits.ts";
import { differingSets, canonicalListing, differingLines, rulesIn, rulesListed } from "./nftables.parse.ts";

interface Needs {
  readonly system: System;
  readonly commits: Commits;
}

/** A table as a transaction. */
export interface TableLoad {
  readonly script: string;
  /** There was no such table before, so whatever other engines had in it is gone. */
  readonly isNew: boolean;
}

export interface ObservedTable {
  readonly now: string;
  readonly loaded: { readonly script: string; readonly listing: string } | undefined;
}

/**
 * A table that is written whole, each time. Read-back is compared with read-back: nft writes rules its own way, so the
 * text we sent proves nothing.
 */
export function tableEngine<Wanted>(
  name: string,
  table: string,
  render: (wanted: Wanted) => string,
  { system, commits }: Needs,
  /** Sets whose elements are another engine's, which is called when they are gone. */
  others: { readonly sets: readonly string[]; readonly onNew: () => void } = { sets: [], onNew: () => {} },
): Engine<Wanted, ObservedTable, TableLoad> {
  let loaded: ObservedTable["loaded"];
  const trust = trackFreshness(commits.foreignCommits);
  // Listing a table that is not there is an error, and so is a machine without nftables: that one shows when we load.
  const list = async () =>
    system.run("nft", ["-j", "list", "table", ...table.split(" ")]).then(
      (json) => canonicalListing(json, [table], others.sets),
      () => "",
    );
  return {
    name,
    observe: async () => {
      if (loaded && trust.isFresh()) return { now: loaded.listing, loaded };
      const strangers = commits.foreignCommits();
      const now = await list();
      if (now === loaded?.listing) trust.refresh(strangers);
      return { now, loaded };
    },
    changes: (wanted, { now, loaded: last }) => {
      const script = render(wanted);
      return last?.script === script && last.listing === now ? [] : [{ script, isNew: now === "" }];
    },
    drift: (_, { now, loaded: last }) => (last ? differingLines(last.listing, now) : []),
    apply: async ([load]) => {
      if (!load) return;
      const strangers = commits.foreignCommits();
      loaded = undefined;
      await system.run("nft", ["-f", "-"], { stdin: load.script, onStart: commits.ours });
      if (load.isNew) others.onNew();
      const listing = await list();
      if (rulesListed(listing) !== rulesIn(load.script))
        throw new Error("nft: somebody else changed the rules while they were loaded");
      // A stranger may have been quicker than our read-back. What it has put in must not be taken for ours: it is loaded
      // anew with the next look, which the stranger's own commit brings about.
      if (differingSets(load.script, listing).length > 0) return;
      loaded = { script: load.script, listing };
      trust.refresh(strangers);
    },
  };
}
