import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../testing/folder.ts";
import { type EgressTopology, openEgressTopology, type Probe } from "../topology-egresses.ts";
import { type LabDaemon, startDaemon } from "../daemon.ts";
import { type Lab, openLab } from "../namespaces.ts";

/*
 * A flow that rests remembers what was decided of it, and when. It must not wake up in another time that happens to have
 * the same number: after the rules were lost, generations would otherwise begin anew.
 */
const config = {
  network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" },
  reconcile: { interval_sec: 86_400 },
};
const mac = "02:00:00:00:00:01";
const folder = temporaryFolder();
let lab: Lab;
let topology: EgressTopology;
let daemon: LabDaemon;

beforeAll(async () => {
  lab = openLab();
  topology = await openEgressTopology(lab);
  daemon = await startDaemon(topology.gateway, config, folder);
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function ok(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await daemon.request(method, path, body);
  expect({ ok: answer.status < 300, ...answer }).toMatchObject({ ok: true });
  return answer.body;
}

/** Sends a packet of the n-th flow of the device: where it was seen. */
async function seenAt(flow: number): Promise<string> {
  const probe: Probe = { interface: "lan0", mac, source: "10.0.0.2", destination: "203.0.113.5", port: 2000 + flow };
  return ((await topology.send([probe])).get(probe.port) ?? ["none"]).join();
}

test("a flow that began in the clear is not in the clear again when all rules were lost since", async () => {
  const { gateway } = topology;
  expect([await seenAt(1), await seenAt(2), await seenAt(3)]).toEqual(["wan0", "wan0", "wan0"]); // It would be seen.
  await ok("POST", "/devices", { name: "phone", mac });
  const hops = [{ type: "vpn", target: "t1" }];
  await ok("POST", "/routing/policies", { name: "p", source_type: "device", source_value: "phone", hops });
  expect(await ok("POST", "/routing/policies/apply")).toMatchObject({ enforced: true });
  expect(["t1", "none"]).toContain(await seenAt(1)); // Decided anew; masquerading may cost it a packet.

  await gateway.run("nft", "flush", "ruleset");
  await ok("POST", "/enforce/reconcile");
  expect(["t1", "none"]).toContain(await seenAt(2));

  await daemon.kill();
  await gateway.run("nft", "flush", "ruleset");
  daemon = await startDaemon(gateway, config, folder);
  expect(["t1", "none"]).toContain(await seenAt(3));
  expect([await seenAt(1), await seenAt(2), await seenAt(3)]).toEqual(["t1", "t1", "t1"]);
});
