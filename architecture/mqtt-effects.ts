import { type Effect, effect, inSubsystem } from "./effect.ts";

const api = inSubsystem("mqtt/mqtt.api");

/** Fields of the connection to a broker. */
export const mqttEffects: readonly Effect[] = [
  effect("mqtt", "host port configuration_url", api, "a broker receives the gateway as a device of Home Assistant"),
  effect("mqtt", "enabled discovery_prefix base_topic", api, "a tunnel that was removed while the connection was off"),
  effect("mqtt", "username password", api, "a wrong password is the coded reason of the status and of a test"),
  effect(
    "mqtt",
    "pause_switch_min",
    api,
    "a switch pauses filtering for everyone and shows each pause; without it no command is accepted",
  ),
  effect("mqtt", "security ca", api, "with TLS the broker needs a certificate of a trusted authority"),
];
