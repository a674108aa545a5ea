import { because, type Reason, sentence } from "@portcullis/contract/reason";
import type { System } from "../../system/system.ts";
import type { Drift, Engine } from "../engine.ts";
import { reasonOf } from "../error-reason.ts";
import { type VlanChange, vlanChanges, type VlanState, vlanStates } from "./vlan.diff.ts";
import type { VlanLink, Vlans } from "./vlan.model.ts";
import { parseRecord } from "../link-listing.parse.ts";
import { parseLinks } from "./vlan.parse.ts";

interface Needs {
  readonly system: Pick<System, "run" | "readText" | "writeAtomically" | "makeFolder">;
  /** It holds the record of our VLAN interfaces. It may be lost at boot, as the interfaces are. */
  readonly folder: string;
}

interface VlanEngine extends Engine<readonly VlanLink[], Vlans, VlanChange> {
  readonly states: (wanted: readonly VlanLink[]) => Promise<readonly VlanState[]>;
}

/** VLAN interfaces of the kernel, through iproute2. A failure does not affect the other VLANs. */
export function vlanEngine({ system, folder }: Needs): VlanEngine {
  const record = `${folder}/vlans.json`;
  const failures = new Map<string, Reason>();
  const ours = () => parseRecord(system.readText(record));
  const keep = (names: readonly string[]) => system.writeAtomically(record, JSON.stringify(names), 0o600);
  const observe = async (): Promise<Vlans> => ({
    links: parseLinks(await system.run("ip", ["-j", "-d", "address", "show"])),
    ours: ours(),
  });
  // -force: what can be done is done, whatever fails.
  const batch = (lines: readonly string[]) =>
    system.run("ip", ["-force", "-batch", "-"], { stdin: `${lines.join("\n")}\n` });

  async function act(change: VlanChange): Promise<void> {
    const { kind, vlan } = change;
    switch (kind) {
      case "remove":
        await system.run("ip", ["link", "delete", "dev", vlan, "type", "vlan"]);
        return keep(ours().filter((name) => name !== vlan));
      case "forget":
        return keep(ours().filter((name) => name !== vlan));
      case "make":
        // Recorded before it is created: a daemon that is killed in between must find it again.
        keep([...new Set([...ours(), vlan])]);
        await system.run("ip", change.add);
        await batch(change.lines);
        return;
      case "adjust":
        await batch(change.lines);
    }
  }

  return {
    name: "vlan",
    observe,
    changes: vlanChanges,
    // What could not be created is no foreign change.
    drift: (changes) => changes.filter(({ vlan }) => !failures.has(vlan)).flatMap(driftOf),
    apply: async (changes) => {
      failures.clear();
      if (changes.length > 0) system.makeFolder(folder, 0o700);
      for (const change of changes) await act(change).catch((error: unknown) => failures.set(change.vlan, why(error)));
    },
    states: async (wanted) => vlanStates(wanted, (await observe()).links, failures),
  };
}

/** The kernel was built without VLANs, or has no module for them. */
const unsupported = /Unknown device type|Operation not supported/;

function why(error: unknown): Reason {
  const reason = reasonOf(error);
  return unsupported.test(sentence(reason)) ? because("vlan_not_supported") : reason;
}

function driftOf(change: VlanChange): Drift[] {
  const { kind, vlan: resource } = change;
  switch (kind) {
    case "remove":
      return [{ resource, field: "vlan", expected: null, actual: resource }];
    case "forget":
      return [];
    case "make":
      return [{ resource, field: "vlan", expected: resource, actual: null }];
    case "adjust":
      return change.lines.map((line) => ({ resource, field: line, expected: line, actual: null }));
  }
}
