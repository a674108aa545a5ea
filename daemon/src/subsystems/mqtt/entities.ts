import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import type { Overall } from "@portcullis/contract/subsystems/status";
import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";

/** What the gateway has measured. undefined or null: it does not know. */
export interface Measured {
  readonly status: Overall;
  readonly tunnels: readonly (Pick<Tunnel, "id" | "name"> & { readonly status: Tunnel["status"] | undefined })[];
  readonly leakCheck: Pick<LeakCheck, "verdict" | "finished_at" | "unchecked" | "discarded"> | null;
  readonly activeAlerts: number;
  /** Of all devices whose log level is not none, since the daemon started. */
  readonly queries: { readonly queries: number; readonly blocked: number } | undefined;
  /** Devices whose log level is not none. */
  readonly devices: { readonly known: number; readonly online: number | undefined };
  /** Whether DNS filtering is paused for everyone; undefined: there is no switch for it. */
  readonly filteringPaused: boolean | undefined;
}

/** A sensor or a switch of Home Assistant. */
export interface Entity {
  /** Unique in the gateway, of letters, digits, dashes and underscores. */
  readonly key: string;
  readonly platform: "sensor" | "binary_sensor" | "switch";
  readonly name: string;
  /** Fields of its discovery configuration, beyond those that every entity has. */
  readonly config: Readonly<Record<string, unknown>>;
  /** null: not known, and so unavailable in Home Assistant. */
  readonly value: string | null;
}

/** Numbers that no program has measured are absent, not zero. */
export function entitiesOf(measured: Measured): Entity[] {
  const { status, tunnels, leakCheck, activeAlerts, queries, devices, filteringPaused } = measured;
  const check = leakCheck?.discarded === true ? null : leakCheck;
  return [
    sensor("status", "Status", { device_class: "enum", options: ["ok", "degraded", "failed"] }, status),
    binary("leaks", "Leaks", "problem", leaking(check)),
    sensor("leak_check", "Last leak check", { device_class: "timestamp" }, check?.finished_at),
    sensor("alerts", "Active alerts", measurement, activeAlerts),
    sensor("dns_queries", "DNS queries", { state_class: "total_increasing" }, queries?.queries),
    sensor(
      "dns_blocked",
      "DNS queries blocked",
      { ...measurement, unit_of_measurement: "%" },
      queries && share(queries),
    ),
    sensor("devices", "Devices", measurement, devices.known),
    sensor("devices_online", "Devices online", measurement, devices.online),
    ...tunnels.map(({ id, name, status: state }) =>
      binary(`${tunnelPrefix}${id}`, `Tunnel ${name}`, "connectivity", state && forwarding.has(state)),
    ),
    ...(filteringPaused === undefined ? [] : [pauseSwitch(filteringPaused)]),
  ];
}

/** The key of the only entity with commands. */
export const pauseSwitchKey = "pause_filtering";

const pauseSwitch = (isOn: boolean): Entity => ({
  key: pauseSwitchKey,
  platform: "switch",
  name: "Pause filtering",
  config: {},
  value: isOn ? "ON" : "OFF",
});

const tunnelPrefix = "tunnel_";
const measurement = { state_class: "measurement" };
const forwarding: ReadonlySet<string> = new Set(["up", "degraded"] satisfies Tunnel["status"][]);

/** Devices without a result may leak: only a leak is certain then. */
function leaking(check: Measured["leakCheck"]): boolean | undefined {
  if (check === null) return undefined;
  if (check.verdict === "leaking") return true;
  return check.unchecked > 0 ? undefined : false;
}

const share = ({ queries, blocked }: NonNullable<Measured["queries"]>): string | undefined =>
  queries === 0 ? undefined : ((100 * blocked) / queries).toFixed(1);

const sensor = (key: string, name: string, config: Entity["config"], value: string | number | undefined): Entity => ({
  key,
  platform: "sensor",
  name,
  config,
  value: value === undefined ? null : String(value),
});

const binary = (key: string, name: string, deviceClass: string, isOn: boolean | undefined): Entity => ({
  key,
  platform: "binary_sensor",
  name,
  config: { device_class: deviceClass },
  value: isOn === undefined ? null : isOn ? "ON" : "OFF",
});
