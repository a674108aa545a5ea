import type { System } from "../../system/system.ts";
import type { Engine } from "../engine.ts";
import { type Change, routingChanges } from "./iproute.diff.ts";
import type { Routing } from "./iproute.model.ts";
import { parseRoutes, parseRules } from "./iproute.parse.ts";

/** Drives policy routing through iproute2. Only our own priorities and tables are read or written. */
export function iproute(system: System): Engine<Routing, Routing, Change> {
  const show = async (family: 4 | 6): Promise<Routing> => {
    const both = await system.run("ip", [`-${family}`, "-j", "-batch", "-"], {
      stdin: "rule show\nroute show table all\n",
    });
    const [rules = "", routes = ""] = both.trim().split("\n");
    return { rules: parseRules(rules, family), routes: parseRoutes(routes, family) };
  };
  return {
    name: "iproute",
    observe: async () => {
      const [v4, v6] = await Promise.all([show(4), show(6)]);
      return { rules: [...v4.rules, ...v6.rules], routes: [...v4.routes, ...v6.routes] };
    },
    changes: routingChanges,
    drift: (changes) =>
      changes.map(({ family, line }) => {
        const [what = "", verb = "", ...rest] = line.split(" ");
        const text = rest.join(" ");
        const missing = verb !== "del";
        return {
          resource: `IPv${family} ${what}`,
          field: text,
          expected: missing ? text : null,
          actual: missing ? null : text,
        };
      }),
    apply: async (changes) => {
      // Runs of one family keep their order; each is one process.
      for (const run of runsByFamily(changes))
        await system.run("ip", [`-${run[0]!.family}`, "-batch", "-"], {
          stdin: `${run.map(({ line }) => line).join("\n")}\n`,
        });
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
