import { expect, test } from "vitest";
import { brokerLogin, openBroker } from "../../../../testing/broker.ts";
import { makeCertificate } from "../../../../testing/certificates.ts";
import { until } from "../../../../testing/deadline.ts";
import { openEventStream } from "../../../../testing/event-stream.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";
import { mistakesIn } from "../../../../testing/home-assistant.ts";
import { wireguardConfig } from "../../../../testing/tunnels.ts";

/* A real broker, and a client of the same package in the place of Home Assistant. */
const plain = (port: number) => ({ enabled: true, host: "127.0.0.1", port, security: "none", ...brokerLogin }) as const;
const isConnected = (gateway: TestGateway) => async () => (await gateway.client.mqtt.get()).state === "connected";

interface Shown {
  readonly topics: ReadonlyMap<string, string>;
}
/** The entities as Home Assistant would have them: unavailable unless every availability topic says online. */
function entitiesIn({ topics }: Shown) {
  const configs = [...topics].filter(([topic]) => topic.endsWith("/config"));
  return Object.fromEntries(
    configs.map(([, text]) => {
      const { name, state_topic, availability } = JSON.parse(text) as {
        readonly name: string;
        readonly state_topic: string;
        readonly availability: readonly { readonly topic: string }[];
      };
      const isAvailable = availability.every(({ topic }) => topics.get(topic) === "online");
      return [name, isAvailable ? topics.get(state_topic) : "unavailable"];
    }),
  );
}
const unmeasured = {
  Leaks: "unavailable",
  "Last leak check": "unavailable",
  "DNS queries": "unavailable",
  "DNS queries blocked": "unavailable",
  "Devices online": "unavailable",
};

test("mqtt: a broker receives the gateway as a device of Home Assistant, without values that are not measured, and each change", async () => {
  await using broker = await openBroker();
  await using home = await broker.subscribe();
  await using gateway = await startGateway();
  const { mqtt, tunnels, devices } = gateway.client;
  const configuration_url = "https://gateway.example:8080";
  const { id } = await tunnels.create({ body: { name: "Oslo", type: "wireguard", config: wireguardConfig() } });
  const put = await mqtt.put({ body: { ...plain(broker.port), configuration_url } });
  expect(put).toMatchObject({ has_password: true, username: "portcullis" });
  await until("it is connected", isConnected(gateway));
  const { health } = await gateway.client.status.status();
  const first = { Status: health, "Active alerts": "0", Devices: "0", ...unmeasured, "Tunnel Oslo": "unavailable" };
  await until("everything is published", async () => JSON.stringify(entitiesIn(home)).includes('"Tunnel Oslo"'));
  await until("the gateway is online", async () => entitiesIn(home)["Status"] !== "unavailable");
  expect(entitiesIn(home)).toEqual(first);
  expect(await mqtt.get()).toMatchObject({ state: "connected", entities: 9, unavailable: 6, reason: "" });

  const configs = [...home.topics].filter(([topic]) => topic.startsWith("homeassistant/"));
  expect(configs.flatMap(([topic, text]) => mistakesIn(topic, text))).toEqual([]);
  expect(mistakesIn(configs[0]![0], JSON.stringify({ ...JSON.parse(configs[0]![1]), state_topc: "x" }))).not.toEqual(
    [],
  );
  expect(configs.every(([, text]) => JSON.parse(text).device.configuration_url === configuration_url)).toBe(true);

  await devices.create({ body: { name: "Laptop" } });
  await until("the new device is counted", async () => entitiesIn(home)["Devices"] === "1");
  await tunnels.update({ params: { id }, body: { name: "Bergen" } });
  await until("the entity is renamed", async () => "Tunnel Bergen" in entitiesIn(home));
  await tunnels.remove({ params: { id } });
  await until("the entity is removed", async () => !("Tunnel Bergen" in entitiesIn(home)));
  await until("its topics are removed", async () => [...home.topics.keys()].every((it) => !it.includes(id)));
});

test("mqtt: devices with the log level none are in no message, and others are counted", async () => {
  await using broker = await openBroker();
  await using home = await broker.subscribe();
  await using gateway = await startGateway();
  const { mqtt, devices, privacyClasses } = gateway.client;
  const silent = await privacyClasses.create({ body: { name: "silent", log_level: "none" } });
  await devices.create({ body: { name: "Laptop", mac: "02:00:00:00:00:01" } });
  await devices.create({ body: { name: "Diary", mac: "02:00:00:00:00:02", privacy_class: silent.id } });
  await mqtt.put({ body: plain(broker.port) });
  await until("devices are counted", async () => entitiesIn(home)["Devices"] === "1");
  await devices.create({ body: { name: "Phone", mac: "02:00:00:00:00:03" } });
  await until("the other device is counted", async () => entitiesIn(home)["Devices"] === "2");
  const said = JSON.stringify(home.messages);
  expect(["Diary", "02:00:00:00:00:02", "silent"].filter((it) => said.includes(it))).toEqual([]);
});

test("mqtt: a broker that was down gets everything again, and a gateway that stops is offline there", async () => {
  await using broker = await openBroker();
  await using gateway = await startGateway();
  await using events = await openEventStream(gateway.origin);
  const { mqtt, tunnels } = gateway.client;
  const { id } = await tunnels.create({ body: { name: "Oslo", type: "wireguard", config: wireguardConfig() } });
  await mqtt.put({ body: plain(broker.port) });
  await events.next(({ event }) => event === "mqtt.connected");
  await broker.kill9();
  const lost = await events.next(({ event }) => event === "mqtt.disconnected");
  expect(lost.data.data.coded_reason.code).toBe("mqtt_unreachable");
  expect(await mqtt.get()).toMatchObject({ state: "failed", connected_since: null });
  const observed = async () => (await gateway.client.status.observer()).components.find(({ name }) => name === "mqtt");
  expect(await observed()).toMatchObject({ status: "degraded" });
  await broker.start();
  await events.next(({ event }) => event === "mqtt.connected");
  {
    await using home = await broker.subscribe();
    await until("everything is there", async () => "Tunnel Oslo" in entitiesIn(home));
    expect(await observed()).toMatchObject({ status: "ok" });
  }
  await gateway[Symbol.asyncDispose]();
  await using home = await broker.subscribe();
  await until("the stopped gateway is offline", async () => entitiesIn(home)["Status"] === "unavailable");
  expect(entitiesIn(home)).toHaveProperty(["Tunnel Oslo"]);
  expect([...home.topics.keys()].some((it) => it.includes(id))).toBe(true);
});

test("mqtt: a tunnel that was removed while the connection was off is removed from the broker, and a disabled gateway altogether", async () => {
  await using broker = await openBroker();
  await using home = await broker.subscribe();
  await using gateway = await startGateway();
  const { mqtt, tunnels } = gateway.client;
  const { id } = await tunnels.create({ body: { name: "Oslo", type: "wireguard", config: wireguardConfig() } });
  await mqtt.put({ body: plain(broker.port) });
  await until("everything is there", async () => "Tunnel Oslo" in entitiesIn(home));
  await mqtt.put({ body: { password: "wrong" } });
  await until("it is not connected", async () => (await mqtt.get()).state === "failed");
  await tunnels.remove({ params: { id } });
  expect(entitiesIn(home)).toMatchObject({ "Tunnel Oslo": "unavailable" });
  await mqtt.put({ body: { password: brokerLogin.password } });
  await until("the entity is removed", async () => !("Tunnel Oslo" in entitiesIn(home)));
  await until("the gateway is online", async () => entitiesIn(home)["Status"] !== "unavailable");
  await mqtt.put({ body: { base_topic: "gateways/one", discovery_prefix: "ha" } });
  await until("it uses the other topics", async () => [...home.topics.keys()].some((it) => it.startsWith("ha/")));
  const elsewhere = () => [...home.topics.keys()].filter((it) => !/^(ha|gateways\/one)\//.test(it));
  await until("the topics from before are removed", async () => elsewhere().length === 0);
  await mqtt.put({ body: { enabled: false } });
  await until("nothing is kept", async () => home.topics.size === 0);
  expect(await mqtt.get()).toMatchObject({ state: "off", entities: 0 });
});

test("mqtt: a switch pauses filtering for everyone and shows each pause; without it no command is accepted", async () => {
  await using broker = await openBroker();
  await using home = await broker.subscribe();
  await using gateway = await startGateway();
  const { mqtt, pauses, audit } = gateway.client;
  const shown = () => entitiesIn(home)["Pause filtering"];
  const config = () => [...home.topics].find(([topic]) => topic.includes("/switch/"));
  await mqtt.put({ body: plain(broker.port) });
  const statusTopic = () => [...home.topics.keys()].find((it) => it.endsWith("/status/state"));
  await until("the status is published", async () => statusTopic() !== undefined);
  const command = statusTopic()!.replace("/status/state", "/pause_filtering/set");
  expect(config()).toBeUndefined();
  broker.publish(command, "ON");

  // Retained, before the gateway subscribes: it has no effect.
  broker.publish(command, "ON", "--retain");
  await mqtt.put({ body: { pause_switch_min: 15 } });
  await until("the switch is there", async () => shown() === "OFF");
  expect(mistakesIn(...config()!)).toEqual([]);
  expect(JSON.parse(config()![1])).toMatchObject({ command_topic: command });
  broker.publish(command, "PRESS");
  broker.publish(command, "ON");
  await until("it is on", async () => shown() === "ON");
  const active = await pauses.active();
  expect(active).toMatchObject([
    { type: "filtering", source_type: "everyone", duration_min: 15, actor: "mqtt", reason: "Switch in Home Assistant" },
  ]);
  broker.publish(command, "OFF");
  await until("it is off", async () => shown() === "OFF");
  expect(await pauses.active()).toEqual([]);
  const audited = (await audit.list({ query: { actor: "mqtt" } })).items.map(({ action }) => action);
  expect(audited).toEqual(["delete_pause", "create_pause"]);

  const own = await pauses.create({ body: { type: "filtering", source_type: "everyone", duration_min: 5 } });
  await until("a pause by the API is shown", async () => shown() === "ON");
  await pauses.remove({ params: { id: own.id } });
  await until("its end is shown", async () => shown() === "OFF");
  await mqtt.put({ body: { pause_switch_min: null } });
  await until("the switch is removed", async () => config() === undefined);
});

test("mqtt: a wrong password is the coded reason of the status and of a test, and the right one connects", async () => {
  await using broker = await openBroker();
  await using gateway = await startGateway();
  const { mqtt } = gateway.client;
  await mqtt.put({ body: { ...plain(broker.port), password: "wrong" } });
  await until("it is refused", async () => (await mqtt.get()).state === "failed");
  expect((await mqtt.get()).coded_reason).toEqual({ code: "mqtt_login_refused", params: {} });
  expect(await mqtt.test()).toMatchObject({ accepted: false, coded_reason: { code: "mqtt_login_refused" } });
  await mqtt.put({ body: { password: brokerLogin.password } });
  await until("it is connected", isConnected(gateway));
  expect(await mqtt.test()).toMatchObject({ accepted: true });
});

test("mqtt: with TLS the broker needs a certificate of a trusted authority, and a certificate of one's own can be that", async () => {
  using folder = temporaryFolder();
  const pair = await makeCertificate(folder.path, "broker");
  const other = await makeCertificate(folder.path, "other");
  await using broker = await openBroker({ pair });
  await using gateway = await startGateway();
  const { mqtt } = gateway.client;
  const tls = { ...plain(broker.port), security: "tls" } as const;
  await mqtt.put({ body: tls });
  expect(await mqtt.test()).toMatchObject({ accepted: false, reason: expect.stringMatching(/certificate/) });
  await mqtt.put({ body: { ...tls, ca: other.cert } });
  expect(await mqtt.test()).toMatchObject({ accepted: false, reason: expect.stringMatching(/certificate/) });
  await mqtt.put({ body: { ...tls, ca: pair.cert } });
  expect(await mqtt.test()).toMatchObject({ accepted: true });
  await until("it is connected", isConnected(gateway));
});

test("mqtt: settings that cannot work are refused with the field", async () => {
  await using gateway = await startGateway();
  const bad = [
    [{ enabled: true }, "host"],
    [{ username: "me" }, "password"],
    [{ password: "x" }, "username"],
    [{ ca: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" }, "ca"],
    [{ base_topic: "a/#" }, "base_topic"],
    [{ discovery_prefix: "+" }, "discovery_prefix"],
    [{ configuration_url: "gateway" }, "configuration_url"],
  ] as const;
  for (const [body, field] of bad) {
    const reply = await gateway.request("PUT", "/integrations/mqtt", { body });
    expect([field, reply.status, reply.text]).toEqual([field, 400, expect.stringContaining(`${field}"`)]);
  }
  expect((await gateway.request("POST", "/integrations/mqtt/test")).status).toBe(409);
});
