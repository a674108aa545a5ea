import { because, clause, type Reason } from "@portcullis/contract/reason";
import type { Bootstrap } from "./keys.ts";
import type { Finding } from "./mistake.ts";

type Network = Bootstrap["network"];

/** An interface cannot be both uplink and LAN: the guard would accept from the Internet what it accepts from the LAN. */
export function interfaceInBothRoles({ wan_iface, lan_iface, more_lan_ifaces }: Network): Finding[] {
  const message = (other: string) =>
    `is also network.${other}; the uplink and the LAN must be two interfaces (VLANs of one port count as two)`;
  if (lan_iface === wan_iface) return [{ pointer: "/network/lan_iface", at: "value", message: message("wan_iface") }];
  return more_lan_ifaces.flatMap((name, index) =>
    name === wan_iface
      ? [{ pointer: `/network/more_lan_ifaces/${index}`, at: "value" as const, message: message("wan_iface") }]
      : [],
  );
}

/** Why the gateway cannot enforce anything on a machine with these interfaces; nothing if it can. */
export function interfacesProblem({ wan_iface, lan_iface }: Network, existing: readonly string[]): Reason | undefined {
  const missing = Object.entries({ wan_iface, lan_iface }).flatMap(([key, name]) =>
    existing.includes(name) ? [] : [because("interface_missing", { key: `network.${key}`, interface: name })],
  );
  if (missing.length === 0) return undefined;
  const present = namesOf(existing);
  return present.length === 0
    ? because("interfaces_none", { missing })
    : because("interfaces_missing", { missing, present });
}

/** The same for `--check-config`, which also reports missing LAN interfaces for which the daemon would wait. */
export function missingInterfaces(network: Network, existing: readonly string[]): string | undefined {
  const later = network.more_lan_ifaces.filter((name) => !existing.includes(name));
  const problem = interfacesProblem(network, existing);
  if (later.length === 0) return problem && clause(problem);
  const message = `network.more_lan_ifaces has ${later.join(", ")}, and there is no such interface`;
  return problem === undefined ? `${message}. ${existingInterfaces(existing)}` : `${message}; ${clause(problem)}`;
}

function existingInterfaces(existing: readonly string[]): string {
  const names = namesOf(existing);
  return names.length === 0 ? "This machine has no interfaces" : `Interfaces of this machine: ${names.join(", ")}`;
}

const namesOf = (existing: readonly string[]): string[] => existing.filter((name) => name !== "lo").toSorted();
