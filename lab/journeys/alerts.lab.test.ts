import type { Alert } from "@portcullis/contract/subsystems/alerts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { subscribeToEvents } from "../events.ts";
import { type HopClient, type HopServer, type HopTopology, openHopTopology } from "../topology-hops.ts";
import { type Lab, openLab } from "../namespaces.ts";

/* Alerts of a live gateway, each from what really happens: a dead tunnel, its policies, foreign changes, and a new device. */
let lab: Lab;
let topology: HopTopology;
let main: HopServer;
let clients: { closed: HopClient; open: HopClient };

beforeAll(async () => {
  lab = openLab();
  topology = await openHopTopology(lab);
  main = await topology.wireguard("main");
  clients = {
    closed: await topology.addClient("closed", [main]),
    open: await topology.addClient("open", [main], { fail_policy: "fail-open" }),
  };
  await topology.apply();
  await until("the tunnel is up", async () => (await tunnel()).status === "up", 60);
});
afterAll(async () => {
  await topology?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const ok = <T>(method: string, path: string, body?: object) => topology.api.ok(method, path, body) as Promise<T>;
const tunnel = () => ok<{ readonly status: string }>("GET", `/tunnels/${main.id}`);
const active = () => ok<Alert[]>("GET", "/alerts/active");
const named = async (rule: string) => (await active()).filter((it) => it.rule === rule);
const isRaised = (rule: string) => async () => (await named(rule)).length > 0;
const isOver = (rule: string) => async () => (await named(rule)).length === 0;

test("alerts: a dead tunnel and its policies are three alerts, which end when it is back, and stay the same across a restart", async () => {
  // Before the tunnel was up for the first time, its policies may have been alerts.
  for (const rule of ["tunnel-down", "killswitch-engaged", "direct-fallback"])
    await until(`${rule} is no alert`, isOver(rule), 30);
  using events = await subscribeToEvents(topology.net.gateway);
  await main.kill();
  await until("the tunnel is an alert", isRaised("tunnel-down"), 30);
  await until("the blocked policy is one", isRaised("killswitch-engaged"), 30);
  await until("the direct policy is one", isRaised("direct-fallback"), 30);
  expect(await named("tunnel-down")).toMatchObject([
    { severity: "warning", state: "active", resource_id: main.id, resource_name: "main", count: 1 },
  ]);
  expect(await named("killswitch-engaged")).toMatchObject([
    { severity: "critical", resource_id: clients.closed.policyId },
  ]);
  expect(await named("direct-fallback")).toMatchObject([{ severity: "critical", resource_id: clients.open.policyId }]);
  const [down] = await named("tunnel-down");
  expect(await ok("POST", `/alerts/${down!.id}/acknowledge`)).toMatchObject({ state: "acknowledged" });
  expect(events.filter(({ event, data }) => event === "alert.raised" && data["rule"] === "tunnel-down")).toHaveLength(
    1,
  );

  await topology.kill();
  await topology.restart();
  expect(await named("tunnel-down")).toMatchObject([{ id: down!.id, state: "acknowledged" }]);
  expect(await named("killswitch-engaged")).toHaveLength(1);
  await main.restart();
  for (const rule of ["tunnel-down", "killswitch-engaged", "direct-fallback"])
    await until(`${rule} is over`, isOver(rule), 120);
  const resolved = await ok<Alert[]>("GET", "/alerts?state=resolved&rule=tunnel-down");
  expect(resolved).toMatchObject([{ id: down!.id, resolved_by: "system" }]);
});

test("alerts: a foreign change of the rules and a new device are alerts; a muted rule raises none", async () => {
  expect(await named("drift-detected")).toEqual([]);
  await ok("PUT", "/alerts/rules/drift-detected", { muted_until: new Date(Date.now() + 3_600_000).toISOString() });
  using events = await subscribeToEvents(topology.net.gateway);
  const drifts = async () => events.filter(({ event }) => event === "drift.detected").length;
  const tamper = () => topology.net.gateway.run("nft", "delete", "table", "inet", "portcullis");
  // The tunnel has just come back: a table that is missing when the rules change anyway is no foreign change.
  await ok("POST", "/enforce/reconcile");
  await tamper();
  await until("the change was detected", async () => (await drifts()) > 0, 60);
  expect(await named("drift-detected")).toEqual([]);
  await ok("PUT", "/alerts/rules/drift-detected", { muted_until: null });
  await tamper();
  await until("the change is an alert", isRaised("drift-detected"), 60);

  const guest = await topology.net.device("guest", 9);
  await guest.run("ping", "-c", "1", "10.0.0.1");
  await until("the new device is an alert", isRaised("new-device"), 80);
  expect((await named("new-device"))[0]).toMatchObject({ severity: "info", state: "active" });
});

test("alerts: a tunnel that goes down and up repeatedly is an alert of its own", async () => {
  expect(await named("tunnel-flap")).toEqual([]);
  const is = (status: string) => async () => (await tunnel()).status === status;
  for (let turn = 0; turn < 5 && (await isOver("tunnel-flap")()); turn += 1) {
    await main.kill();
    await until("the tunnel is down", is("failed"), 60);
    await main.restart();
    await until("the tunnel is up again", is("up"), 120);
  }
  expect(await named("tunnel-flap")).toMatchObject([{ severity: "warning", state: "active", resource_name: "main" }]);
});
