import type { SetupRequest, SetupState } from "@portcullis/contract/subsystems/setup";

/** Each role has at most one interface. */
export interface Roles {
  readonly wan: string | null;
  readonly lan: string | null;
}
export type PortRole = "wan" | "lan" | "unused";

export const roleOf = ({ wan, lan }: Roles, name: string): PortRole =>
  name === wan ? "wan" : name === lan ? "lan" : "unused";

/** The interface that had the role takes the one that this interface gives up. */
export function assign(roles: Roles, name: string, role: PortRole): Roles {
  const given = roleOf(roles, name);
  if (given === role) return roles;
  const without = { ...roles, ...(given !== "unused" && { [given]: null }) };
  if (role === "unused") return without;
  return { ...without, ...(given !== "unused" && { [given]: roles[role] }), [role]: name };
}

/** What the user has entered; undefined: as proposed. */
export interface NetworkDraft {
  readonly roles: Roles;
  readonly address: string | undefined;
  readonly dhcp: boolean | undefined;
  readonly unknown: "direct" | "block";
  readonly webOnLan: boolean;
  /** Port of the gateway that stays reachable from the uplink; undefined: none besides those configured. */
  readonly keptPort: number | undefined;
}

/** undefined: a role is missing. */
export function requestFor(draft: NetworkDraft, { interfaces, settings }: SetupState): SetupRequest | undefined {
  const { wan, lan } = draft.roles;
  if (wan === null || lan === null) return undefined;
  const proposed = interfaces.find(({ name }) => name === lan)?.free_address ?? null;
  const ports = settings.uplink_ports;
  return {
    wan,
    lan,
    ...(proposed !== null && { lan_address: draft.address ?? proposed }),
    dhcp: draft.dhcp ?? proposed !== null,
    unknown: draft.unknown,
    ...(draft.webOnLan && { web_on_lan: true }),
    ...(draft.keptPort !== undefined &&
      !ports.includes(draft.keptPort) && { uplink_ports: [...ports, draft.keptPort] }),
  };
}

/** Whether the daemon has started with what was requested. */
export const isInForce = ({ settings, steps }: SetupState, { wan, lan }: Pick<SetupRequest, "wan" | "lan">): boolean =>
  settings.enabled && settings.wan === wan && settings.lan === lan && steps.network;
