import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectWithin, until } from "../../testing/deadline.ts";
import type { HopServer } from "../topology-hops.ts";
import { type Host, type Lab, openLab } from "../namespaces.ts";
import { type Client, openDnsTopology, type DnsTopology } from "../topology-dns.ts";

/*
 * What resolvers send without a query of a client: health checks of upstreams. They become rare while no client sends
 * queries, and those for a resolver inside a tunnel do not leave by the uplink, in any state of the tunnel.
 */
let lab: Lab;
let it: DnsTopology;
let tunnel: HopServer;
let clients: { direct: Client; open: Client };
/** An address that only the far side of the tunnel could have. */
const inner = "10.77.99.53";

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  tunnel = await it.topology.wireguard("a");
  clients = {
    direct: await it.client("d1", "direct"),
    open: await it.client("d2", [tunnel], { fail_policy: "fail-open" }),
  };
  await it.topology.apply();
  const upstreams = it.resolvers.map(({ site }) => site.v4).join(", ");
  await provider().run(
    "nft",
    `table inet quiet { counter upstream { }; counter inner { }
      chain passing { type filter hook prerouting priority -500;
        ip daddr { ${upstreams} } udp dport 53 counter name upstream
        ip daddr ${inner} counter name inner
      }; }`,
  );
  await tunnel.site.host.run(
    "nft",
    `table inet quiet { counter inner { }
      chain passing { type filter hook prerouting priority -500; ip daddr ${inner} counter name inner; }; }`,
  );
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const provider = (): Host => it.topology.net.providers[0];
async function seen(host: Host, counter: "upstream" | "inner"): Promise<number> {
  return Number(/packets (\d+)/.exec(await host.run("nft", "list", "counter", "inet", "quiet", counter))![1]);
}
const during = async (seconds: number, host: Host, counter: "upstream" | "inner"): Promise<number> => {
  const before = await seen(host, counter);
  await wait(1000 * seconds);
  return (await seen(host, counter)) - before;
};
const statusOf = async (name: string) => (await clients.direct.query(`${name}.${clients.direct.domain}`))?.status;

test("health checks of upstreams become rare without queries, and resume with the next query", async () => {
  await until("names are answered", async () => (await statusOf("first")) === "NOERROR", 30);
  const busy = await during(5, provider(), "upstream");
  expect(busy).toBeGreaterThanOrEqual(5); // Once a second to each of two, where there is time.
  await until("it is quiet", async () => (await during(3, provider(), "upstream")) <= 1, 60);
  // One round of checks may fall into it: three to each of two.
  expect(await during(15, provider(), "upstream")).toBeLessThanOrEqual(8);
  expect(await statusOf("again")).toBe("NOERROR");
  await until("upstreams are checked", async () => (await during(3, provider(), "upstream")) >= 4, 20);
});

test("an upstream that died meanwhile is detected with the first queries, and one of two is enough", async () => {
  await until("it is quiet", async () => (await during(3, provider(), "upstream")) <= 1, 60);
  await it.resolvers[0]!.silence();
  const answered = async () => (await statusOf(`half${performance.now()}`)) === "NOERROR";
  expectWithin(10, { "an answer from the other upstream": await until("names are answered", answered, 10) });
  await it.resolvers[0]!.recover();
});

test("what is meant for a resolver inside a tunnel does not leave by the uplink, also under a policy that fails open", async () => {
  const { api, net } = it.topology;
  await api.ok("PUT", `/tunnels/${tunnel.id}`, { config: { dns: [inner] } });
  await it.topology.apply();
  await until("it is queried through the tunnel", async () => (await during(1, tunnel.site.host, "inner")) > 0, 30);
  const before = await seen(provider(), "inner");
  for (let round = 0; round < 3; round += 1) {
    await api.ok("POST", `/tunnels/${tunnel.id}/down`);
    await wait(2500);
    await api.ok("POST", `/tunnels/${tunnel.id}/up`);
    await wait(2500);
  }
  expect((await seen(provider(), "inner")) - before).toBe(0);
  // Others would be seen there.
  await net.gateway.run("ping", "-c", "1", "-W", "1", inner).catch(() => "");
  expect((await seen(provider(), "inner")) - before).toBeGreaterThan(0);
});
