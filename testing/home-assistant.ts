/*
 * What Home Assistant checks in a discovery message, as far as the gateway uses it, from its sources (components/mqtt: discovery,
 * schemas, sensor, binary_sensor). An unknown field makes it discard the whole message.
 */
const topic = (value: unknown) => typeof value === "string" && /^[^\0+#]{1,65535}$/.test(value);
const text = (value: unknown) => typeof value === "string";
const url = (value: unknown) => typeof value === "string" && /^https?:\/\/[^/]+/.test(value);
const oneOf =
  (...allowed: readonly string[]) =>
  (value: unknown) =>
    allowed.includes(value as string);
const texts = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(text);

type Fields = Readonly<Record<string, (value: unknown) => boolean>>;

const device: Fields = {
  identifiers: texts,
  name: text,
  manufacturer: text,
  model: text,
  sw_version: text,
  configuration_url: url,
};
const origin: Fields = { name: text, sw_version: text };
const availability: Fields = { topic, payload_available: text, payload_not_available: text };
const general: Fields = {
  name: text,
  unique_id: text,
  state_topic: topic,
  availability: (value) =>
    Array.isArray(value) && value.every((it) => mistakesOf(availability, ["topic"], it).length === 0),
  availability_mode: oneOf("all", "any", "latest"),
  device: (value) => mistakesOf(device, ["identifiers"], value).length === 0,
  origin: (value) => mistakesOf(origin, ["name"], value).length === 0,
};
const platforms: Readonly<Record<string, Fields>> = {
  binary_sensor: { ...general, device_class: oneOf("connectivity", "problem") },
  sensor: {
    ...general,
    device_class: oneOf("enum", "timestamp"),
    state_class: oneOf("measurement", "total", "total_increasing"),
    unit_of_measurement: text,
    options: texts,
  },
  switch: { ...general, command_topic: topic, payload_on: text, payload_off: text },
};

/** What Home Assistant would refuse in a discovery message. */
export function mistakesIn(place: string, payload: string): string[] {
  const [, platform = ""] = /^[^+#]+\/([a-z_]+)\/[A-Za-z0-9_-]+\/[A-Za-z0-9_-]+\/config$/.exec(place) ?? [];
  const fields = platforms[platform];
  if (!fields) return [`${place} is no discovery topic`];
  const config = JSON.parse(payload) as Readonly<Record<string, unknown>>;
  const isEnum = config["device_class"] === "enum";
  return [
    ...mistakesOf(fields, ["state_topic", "unique_id", "device", "origin"], config),
    ...("options" in config === isEnum ? [] : ["options belong to the device class enum"]),
    ...(isEnum && ("state_class" in config || "unit_of_measurement" in config) ? ["an enum has no unit"] : []),
  ];
}

function mistakesOf(fields: Fields, required: readonly string[], value: unknown): string[] {
  if (typeof value !== "object" || value === null) return ["is no object"];
  return [
    ...required.filter((it) => !(it in value)).map((it) => `${it} is missing`),
    ...Object.entries(value)
      .filter(([name, it]) => fields[name]?.(it) !== true)
      .map(([name]) => `${name} is unknown or wrong`),
  ];
}
