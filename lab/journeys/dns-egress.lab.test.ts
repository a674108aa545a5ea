import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linux } from "../../daemon/src/system/system.ts";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { announceSeed, randomFrom } from "../../testing/seed.ts";
import type { SniffedQuery } from "../sniffer.ts";
import { type HopServer, hopOf } from "../topology-hops.ts";
import { uplinkAddress } from "../internet.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { startJsonScript } from "../json-script.ts";
import { type Client, figures, gatewayAddress, openDnsTopology, type DnsTopology } from "../topology-dns.ts";

/*
 * Devices on three egresses, and one whose only tunnel goes up and down. Each queries names below its own domain, so a
 * query on a wire identifies its device. `DNS_NAMES=10000` is the full size.
 */
const names = Number(process.env["DNS_NAMES"] ?? 2000);
const queriesPerSec = 50;
const random = randomFrom(announceSeed("dns-egress"));
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

let lab: Lab;
let it: DnsTopology;
let tunnels: { a: HopServer; b: HopServer; flapping: HopServer };
let clients: { direct: Client; byA: Client; byB: Client; blocked: Client };

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  tunnels = {
    a: await it.topology.wireguard("a"),
    b: await it.topology.wireguard("b"),
    flapping: await it.topology.wireguard("c"),
  };
  clients = {
    direct: await it.client("d1", "direct"),
    byA: await it.client("d2", [tunnels.a]),
    byB: await it.client("d3", [tunnels.b]),
    blocked: await it.client("d4", [tunnels.flapping]),
  };
  await it.topology.apply();
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const everyDevice = () => Object.values(clients);

/** Where a client's queries may be seen, and from which sender: on the uplink, or behind the far end of its tunnel. */
function ownWires(client: Client): readonly { readonly wire: string; readonly from: readonly string[] }[] {
  const behind = ({ name, site }: HopServer) => [{ wire: `to-${name}`, from: [site.v4, site.v6] }];
  const { v4, v6 } = uplinkAddress(0, 1);
  switch (client) {
    case clients.direct:
      return ["from-gw", "from-isp0"].map((wire) => ({ wire, from: [v4, v6] }));
    case clients.byA:
      return behind(tunnels.a);
    case clients.byB:
      return behind(tunnels.b);
    default:
      return behind(tunnels.flapping);
  }
}

const isOwn = (client: Client, { wire, from }: SniffedQuery): boolean =>
  ownWires(client).some((own) => own.wire === wire && own.from.includes(from));
const ofClient = (caught: readonly SniffedQuery[], { domain }: Client) =>
  caught.filter((seen) => seen.domain === domain);
const strays = (caught: readonly SniffedQuery[]): readonly SniffedQuery[] =>
  everyDevice().flatMap((client) => ofClient(caught, client).filter((seen) => !isOwn(client, seen)));

test("every device's DNS queries leave through its own egress (T-protected-3)", async () => {
  for (const client of everyDevice())
    await until(
      `${client.name} is answered`,
      async () => (await client.query(`first.${client.domain}`))?.status === "NOERROR",
      30,
    );
  await it.sniffed();
  for (const [index, client] of everyDevice().entries()) {
    const server = index % 2 === 0 ? gatewayAddress.v4 : gatewayAddress.v6;
    const loadReport = await (await client.startLoad({ server, rate: 100, count: 50, fresh: client.domain })).finish();
    expect(loadReport).toMatchObject({ answered: 50, rcodes: { 0: 50 } });
  }
  const caught = await it.sniffed();
  expect(strays(caught)).toEqual([]);
  for (const client of everyDevice()) {
    // The sniffers work: all queries passed every wire of the path.
    for (const { wire } of ownWires(client)) {
      const passed = ofClient(caught, client).filter((seen) => seen.wire === wire);
      expect(passed.reduce((sum, seen) => sum + seen.names, 0)).toBeGreaterThanOrEqual(50);
    }
  }
});

test("a name that one of them knows is looked up anew for another", async () => {
  const shared = "shared.d9.fresh.lab";
  await it.sniffed();
  for (const client of everyDevice()) expect(await client.query(shared)).toMatchObject({ status: "NOERROR" });
  const wires = new Set((await it.sniffed()).filter(({ domain }) => domain === "d9.fresh.lab").map(({ wire }) => wire));
  expect([...wires].toSorted()).toEqual(["from-gw", "from-isp0", "to-a", "to-b", "to-c"]);
});

test("a device whose tunnel is down gets no answer from upstream, through any egress, until it is up again", async () => {
  const { blocked } = clients;
  tunnels.flapping.freeze();
  await until(
    "the egress is blocked",
    async () => (await blocked.query(`down.${blocked.domain}`))?.status === "SERVFAIL",
    20,
  );
  await it.sniffed();
  for (let index = 0; index < 20; index += 1) await blocked.query(`blocked${index}.${blocked.domain}`);
  expect(ofClient(await it.sniffed(), blocked)).toEqual([]);
  // The others do not notice.
  expect(await clients.byA.query(`meanwhile.${clients.byA.domain}`)).toMatchObject({ status: "NOERROR" });
  tunnels.flapping.thaw();
  await until(
    "it is answered again",
    async () => (await blocked.query(`up.${blocked.domain}`))?.status === "NOERROR",
    30,
  );
});

let loadReport = 0;
/** Two conversations with the gateway that go on and on: UDP from one port, and one TCP connection. */
async function steadily(client: Client, server: string) {
  const script = await startJsonScript(client.device, "dns-flows.py", server);
  return {
    ask: () =>
      script.request(`${(loadReport += 1)}.${client.domain}`) as Promise<{
        udp: number | string;
        tcp: number | string;
      }>,
  };
}
type Steady = Awaited<ReturnType<typeof steadily>>;

/** Both are answered with this code, the port being the same and the connection perhaps another. */
const untilBoth = (steady: Steady, code: number) =>
  until(
    `both are answered with ${code}`,
    async () => {
      const { udp, tcp } = await steady.ask();
      return udp === code && tcp === code;
    },
    10,
  );
const wiresOf = (caught: readonly SniffedQuery[], client: Client) =>
  [...new Set(ofClient(caught, client).map(({ wire }) => wire))].toSorted();

test.each([
  ["IPv4", gatewayAddress.v4],
  ["IPv6", gatewayAddress.v6],
] as const)(
  "a device moved to another tunnel sends no more queries through the first, not even in running flows (%s)",
  async (_, server) => {
    const { byA } = clients;
    const steady = await steadily(byA, server);
    await untilBoth(steady, 0);
    for (const to of [tunnels.b, tunnels.a]) {
      await it.topology.api.ok("PUT", `/routing/policies/${byA.policyId}`, { hops: [hopOf(to)] });
      await it.topology.apply();
      await it.sniffed();
      const sec = await untilBoth(steady, 0);
      console.log(`DNS egress: after a change of tunnel both are answered again within ${sec.toFixed(2)} s`);
      recordFigure({
        name: "time until a running flow uses the new tunnel",
        value: sec,
        unit: "s",
        most: 10,
      });
      expect(wiresOf(await it.sniffed(), byA)).toEqual([`to-${to.name}`]);
    }
  },
);

test("who is not concerned loses no answer while others are sent elsewhere", async () => {
  const { direct, byB } = clients;
  // From four ports, always the same: each change makes new connections of them.
  const directLoad = await direct.startLoad({ rate: 500, fresh: direct.domain });
  for (let round = 0; round < 5; round += 1)
    for (const to of [tunnels.a, tunnels.b]) {
      await it.topology.api.ok("PUT", `/routing/policies/${byB.policyId}`, { hops: [hopOf(to)] });
      await it.topology.apply();
    }
  const loadReport = await directLoad.stop();
  console.log(`DNS egress: while another device is moved ten times: ${figures(loadReport)}`);
  recordFigure({
    name: "names queried while another device changed its tunnel",
    value: loadReport.sent,
    unit: "queries",
  });
  recordFigure({
    name: "answers lost while another device changed its tunnel",
    value: loadReport.lost,
    unit: "answers",
    most: 0,
  });
  expect(loadReport).toMatchObject({ lost: 0, rcodes: { 0: loadReport.sent } });
});

test("queries of a device with a bypass leave direct, and those of a quarantined device are not sent upstream", async () => {
  const { byB } = clients;
  const steady = await steadily(byB, gatewayAddress.v4);
  await untilBoth(steady, 0);
  const uplink = ["from-gw", "from-isp0"];
  for (const [type, code, wires] of [
    ["emergency-bypass", 0, uplink],
    ["quarantine", 2, []],
  ] as const) {
    const { id } = (await it.topology.api.ok("POST", "/exceptions", {
      device_id: byB.deviceId,
      type,
      reason: "lab",
    })) as {
      id: string;
    };
    await it.sniffed();
    const began = await untilBoth(steady, code);
    expect(wiresOf(await it.sniffed(), byB)).toEqual(wires);
    await it.topology.api.ok("DELETE", `/exceptions/${id}`);
    await it.sniffed();
    const ended = await untilBoth(steady, 0);
    expect(wiresOf(await it.sniffed(), byB)).toEqual([`to-${tunnels.b.name}`]);
    recordFigure({ name: `time until ${type} holds for running conversations`, value: began, unit: "s", most: 10 });
    console.log(
      `DNS egress: ${type}: both are answered after ${began.toFixed(2)} s, and ${ended.toFixed(2)} s after its end`,
    );
  }
});

test("no DNS query uses another egress while tunnels go up and down and the daemon is killed", async () => {
  await it.sniffed();
  const count = Math.ceil(names / everyDevice().length);
  const loads = await Promise.all(
    everyDevice().map((client, index) => {
      const server = index % 2 === 0 ? gatewayAddress.v6 : gatewayAddress.v4;
      return client.startLoad({ server, rate: queriesPerSec, count, fresh: client.domain, timeoutSec: 5 });
    }),
  );
  // Before the first tunnel fails, or it might stay down for the whole time.
  const early: SniffedQuery[] = [];
  const areReceived = async () => {
    early.push(...(await it.sniffed()));
    return everyDevice().every((client) => ofClient(early, client).some((seen) => isOwn(client, seen)));
  };
  await until("queries of all clients pass", areReceived, 10);
  const seconds = count / queriesPerSec;
  const deadline = performance.now() + 1000 * seconds;
  const done: string[] = [];
  while (performance.now() < deadline) {
    const action = pick(Object.keys(actions));
    done.push(action);
    await actions[action]!();
  }
  const loadReport = await Promise.all(loads.map((load) => load.finish()));
  const caught = [...early, ...(await it.sniffed())];
  for (const [index, client] of everyDevice().entries())
    console.log(
      `DNS egress: ${client.name}: ${figures(loadReport[index]!)}; answers ${JSON.stringify(loadReport[index]!.rcodes)}`,
    );
  console.log(`DNS egress: meanwhile: ${done.join(", ")}`);
  const stray = strays(caught);
  const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
  recordFigure({
    name: "names queried while tunnels failed",
    value: sum(loadReport.map((one) => one.sent)),
    unit: "queries",
  });
  recordFigure({
    name: "names queried outside the device's own egress while tunnels failed",
    value: sum(stray.map((one) => one.names)),
    unit: "names",
    most: 0,
  });
  expect(stray).toEqual([]);
  for (const client of everyDevice())
    expect(ofClient(caught, client).some((seen) => isOwn(client, seen) && seen.names > 0)).toBe(true);
});

test("control: an ordinary resolver on the gateway sends the queries of all devices in the clear", async () => {
  const port = "5399";
  await linux.inMemory(ordinary(port, it.resolvers[0]!.site.v4), async (conf) => {
    it.topology.net.gateway.start("dnsdist", "--supervised", "--disable-syslog", "-C", conf).stdout!.resume();
    await it.sniffed();
    const ask = () => clients.byA.query(`control.${clients.byA.domain}`, "A", "-p", port);
    await until("the ordinary one answers", async () => (await ask())?.status === "NOERROR", 10);
  });
  expect(strays(await it.sniffed())).not.toEqual([]);
});

const ordinary = (port: string, upstream: string) => `setSecurityPollSuffix("")
setLocal("${gatewayAddress.v4}:${port}")
newServer("${upstream}"):setUp()
`;

const actions: Readonly<Record<string, () => Promise<unknown>>> = {
  "the far end falls silent": async () => {
    const { flapping } = tunnels;
    flapping.freeze();
    await wait(500 + 3000 * random());
    flapping.thaw();
    await wait(2000 * random());
  },
  "the program of a tunnel is killed": async () => it.topology.killProgram(pick(Object.values(tunnels))),
  "a tunnel is taken down and up": async () => {
    const { id } = pick([tunnels.flapping, tunnels.b]);
    await it.topology.api.ok("POST", `/tunnels/${id}/down`);
    await wait(1000 * random());
    await it.topology.api.ok("POST", `/tunnels/${id}/up`);
    await wait(2000 * random());
  },
  "the interface of a tunnel goes": async () => {
    // It may be gone at this moment, and then it is as down as can be.
    await it.topology.net.gateway
      .run("ip", "link", "set", pick(Object.values(tunnels)).interface!, "down")
      .catch(() => {});
    await wait(1000 * random());
  },
  "the daemon is killed": async () => {
    await it.topology.kill();
    await wait(1000 * random());
    await it.topology.restart();
  },
  "policies are applied": async () => {
    const priority = Math.floor(100 * random());
    await it.topology.api.ok("PUT", `/routing/policies/${pick(everyDevice()).policyId}`, { priority });
    await it.topology.apply();
  },
};
