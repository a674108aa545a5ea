import Type, { type Static } from "typebox";
import { closed, optionals } from "../collection.ts";
import { endpoint } from "../endpoint.ts";
import { pauseMinutes } from "./pauses.ts";
import {
  DiscardedSecrets,
  named,
  Nullable,
  OneOf,
  optionalReasonFields,
  reasonFields,
  secret,
  Timestamp,
} from "../values.ts";

const line = "^[^\\p{Cc}\\p{Cs}]+$";

/** Where a broker is and how it is reached: the same for an alert channel. */
export const brokerForms = {
  host: { minLength: 1, maxLength: 253, pattern: "^[A-Za-z0-9_.:-]+$" },
  topic: { minLength: 1, maxLength: 128, pattern: "^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$" },
  ca: {
    maxLength: 65_536,
    pattern: "^\\s*(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----\\s*)+$",
  },
} as const;

const settings = {
  enabled: Type.Boolean({ description: "Whether the gateway connects to the broker" }),
  host: Nullable(Type.String({ ...brokerForms.host, description: "The broker: a host name or an address" })),
  port: Nullable(Type.Integer({ minimum: 1, maximum: 65_535, description: "null: 8883, with security none 1883" })),
  security: OneOf(["tls", "none"], {
    description: "tls unless given; none: everything is sent in the clear, the password too",
  }),
  ca: Nullable(
    Type.String({
      ...brokerForms.ca,
      description:
        "Certificates in PEM form that are trusted in place of those of the system; null: those of the system",
    }),
  ),
  username: Nullable(
    Type.String({ minLength: 1, maxLength: 255, pattern: line, description: "The account at the broker" }),
  ),
  discovery_prefix: Type.String({
    ...brokerForms.topic,
    description: "First part of the topics that Home Assistant reads configurations from; homeassistant unless given",
  }),
  base_topic: Type.String({
    ...brokerForms.topic,
    description: "First part of the topics with states; portcullis unless given",
  }),
  configuration_url: Nullable(
    Type.String({
      maxLength: 2048,
      pattern: "^https?://[^\\s\\p{Cc}@#]+$",
      description: "Address of this web interface, which Home Assistant links to; null: no link",
    }),
  ),
  pause_switch_min: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: pauseMinutes.maximum,
      description:
        "A switch that pauses DNS filtering for everyone for this many minutes; null: no switch, and no command is accepted",
    }),
  ),
};

const storedFields = { ...settings, has_password: Type.Boolean({ description: "Whether a password is stored" }) };
const Stored = Type.Object(storedFields);
/** The published settings. The password is the sealed value. */
export type PublishedMqtt = Readonly<Static<typeof Stored>> & {
  readonly id: string;
  readonly name: string;
  readonly secret: { readonly id: string; readonly version: number } | null;
};

const connectionFields = {
  state: OneOf(["off", "connecting", "connected", "failed"], {
    description: "off: not enabled; failed: not connected, and tried again at next_attempt_at",
  }),
  connected_since: Nullable({ ...Timestamp, description: "null: not connected" }),
  entities: Type.Integer({ description: "Entities that the broker has accepted in this connection" }),
  unavailable: Type.Integer({ description: "Those of them whose value is not known now" }),
  next_attempt_at: Nullable(Timestamp),
  ...optionalReasonFields("Why the last connection ended or failed, as a sentence; empty: it did not"),
};
const Connection = Type.Object(connectionFields);
export type MqttStatus = Readonly<Static<typeof Connection>>;

const Mqtt = named("Mqtt", Type.Object({ ...storedFields, ...connectionFields, discarded_secrets: DiscardedSecrets }));
export type Mqtt = Readonly<Static<typeof Mqtt>>;

const MqttTest = named(
  "MqttTest",
  Type.Object({
    accepted: Type.Boolean({ description: "Whether the broker accepted the connection and a message" }),
    ...reasonFields("What the broker answered, as a sentence"),
  }),
);
export type MqttTest = Readonly<Static<typeof MqttTest>>;

/** The gateway as a device of Home Assistant, by an MQTT broker. */
export const mqtt = {
  get: endpoint({
    method: "GET",
    path: "/integrations/mqtt",
    role: "operator",
    summary: "Settings of the connection to an MQTT broker for Home Assistant, and its status",
    result: Mqtt,
    errors: [],
    cli: { words: ["mqtt", "status"] },
  }),
  put: endpoint({
    method: "PUT",
    path: "/integrations/mqtt",
    role: "admin",
    summary: "Change the connection to an MQTT broker",
    description: "Fields that are not given keep their value. The gateway connects again with the new settings.",
    body: named(
      "MqttUpdate",
      closed(
        optionals({
          ...settings,
          password: Nullable(
            Type.String({
              minLength: 1,
              maxLength: 255,
              pattern: line,
              description: "Write-only",
              ...secret("host", "port", "security", "ca"),
            }),
          ),
        }),
      ),
    ),
    result: Mqtt,
    errors: ["conflict", "change_pending", "secrets_undecipherable"],
    audit: { verb: "update", noun: "mqtt" },
    cli: { words: ["mqtt", "update"] },
  }),
  test: endpoint({
    method: "POST",
    path: "/integrations/mqtt/test",
    role: "operator",
    summary: "Connect to the MQTT broker once and publish a message that is not kept, and show what it answered",
    description: "Also if the connection is not enabled. The answer takes up to 15 s.",
    result: MqttTest,
    errors: ["conflict", "secrets_undecipherable"],
    audit: { verb: "test", noun: "mqtt" },
    cli: { words: ["mqtt", "test"] },
  }),
};
