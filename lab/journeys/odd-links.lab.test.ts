import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { type HopTopology, openHopTopology } from "../topology-hops.ts";
import { type Lab, openLab } from "../namespaces.ts";

let lab: Lab;
let topology: HopTopology;

beforeAll(async () => {
  lab = openLab();
  topology = await openHopTopology(lab);
});
afterAll(async () => {
  await topology?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

test("a link whose name would end the quotes of a rule is refused as a hop, and keeps nothing from being enforced", async () => {
  const odd = 'w"}';
  await topology.net.gateway.run("ip", "link", "add", odd, "type", "veth", "peer", "name", "plain0");
  for (const name of [odd, "plain0"]) await topology.net.gateway.run("ip", "link", "set", name, "up");
  await topology.net.gateway.run("ip", "route", "add", "192.0.2.0/28", "dev", odd);
  const policy = { source_type: "subnet", source_value: "10.250.0.0/24" };
  const addPolicy = (name: string, target: string) =>
    topology.api.ok("POST", "/routing/policies", { ...policy, name, hops: [{ type: "interface", target }] });
  await expect(addPolicy("odd", odd)).rejects.toThrow("400");
  await addPolicy("plain", "plain0");
  const server = await topology.wireguard("main");
  const device = await topology.addClient("first", [server]);
  await topology.apply();
  await until(
    "the device leaves through its tunnel",
    async () => (await device.seenFrom()).includes(server.site.v4),
    60,
  );
  const rules = await topology.net.gateway.run("nft", "list", "ruleset");
  expect([rules.includes('"plain0"'), rules.includes(odd)]).toEqual([true, false]);
});
