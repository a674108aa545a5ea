import type { IpListing } from "../../system/iplisting.ts";
import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";
import type { CachedReader } from "../freshness.ts";
import { type Change, routingChanges } from "./iproute.diff.ts";
import type { Routing } from "./iproute.model.ts";
import { parseRoutes, parseRules } from "./iproute.parse.ts";

interface Needs {
  readonly system: System;
  /** What `ip` shows now. */
  readonly listing: CachedReader<IpListing>;
}

/** Drives policy routing through iproute2. Only our own priorities and tables are read or written. */
export function iproute({ system, listing }: Needs): Engine<Routing, Routing, Change> {
  return {
    name: "iproute",
    observe: async () => {
      const { v4, v6 } = await listing.read();
      return {
        rules: [...parseRules(v4.rules, 4), ...parseRules(v6.rules, 6)],
        routes: [...parseRoutes(v4.routes, 4), ...parseRoutes(v6.routes, 6)],
      };
    },
    changes: routingChanges,
    drift: (changes) =>
      changes.map(({ family, line, actual }) => {
        const [what = "", verb = "", ...rest] = line.split(" ");
        const text = rest.join(" ");
        const missing = verb !== "del";
        return {
          resource: `IPv${family} ${what}`,
          field: text,
          expected: missing ? text : null,
          actual: missing ? (actual ?? null) : text,
        };
      }),
    apply: async (changes) => {
      // Runs of one family keep their order; each is one process.
      try {
        for (const run of runsByFamily(changes))
          await system.run("ip", [`-${run[0]!.family}`, "-batch", "-"], {
            stdin: `${run.map(({ line }) => line).join("\n")}\n`,
          });
      } finally {
        listing.invalidate();
      }
    },
  };
}

function runsByFamily(changes: readonly Change[]): Change[][] {
  const runs: Change[][] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    if (run && run[0]!.family === change.family) run.push(change);
    else runs.push([change]);
  }
  return runs;
}
