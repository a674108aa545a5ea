import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Mqtt, MqttTest } from "@portcullis/contract/subsystems/mqtt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { uplinkAddress } from "../internet.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { type HopServer, type HopTopology, openHopTopology } from "../topology-hops.ts";

/* A live gateway with a tunnel and a resolver, and brokers on its LAN and outside. */
const folder = temporaryFolder();
let lab: Lab;
let topology: HopTopology;
let main: HopServer;
const home = { address: "10.0.0.9", topics: new Map<string, string>() };

beforeAll(async () => {
  lab = openLab();
  topology = await openHopTopology(lab, { dns: { enabled: true, upstream_servers: ["203.0.113.53"] } });
  main = await topology.wireguard("main");
  await topology.addClient("phone", [main]);
  await topology.apply();
  await until("the tunnel is up", async () => (await tunnel()) === "up", 60);
});
afterAll(async () => {
  await topology?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const ok = <T>(method: string, path: string, body?: object) => topology.api.ok(method, path, body) as Promise<T>;
const tunnel = async () => (await ok<{ readonly status: string }>("GET", `/tunnels/${main.id}`)).status;

/** Lines of the broker's log. */
async function startBroker(host: Host): Promise<string[]> {
  const config = join(folder.path, `${host.name}.conf`);
  writeFileSync(config, "listener 1883 0.0.0.0\nallow_anonymous true\nuser root\nlog_dest stderr\n");
  const lines: string[] = [];
  createInterface({ input: host.start("mosquitto", "-c", config).stderr! }).on("line", (line) => void lines.push(line));
  await until("the broker listens", async () => lines.some((it) => it.includes("running")));
  return lines;
}

/** The value of an entity; undefined: it is unavailable. */
function valueOf(key: string): string | undefined {
  const { topics } = home;
  const ending = (end: string) => [...topics].find(([topic]) => topic.endsWith(end))?.[1];
  return ending(`/${key}/availability`) === "online" ? ending(`/${key}/state`) : undefined;
}

test("mqtt: a broker on the LAN has what the gateway measures: a tunnel that dies and returns, queries, devices online, an alert, and a leak check", async () => {
  const server = await topology.net.device("home", 8);
  await startBroker(server);
  const client = server.start("mosquitto_sub", "-h", "127.0.0.1", "-t", "#", "-F", "%t %p");
  createInterface({ input: client.stdout! }).on("line", (line) => {
    const [topic = "", ...words] = line.split(" ");
    home.topics.set(topic, words.join(" "));
  });
  await ok("PUT", "/integrations/mqtt", { enabled: true, host: home.address, security: "none" });
  const key = `tunnel_${main.id}`;
  await until("the tunnel is connected", async () => valueOf(key) === "ON", 60);
  const before = Number(valueOf("dns_queries"));
  for (const name of ["a.example", "b.example"]) await server.run("kdig", "@10.0.0.1", name, "+retry=0", "+timeout=5");
  await until("the queries are counted", async () => Number(valueOf("dns_queries")) >= before + 2, 60);
  await until("the phone is online", async () => Number(valueOf("devices_online")) > 0, 60);

  await main.kill();
  await until("the tunnel is not connected", async () => valueOf(key) === "OFF", 60);
  await until("the alert is counted", async () => Number(valueOf("alerts")) > 0, 60);
  await main.restart();
  await until("the tunnel is connected again", async () => valueOf(key) === "ON", 120);
  await ok("POST", "/privacy/leak-check");
  await until("the leak check is there", async () => valueOf("leak_check") !== undefined, 120);
  expect(valueOf("devices")).toBe(String((await ok<readonly object[]>("GET", "/devices")).length));
});

test("mqtt: a broker outside is reached by the uplink and not by a tunnel, and only by the gateway itself", async () => {
  const site = await topology.net.site("broker");
  const lines = await startBroker(site.host);
  await ok("PUT", "/integrations/mqtt", { host: site.v4 });
  expect(await ok<MqttTest>("POST", "/integrations/mqtt/test")).toMatchObject({ accepted: true });
  const state = async () => (await ok<Mqtt>("GET", "/integrations/mqtt")).state;
  await until("it is connected", async () => (await state()) === "connected", 30);
  const from = lines.flatMap((it) => /New connection from ([^ ]+):\d+ on/.exec(it)?.[1] ?? []);
  expect(from.length).toBeGreaterThan(0);
  expect(new Set(from)).toEqual(new Set([uplinkAddress(0, 1).v4]));
  await until("the broker on the LAN has nothing", async () => [...home.topics.values()].every((it) => it === ""), 30);
});
