import type { Reason } from "@portcullis/contract/reason";
import { reasonOf } from "../error-reason.ts";
import type { System } from "../../system/system.ts";
import { pathOf } from "../sysctl/sysctl.model.ts";
import type { Drift, Engine } from "../engine.ts";
import { type BridgeChange, bridgeChanges, type BridgeState, bridgeStates } from "./bridge.diff.ts";
import { type BridgeLink, type Bridges, filteringKeys } from "./bridge.model.ts";
import { parseRecord } from "../link-listing.parse.ts";
import { parseLinks } from "./bridge.parse.ts";

interface Needs {
  readonly system: System;
  /** It holds the record of our bridges. It may be lost at boot, as the bridges are. */
  readonly folder: string;
}

interface BridgeEngine extends Engine<readonly BridgeLink[], Bridges, BridgeChange> {
  readonly states: (wanted: readonly BridgeLink[]) => Promise<readonly BridgeState[]>;
}

/** Bridges of the kernel, through iproute2. A failure does not affect the other bridges. */
export function bridgeEngine({ system, folder }: Needs): BridgeEngine {
  const record = `${folder}/bridges.json`;
  const failures = new Map<string, Reason>();
  const ours = () => parseRecord(system.readText(record));
  const writeRecord = (names: readonly string[]) => system.writeAtomically(record, JSON.stringify(names), 0o600);
  const observe = async (): Promise<Bridges> => ({
    links: parseLinks(await system.run("ip", ["-j", "-d", "address", "show"])),
    ours: ours(),
    filtering: filteringKeys.filter((key) => (system.readText(pathOf(key))?.trim() ?? "0") !== "0"),
  });

  async function act(change: Exclude<BridgeChange, { kind: "settings" }>): Promise<void> {
    const { bridge } = change;
    if (change.kind === "remove") {
      await system.run("ip", ["link", "delete", "dev", bridge, "type", "bridge"]);
      return writeRecord(ours().filter((name) => name !== bridge));
    }
    // Recorded before it is created: a daemon that is killed in between must find it again.
    if (change.kind === "make") writeRecord([...new Set([...ours(), bridge])]);
    // -force: what can be done is done, whatever fails.
    await system.run("ip", ["-force", "-batch", "-"], { stdin: `${change.lines.join("\n")}\n` });
  }

  return {
    name: "bridge",
    observe,
    changes: bridgeChanges,
    drift: (changes) => changes.flatMap(driftOf),
    apply: async (changes) => {
      failures.clear();
      system.makeFolder(folder, 0o700);
      for (const change of changes)
        if (change.kind === "settings")
          await system.run("sysctl", ["-e", "-q", "-w", ...change.keys.map((key) => `${key}=0`)]);
        else await act(change).catch((error: Error) => failures.set(change.bridge, reasonOf(error)));
    },
    states: async (wanted) => bridgeStates(wanted, await observe(), failures),
  };
}

function driftOf(change: BridgeChange): Drift[] {
  if (change.kind === "settings")
    return change.keys.map((key) => ({ resource: key, field: "value", expected: "0", actual: "1" }));
  const { bridge } = change;
  if (change.kind === "remove") return [{ resource: bridge, field: "bridge", expected: null, actual: bridge }];
  return change.lines.map((line) => ({ resource: bridge, field: line, expected: line, actual: null }));
}
