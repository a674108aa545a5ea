import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { userOf } from "../../daemon/src/engines/sandbox/sandbox.model.ts";
import { portsOf } from "../../daemon/src/engines/dnsdist/dnsdist.model.ts";
import { directEgress } from "../../daemon/src/engines/nftables/nftables.model.ts";
import { replyPriority, lanTable } from "../../daemon/src/engines/iproute/iproute.model.ts";
import { linux } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type JsonScript, startJsonScript } from "../json-script.ts";
import { type Client, gatewayAddress, openDnsTopology, type DnsTopology } from "../topology-dns.ts";

/*
 * What the gateway sends to a device goes into the LAN or is dropped, also without nftables rules, without routes into
 * the LAN, and without a daemon that repairs them. Each test makes the gateway send and observes the uplink's wire.
 */

let lab: Lab;
let it: DnsTopology;
let phone: Client;
let callers: JsonScript;
const listener = 1082;
const front = portsOf(directEgress).frontend;
const { v4, v6 } = gatewayAddress;

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab, { resolvers: ["r1"] });
  phone = await it.client("phone", "direct");
  const login = { username: "lena", password: "not a real password" };
  await it.topology.api.ok("POST", "/proxies", { name: "out", kind: "local", listen: `${v4}:${listener}`, ...login });
  await it.topology.apply();
  callers = await startJsonScript(phone.device, "open-connections.py");
  await startJsonScript(it.topology.net.gateway, "streaming-server.py", "2222");
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const gateway = (...lines: string[]) => it.topology.net.gateway.run("bash", "-ec", lines.join("\n"));
const both = (line: (family: "-4" | "-6") => string): string => `${line("-4")}; ${line("-6")}`;
const call = async (...servers: (readonly [address: string, port: number])[]) =>
  (await callers.request(JSON.stringify(servers))) === servers.length;

const callAll = () => call([v4, 53], [v6, 53], [v4, listener]);

/** The resolver and a proxy are there, both by the uplink. */
async function answered(): Promise<void> {
  await until("names are answered", async () => (await phone.query(`on.${phone.domain}`))?.status === "NOERROR", 30);
  await until("all of them listen", callAll, 30);
}

/** Connections whose data a program has read completely. */
const listenedTo = async () =>
  (await gateway(`ss -Htnp state established "( sport = ${front} or sport = ${listener} )"`))
    .split("\n")
    .filter((line) => /^0 .*(dnsdist|socks-listener)/.test(line)).length;

/** LAN destinations of packets of the gateway on the uplink's wire since the previous call. */
async function outside(): Promise<string[]> {
  const seen = await Promise.all(it.topology.net.providers.map((provider) => it.topology.net.seen(provider)));
  return [...new Set(seen.flat().flatMap(({ from }) => (from === v4 || from === v6 ? [from] : [])))].toSorted();
}

/** What is seen outside for a while; for a little longer, if more is expected. */
async function seenOutside(expected: readonly string[]): Promise<string[]> {
  await wait(1500);
  const seen = new Set(await outside());
  for (let left = 150; left > 0 && expected.some((one) => !seen.has(one)); left -= 1) {
    await wait(200);
    for (const one of await outside()) seen.add(one);
  }
  return [...seen].toSorted();
}

/** Programs that the phone is connected to end, and say so. */
async function end(): Promise<void> {
  for (const port of [front, listener])
    for (const id of await it.topology.net.gateway.processesOf(userOf(port))) linux.signal(Number(id), "SIGKILL");
}

test.each([
  ["through the LAN only", "", []],
  [
    "through their own egress without the rule (control)",
    both((family) => `while ip ${family} rule del priority ${replyPriority} 2>/dev/null; do :; done`),
    [v4, v6],
  ],
])("programs that end take leave of a device %s (T-degraded-9)", async (_, more, seen) => {
  await answered();
  await it.topology.kill();
  // Only now, when no program is replaced any more.
  await until("it is listened to", async () => (await callAll()) && (await listenedTo()) === 3, 10);
  await gateway(
    "nft flush ruleset",
    both((family) => `ip ${family} route flush table ${lanTable}`),
    more,
  );
  await outside();
  await end();
  const found = await seenOutside(seen);
  await it.topology.restart();
  expect(found).toEqual(seen);
});

test("a foreign program leaves by the uplink from a port of the same number", async () => {
  await answered();
  const egressOf = (...who: string[]) =>
    it.topology.net.gateway
      .run("ip", "route", "get", it.resolvers[0]!.site.v4, "sport", String(listener), ...who)
      .catch((error: { stderr: string }) => error.stderr);
  expect(await egressOf("ipproto", "udp")).toContain(" dev wan0 ");
  expect(await egressOf("ipproto", "tcp", "uid", String(userOf(listener)))).toContain("Permission denied"); // The rule applies.
});

test.each([
  ["not by the uplink", "", []],
  [
    "by the uplink without the rule (control)",
    both((family) => `ip ${family} route flush table ${lanTable} type unreachable`),
    [v4, v6],
  ],
])("a server of the gateway talks on to a device when the LAN is down, %s", async (_, more, seen) => {
  await it.topology.kill();
  await gateway("nft flush ruleset", more);
  expect(await call([v4, 2222], [v6, 2222])).toBe(true);
  await outside();
  await gateway("ip link set lan0 down");
  const found = await seenOutside(seen);
  await gateway("ip link set lan0 up", `ip address replace ${v6}/64 dev lan0 nodad`);
  await it.topology.restart();
  expect(found).toEqual(seen);
});
