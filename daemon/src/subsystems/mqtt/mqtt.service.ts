import type { InputOf } from "@portcullis/contract/endpoint";
import { Problem } from "@portcullis/contract/problem";
import { because, explained } from "@portcullis/contract/reason";
import type { Mqtt, MqttTest, mqtt, PublishedMqtt } from "@portcullis/contract/subsystems/mqtt";
import type { Cause } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { serial } from "../../system/async.ts";
import { brokerOf, type MqttServer, refusalOf } from "../mqtt-broker.ts";
import { given, refuseField } from "../resources.ts";
import { type SecretKeeping, sealedResource } from "../sealed.ts";
import { discardedPassword, neededAgain, secretAfter } from "../sent-secrets.ts";
import { type Entity, pauseSwitchKey } from "./entities.ts";
import type { Link, Target } from "./link.ts";
import { type Connection, openSession } from "./session.ts";
import { type Topics, topicsOf } from "./topics.ts";

type Kept = PublishedMqtt;
type PutBody = InputOf<typeof mqtt.put>["body"];

interface Account {
  readonly clientId: string;
  readonly login: { readonly username: string; readonly password: string } | null;
}

interface Needs {
  readonly ledger: Ledger;
  readonly secrets: SecretKeeping;
  readonly link: Link;
  readonly nodeId: string;
  readonly read: () => Promise<readonly Entity[]>;
  /** Pauses DNS filtering for everyone, or ends that. */
  readonly pauseFiltering: (isOn: boolean, minutes: number) => void;
  readonly connect: (
    server: MqttServer,
    client: Account & {
      readonly will: { readonly topic: string; readonly payload: string };
      readonly onMessage: (topic: string, payload: string, isRetained: boolean) => void;
    },
    signal: AbortSignal,
  ) => Promise<Connection>;
  readonly publishOnce: (
    server: MqttServer,
    message: Account & { readonly topic: string; readonly payload: string },
    signal: AbortSignal,
  ) => Promise<void>;
}

export type MqttService = ReturnType<typeof mqttService>;

/** The connection to a broker by which Home Assistant learns the state of the gateway. */
export function mqttService({ ledger, secrets, link, nodeId, read, pauseFiltering, connect, publishOnce }: Needs) {
  const collection = ledger.staged<Kept>("mqtt");
  const sealed = sealedResource<Kept>({ ledger, secrets, kind: "mqtt" });
  const inTurn = serial();
  const kept = (): Kept => ({ ...blank, ...collection.get(mqttId) });
  /** The settings that the connection was opened with. */
  let inUse: Kept | undefined;

  async function accountOf({ username, secret }: Kept, clientId: string): Promise<Account> {
    if (username === null || secret === null) return { clientId, login: null };
    return { clientId, login: { username, password: await secrets.revealFor(secret) } };
  }

  const targetOf = (settings: Kept, host: string): Target => ({
    host,
    open: async (onCurrent, signal) => {
      const topics = topicsOfGateway(settings);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
      const account = await accountOf(settings, `portcullis-${nodeId.slice(-12)}`);
      const will = { topic: topics.availability, payload: "offline" };
      const server = { ...brokerOf(settings), host };
      return openSession({
        topics,
        read,
        onCurrent,
        commands: commandsOf(settings, topics),
        open: (onMessage) => connect(server, { ...account, will, onMessage }, limit),
      });
    },
  });
  function commandsOf({ pause_switch_min: minutes }: Kept, topics: Topics): Map<string, (payload: string) => void> {
    if (minutes === null) return new Map();
    const pause = (payload: string) => {
      if (payload === "ON" || payload === "OFF") pauseFiltering(payload === "ON", minutes);
    };
    return new Map([[topics.commandOf(pauseSwitchKey), pause]]);
  }
  const topicsOfGateway = ({ discovery_prefix, base_topic, configuration_url }: Kept): Topics =>
    topicsOf({
      discoveryPrefix: discovery_prefix,
      baseTopic: base_topic,
      nodeId,
      configurationUrl: configuration_url,
    });

  /** Connects with the settings in force; also after a rollback, which changes them without a request. */
  const follow = (): Promise<void> =>
    inTurn(async () => {
      const settings = kept();
      if (JSON.stringify(settings) === JSON.stringify(inUse)) return;
      const before = inUse;
      inUse = settings;
      const { enabled, host } = settings;
      const leaving = before && enabled && placeOf(before) === placeOf(settings) ? "offline" : "removed";
      await link.change(enabled && host !== null ? targetOf(settings, host) : undefined, leaving);
    });

  function shown(): Mqtt {
    const { id: _id, name: _name, secret: _secret, ...settings } = kept();
    return { ...settings, ...link.status() };
  }

  /** Returns whether the stored password was discarded. */
  async function write(cause: Cause, { password, ...requested }: PutBody): Promise<boolean> {
    const before = collection.get(mqttId);
    const after = { ...kept(), ...given(requested) };
    const { change, isStored, isDiscarded } = secretAfter({
      requested: password,
      isStored: kept().has_password,
      before: destinationOf(kept()),
      after: destinationOf(after),
    });
    const username = isDiscarded ? (requested.username ?? null) : after.username;
    const wanted: Kept = { ...after, username, has_password: isStored };
    refuseIncomplete(wanted, isDiscarded);
    await sealed.put(cause, before, wanted, change);
    return isDiscarded;
  }

  return {
    get: shown,
    follow,
    /** The connection follows the ledger. */
    write,
    put: async (cause: Cause, body: PutBody): Promise<Mqtt> => {
      const isDiscarded = await write(cause, body);
      await follow();
      return { ...shown(), ...(isDiscarded && discardedPassword) };
    },
    test: async (cause: Cause): Promise<MqttTest> => {
      const settings = kept();
      const { host } = settings;
      if (host === null) throw new Problem("conflict", { field: "host" }, { message: "The broker is not set" });
      ledger.change(cause, (draft) => draft.about(mqttId));
      const message = { topic: topicsOfGateway(settings).test, payload: "test" };
      const account = await accountOf(settings, `portcullis-test-${nodeId.slice(-7)}`);
      try {
        const server = { ...brokerOf(settings), host };
        await publishOnce(server, { ...account, ...message }, AbortSignal.timeout(connectMs));
        return { accepted: true, ...explained(because("mqtt_accepted")) };
      } catch (error) {
        return { accepted: false, ...explained(refusalOf(error).reason) };
      }
    },
  };
}

const mqttId = "mqtt";
const connectMs = 15_000;

const blank: Kept = {
  id: mqttId,
  name: "MQTT",
  enabled: false,
  host: null,
  port: null,
  security: "tls",
  ca: null,
  username: null,
  discovery_prefix: "homeassistant",
  base_topic: "portcullis",
  configuration_url: null,
  pause_switch_min: null,
  has_password: false,
  secret: null,
};

function refuseIncomplete(wanted: Kept, isDiscarded: boolean): void {
  brokerOf(wanted);
  const { enabled, host, username, has_password, configuration_url: url } = wanted;
  if (enabled && host === null) refuseField("host", "is missing: the gateway connects to it");
  if ((username !== null) !== has_password)
    refuseField(has_password ? "username" : "password", isDiscarded ? neededAgain : missing);
  if (url !== null && URL.parse(url) === null) refuseField("configuration_url", "is not a valid URL");
}

const missing = "is missing: username and password belong together";

/** Where its password is sent. */
const destinationOf = ({ host, security, ca, port }: Kept): string =>
  JSON.stringify([host?.toLowerCase(), security, ca, port ?? (security === "none" ? 1883 : 8883)]);

/** Where its entities are kept. */
const placeOf = ({ host, port, discovery_prefix, base_topic }: Kept): string =>
  JSON.stringify([host?.toLowerCase(), port, discovery_prefix, base_topic]);
