import type { EventName } from "@portcullis/contract/events";
import type { PrivacyClass, TrustClass } from "@portcullis/contract/subsystems/classes";
import type { Device } from "@portcullis/contract/subsystems/devices";
import type { Component } from "@portcullis/contract/subsystems/status";
import type { Tunnel } from "@portcullis/contract/subsystems/tunnels";
import { privacyIn } from "../../compiler/dns/filter-policy.ts";
import type { Bootstrap } from "../../config/keys.ts";
import type { Live } from "../../http/live.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Planes } from "../../planes/planes.ts";
import type { Operations } from "../../subsystems/configuration/operations.ts";
import { type Entity, entitiesOf, type Measured } from "../../subsystems/mqtt/entities.ts";
import { mqttLink } from "../../subsystems/mqtt/link.ts";
import { mqttComponent } from "../../subsystems/mqtt/mqtt.component.ts";
import { mqttRoutes } from "../../subsystems/mqtt/mqtt.routes.ts";
import { pauseSwitch } from "../../subsystems/mqtt/pause-switch.ts";
import { mqttService } from "../../subsystems/mqtt/mqtt.service.ts";
import type { Pauses } from "../../subsystems/pauses/pauses.service.ts";
import { storedPqMode } from "../../subsystems/pq-crypto/stored-mode.ts";
import type { SecretKeeping } from "../../subsystems/sealed.ts";
import { worst } from "../../subsystems/status/status.routes.ts";
import { connectMqtt, publishOnce } from "../../system/mqtt.ts";
import { opened } from "../module.ts";
import type { openDns } from "./dns.ts";
import type { openWatching } from "./watching.ts";

interface Needs {
  readonly bootstrap: Bootstrap;
  readonly ledger: Ledger;
  readonly secrets: SecretKeeping;
  readonly live: Pick<Live, "announce" | "onEvent">;
  readonly planes: Pick<Planes, "linkStatus">;
  readonly dns: Pick<ReturnType<typeof openDns>, "counted">;
  readonly watching: Pick<ReturnType<typeof openWatching>, "alertStates" | "lastLeakCheck" | "observedDevices">;
  /** The other components of the status. */
  readonly components: readonly (() => Component | Promise<Component>)[];
  readonly pauses: Pauses;
  readonly nodeId: string;
  readonly now: () => Date;
  readonly warn: (message: string, error: unknown) => void;
}

type Connect = Parameters<typeof mqttService>[0]["connect"];
type Publish = Parameters<typeof mqttService>[0]["publishOnce"];

/** Other programs that receive the state of the gateway. */
export function openIntegrations(needs: Needs) {
  const { bootstrap, ledger, secrets, live, planes, dns, watching, pauses, nodeId, now, warn } = needs;
  const isEnforcing = bootstrap.dataplane.enabled;
  const link = mqttLink({ announce: live.announce, nowMs: () => now().getTime(), random: Math.random });
  const components = [() => mqttComponent(link.status())];
  const pqMode = storedPqMode(ledger);
  const connect: Connect = (server, ...rest) => connectMqtt({ ...server, pqMode: pqMode() }, ...rest);
  const publish: Publish = (server, ...rest) => publishOnce({ ...server, pqMode: pqMode() }, ...rest);
  const core = { ledger, secrets, nodeId, connect, publishOnce: publish };
  const filtering = pauseSwitch({ ledger, pauses, onTurned: link.wake, warn });

  async function measured(): Promise<Measured> {
    const states = await Promise.all([...needs.components, ...components].map(async (read) => read()));
    const tunnels = ledger.staged<Tunnel>("tunnel").all();
    return {
      status: worst(states),
      tunnels: tunnels.map(({ id, name }) => ({
        id,
        name,
        status: isEnforcing ? planes.linkStatus.tunnel(id).status : undefined,
      })),
      leakCheck: watching.lastLeakCheck(),
      activeAlerts: watching.alertStates().filter(({ state }) => state !== "resolved").length,
      queries: isEnforcing && bootstrap.dns.enabled ? dns.counted() : undefined,
      devices: devices(),
      filteringPaused: filtering.isOn(),
    };
  }

  /** Without those whose log level is none: nothing about them is published. */
  function devices(): Measured["devices"] {
    const all = <R extends { readonly id: string }>(kind: string) => ledger.staged<R>(kind).all();
    const privacyOf = privacyIn({
      privacy_class: all<PrivacyClass>("privacy_class"),
      trust_class: all<TrustClass>("trust_class"),
    });
    const counted = new Set(
      all<Device>("device")
        .filter((it) => privacyOf(it).log !== "none")
        .map(({ id }) => id),
    );
    const online = new Set(
      watching
        .observedDevices()
        .flatMap((it) => (it.online && it.deviceId !== null && counted.has(it.deviceId) ? [it.deviceId] : [])),
    );
    return { known: counted.size, online: isEnforcing ? online.size : undefined };
  }

  async function read(): Promise<readonly Entity[]> {
    try {
      return entitiesOf(await measured());
    } catch (error) {
      warn("The state for the MQTT broker cannot be read", error);
      throw error;
    }
  }

  const service = mqttService({ ...core, link, read, pauseFiltering: filtering.turn });
  const follow = () =>
    void service.follow().catch((error: unknown) => warn("The MQTT connection was not changed", error));
  const adjust = () => {
    follow();
    link.wake();
  };
  ledger.watch(({ revision }) => revision !== undefined && adjust());
  live.onEvent((name) => void (!uninformative.has(name) && link.wake()));
  follow();
  const operations: Operations = { mqtt: { put: service.write } };
  return opened({ operations, handlers: { mqtt: mqttRoutes(service) }, components, close: link.close });
}

/** Frequent events that change no entity. */
const uninformative: ReadonlySet<EventName> = new Set(["audit.recorded", "leak.progress", "mqtt.disconnected"]);
