import type { System } from "../../system/system.ts";
import type { Drift, Engine } from "../engine.ts";
import { isSame, type LanAddressChange, lanAddressChanges } from "./lan-address.diff.ts";
import type { AddedAddress, LanAddress, LanAddresses } from "./lan-address.model.ts";
import { parseAdded, parseAddressed } from "./lan-address.parse.ts";

interface Needs {
  readonly system: Pick<System, "run" | "readText" | "writeAtomically" | "makeFolder">;
  /** It holds the record of our addresses. It may be lost at boot, as the addresses are. */
  readonly folder: string;
}

/** Addresses of LAN interfaces that no other program of the machine sets, through iproute2. */
export function lanAddressEngine({
  system,
  folder,
}: Needs): Engine<readonly LanAddress[], LanAddresses, LanAddressChange> {
  const record = `${folder}/lan-addresses.json`;
  const ours = () => parseAdded(system.readText(record));
  const keep = (added: readonly AddedAddress[]) => system.writeAtomically(record, JSON.stringify(added), 0o600);
  const without = (it: LanAddress) => ours().filter((other) => !isSame(other, it));

  async function act({ kind, added, lines }: LanAddressChange): Promise<void> {
    // Recorded before it is added: a daemon that is killed in between must find it again.
    if (kind === "add") keep([...without(added), added]);
    if (lines.length > 0) await system.run("ip", ["-batch", "-"], { stdin: `${lines.join("\n")}\n` });
    if (kind === "remove" || kind === "forget") keep(without(added));
  }

  return {
    name: "lanAddress",
    observe: async () => ({
      links: parseAddressed(await system.run("ip", ["-j", "address", "show"])),
      ours: ours(),
    }),
    changes: lanAddressChanges,
    drift: (changes) => changes.flatMap(driftOf),
    apply: async (changes) => {
      if (changes.length > 0) system.makeFolder(folder, 0o700);
      for (const change of changes) await act(change);
    },
  };
}

const driftOf = ({ kind, added: { interface: resource, address } }: LanAddressChange): Drift[] =>
  kind === "add" || kind === "raise"
    ? [{ resource, field: "address", expected: address, actual: null }]
    : [{ resource, field: "address", expected: null, actual: address }];
