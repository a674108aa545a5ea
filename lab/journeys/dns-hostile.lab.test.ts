import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { announceSeed } from "../../testing/seed.ts";
import { type Hostility, hostilities, startHostile } from "../hostile.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Client, figures, gatewayAddress, openDnsTopology, type DnsTopology } from "../topology-dns.ts";

/* Good clients share the gateway with one that means ill. `DNS_HOSTILE_SEC=30` is the full size, for each kind. */
const seconds = Number(process.env["DNS_HOSTILE_SEC"] ?? 1);
const ratePerSec = 200;
const seed = String(announceSeed("dns-hostile"));

let lab: Lab;
let it: DnsTopology;
let good: Client;
let good6: Client;
let ill: Client;

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  good = await it.client("d1", "direct");
  good6 = await it.client("d2", "direct");
  ill = await it.client("d3", "direct");
  await it.topology.apply();
  await it.topology.api.ok("PUT", "/dns/options", { rate_limit_qps: ratePerSec });
  await until("names are answered", async () => (await good.query("signed.lab"))?.status === "NOERROR", 20);
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const known = Array.from({ length: 31 }, (_, index) => `known${index}.lasting.fresh.lab`);

/** Losses of well-behaved clients beside a hostile one, each below the limit. */
async function lossesWhile(kinds: readonly Hostility[], server: string, rate: number) {
  const options = { rate: 100, names: known, fresh: "d1.fresh.lab", freshEach: 10, timeoutSec: 5 };
  const clients = [
    await good.startLoad(options),
    await good6.startLoad({ ...options, fresh: "d2.fresh.lab", server: gatewayAddress.v6 }),
  ];
  const hostile = kinds.length === 0 ? undefined : await startHostile(ill.device, { server, rate, seed, kinds });
  const started = performance.now();
  await wait(1000 * seconds);
  const sent = await hostile?.stop();
  const tookSec = (performance.now() - started) / 1000;
  const loadReport = await Promise.all(clients.map((load) => load.stop()));
  console.log(
    `hostile: ${kinds.join(", ") || "none"}: ${JSON.stringify(sent)} sent; good clients: ${loadReport.map(figures).join("; ")}`,
  );
  const losses = loadReport.map(({ lost, sent: all }) => lost / all);
  recordFigure({
    name: `answers lost by good clients beside hostile queries (${kinds.join(", ") || "none"}, to ${server})`,
    value: Math.max(...losses),
    unit: "share",
    most: kinds.length === 0 ? 0.01 : 0.1,
  });
  return { sent, losses, tookSec };
}

test("without a hostile client nothing is lost", async () => {
  const { losses } = await lossesWhile([], gatewayAddress.v4, 0);
  expect(Math.max(...losses)).toBeLessThan(0.01);
});

// In the second family only the limit's unit of clients differs; at full size all kinds are sent there as well.
const kindsBy = { v4: hostilities, v6: seconds < 5 ? (["random"] as const) : hostilities };

describe.each(Object.entries(gatewayAddress) as ["v4" | "v6", string][])("by %s", (family, server) => {
  test.each([...kindsBy[family].map((kind) => [kind, [kind]] as const), ["all of them", hostilities] as const])(
    "%s at full speed cost good clients less than a tenth, and no program its life",
    { timeout: 900_000 + 1000 * seconds },
    async (_kind, kinds) => {
      const before = it.topology.processes();
      const { sent, losses } = await lossesWhile(kinds, server, 0);
      expect(Object.values(sent!).reduce((sum, many) => sum + many, 0)).toBeGreaterThan(100 * seconds);
      expect(Math.max(...losses)).toBeLessThan(0.1);
      expect(it.topology.processes()).toEqual(before);
      expect(await good.query("signed.lab")).toMatchObject({ status: "NOERROR" });
    },
  );
});

test("without the limit, random names at full speed reach the upstreams: they were sent indeed", async () => {
  const upstream = async () =>
    (await Promise.all(it.resolvers.map((one) => one.answered()))).reduce((a, b) => a + b, 0);
  const loadReport = async (limit: number) => {
    await it.topology.api.ok("PUT", "/dns/options", { rate_limit_qps: limit });
    const before = await upstream();
    const { tookSec } = await lossesWhile(["random"], gatewayAddress.v4, 0);
    return { loadReport: (await upstream()) - before, tookSec };
  };
  const { loadReport: limited, tookSec } = await loadReport(ratePerSec);
  const { loadReport: unlimited } = await loadReport(0);
  console.log(`hostile: upstreams got ${limited} queries with the limit, ${unlimited} without`);
  expect(limited).toBeLessThan(3 * (ratePerSec + 20) * (tookSec + 1)); // Each query may take a few of the validator's own.
  expect(unlimited).toBeGreaterThan(2 * limited);
});
