import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";
import { trackFreshness } from "../freshness.ts";
import type { Commits } from "./commits.ts";
import { differingSets, canonicalListing, differingLines, rulesIn, rulesListed } from "./nftables.parse.ts";

interface Needs {
  readonly system: System;
  readonly commits: Commits;
}

/** A table as one transaction. */
export interface TableLoad {
  readonly script: string;
  /** The table did not exist, so elements of other engines in it are gone. */
  readonly isNew: boolean;
}

export interface ObservedTable {
  readonly now: string;
  readonly loaded: { readonly script: string; readonly listing: string } | undefined;
}

/**
 * A table that is rewritten as a whole. Read-back is compared with read-back: nft reformats rules, so the
 * text we sent is no reference.
 */
export function tableEngine<Wanted>(
  name: string,
  table: string,
  render: (wanted: Wanted) => string,
  { system, commits }: Needs,
  /** Sets whose elements belong to another engine, which is notified when they are gone. */
  others: {
    readonly sets: readonly string[];
    readonly onNew: () => void;
    /** Packets fill its sets: it is listed without elements, for all tables at once, because nft would read them first. */
    readonly isLarge?: true;
  } = { sets: [], onNew: () => {} },
): Engine<Wanted, ObservedTable, TableLoad> {
  let loaded: ObservedTable["loaded"];
  const trust = trackFreshness(commits.foreignCommits);
  // Listing a table that is not there is an error, and so is a machine without nftables: that one shows when we load.
  const listed = others.isLarge
    ? ["-t", "-j", "list", "ruleset", "inet"]
    : ["-j", "list", "table", ...table.split(" ")];
  const list = async () =>
    system.run("nft", listed).then(
      (json) => canonicalListing(json, [table], others.sets),
      () => "",
    );
  return {
    name,
    observe: async () => {
      if (loaded && trust.isFresh()) return { now: loaded.listing, loaded };
      const foreignCommits = commits.foreignCommits();
      const now = await list();
      if (now === loaded?.listing) trust.refresh(foreignCommits);
      return { now, loaded };
    },
    changes: (wanted, { now, loaded: last }) => {
      const script = render(wanted);
      return last?.script === script && last.listing === now ? [] : [{ script, isNew: now === "" }];
    },
    drift: (_, { now, loaded: last }) => (last ? differingLines(last.listing, now) : []),
    apply: async ([load]) => {
      if (!load) return;
      const foreignCommits = commits.foreignCommits();
      loaded = undefined;
      await system.run("nft", ["-f", "-"], { stdin: load.script, onStart: commits.ours });
      if (load.isNew) others.onNew();
      const listing = await list();
      if (rulesListed(listing) !== rulesIn(load.script))
        throw new Error("nft: another program changed the rules while they were loaded");
      // Another program may have committed before our read-back. Its elements must not count as ours: the table is loaded
      // again by the next reconcile, which that commit triggers.
      if (differingSets(load.script, listing).length > 0) return;
      loaded = { script: load.script, listing };
      trust.refresh(foreignCommits);
    },
  };
}
