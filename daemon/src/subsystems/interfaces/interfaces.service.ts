import type { NetworkInterface } from "@portcullis/contract/subsystems/interfaces";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Resource } from "../../ledger/collection.ts";

/** An interface as the kernel has it, without its role. */
export type SeenInterface = Omit<NetworkInterface, "role">;

interface Needs {
  readonly ledger: Ledger;
  /** LAN interfaces. */
  readonly lan: () => readonly string[];
  readonly uplinks: () => readonly string[];
  readonly read: () => Promise<readonly SeenInterface[]>;
}
interface Bridge extends Resource {
  readonly interface: string;
  readonly members: readonly string[];
}
interface Tunnel extends Resource {
  readonly interface: string;
}

/** The interfaces of the kernel with their role for the gateway. */
export function interfaceService({ ledger, lan, uplinks, read }: Needs) {
  function named(): Named {
    const bridges = ledger.staged<Bridge>("bridge").all();
    return {
      lan: lan(),
      uplinks: uplinks(),
      tunnels: ledger
        .staged<Tunnel>("tunnel")
        .all()
        .map((it) => it.interface),
      bridges: bridges.map((it) => it.interface),
      members: bridges.flatMap((it) => it.members),
    };
  }
  return { list: async (): Promise<NetworkInterface[]> => withRoles(await read(), named()) };
}

/** The interfaces that settings name, by role. */
export interface Named {
  readonly lan: readonly string[];
  readonly uplinks: readonly string[];
  readonly tunnels: readonly string[];
  readonly bridges: readonly string[];
  readonly members: readonly string[];
}

/** Roles in order of importance: a bridge that is a LAN has the role lan. */
export function withRoles(seen: readonly SeenInterface[], named: Named): NetworkInterface[] {
  const kinds = new Map(seen.map(({ name, kind }) => [name, kind]));
  function ownRole({ name, master }: SeenInterface): NetworkInterface["role"] {
    if (named.lan.includes(name)) return "lan";
    if (named.uplinks.includes(name)) return "uplink";
    if (named.tunnels.includes(name)) return "tunnel";
    if (named.bridges.includes(name)) return "bridge";
    // Also ports of foreign bridges: they are in use.
    if (named.members.includes(name) || (master !== null && kinds.get(master) === "bridge")) return "bridge member";
    return "unused";
  }
  const own = seen.map((it) => ({ ...it, role: ownRole(it) }));
  const trunks = new Set(own.flatMap((it) => (it.role === "unused" || it.parent === null ? [] : [it.parent])));
  return own.map((it) => (it.role === "unused" && trunks.has(it.name) ? { ...it, role: "trunk" } : it));
}
