import { version } from "@portcullis/contract/version";
import type { Entity } from "./entities.ts";

interface Place {
  readonly discoveryPrefix: string;
  readonly baseTopic: string;
  readonly nodeId: string;
  readonly configurationUrl: string | null;
}

export type Topics = ReturnType<typeof topicsOf>;

/** The topics of a gateway and their contents, as MQTT discovery of Home Assistant defines them. All are retained. */
export function topicsOf({ discoveryPrefix, baseTopic, nodeId, configurationUrl }: Place) {
  const device = `portcullis_${nodeId}`;
  const base = `${baseTopic}/${nodeId}`;
  const availability = `${base}/availability`;
  const stateOf = (key: string) => `${base}/${key}/state`;
  const availabilityOf = (key: string) => `${base}/${key}/availability`;
  const commandOf = (key: string) => `${base}/${key}/set`;
  const configPattern = new RegExp(`^${discoveryPrefix}/[a-z_]+/${device}/([A-Za-z0-9_-]+)/config$`);

  const configOf = ({ key, platform, name, config }: Entity) => ({
    topic: `${discoveryPrefix}/${platform}/${device}/${key}/config`,
    payload: JSON.stringify({
      name,
      unique_id: `${device}_${key}`,
      state_topic: stateOf(key),
      availability: [{ topic: availability }, { topic: availabilityOf(key) }],
      availability_mode: "all",
      ...(platform === "switch" && { command_topic: commandOf(key) }),
      ...config,
      device: {
        identifiers: [device],
        name: "Portcullis",
        manufacturer: "Portcullis",
        model: "Network privacy gateway",
        sw_version: version,
        ...(configurationUrl !== null && { configuration_url: configurationUrl }),
      },
      origin: { name: "Portcullis", sw_version: version },
    }),
  });

  return {
    /** Whether the gateway is connected: the broker sets it to offline when the connection is lost. */
    availability,
    /** A message that is not retained. */
    test: `${base}/test`,
    /** Matches the configurations of this gateway, those of earlier connections too. */
    configs: `${discoveryPrefix}/+/${device}/+/config`,
    /** Commands for this entity: not retained, and only if it has any. */
    commandOf,
    /** Topic → contents, in the order of publication: an entity exists before its state. A value that is not known has no state. */
    contentsOf: (entities: readonly Entity[]): Map<string, string> =>
      new Map(
        entities.flatMap((it) => {
          const { topic, payload } = configOf(it);
          return [
            [topic, payload] as const,
            ...(it.value === null ? [] : [[stateOf(it.key), it.value] as const]),
            [availabilityOf(it.key), it.value === null ? "offline" : "online"] as const,
          ];
        }),
      ),
    /** The topics of the entity with this configuration; none if it is not one of this gateway. */
    ofEntity: (config: string): string[] => {
      const key = configPattern.exec(config)?.[1];
      return key === undefined ? [] : [config, stateOf(key), availabilityOf(key)];
    },
  };
}
