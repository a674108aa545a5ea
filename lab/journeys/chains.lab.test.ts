import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectWithin, repeatable, until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { type ChainClient, type ChainName, chainNames, openChains } from "../chains.ts";
import { type HopServer, type HopTopology, openHopTopology } from "../topology-hops.ts";
import { type Sighting, uplinkAddress } from "../internet.ts";
import { type Lab, openLab } from "../namespaces.ts";

/*
 * One LAN with a client for each kind of chain. Hops fail in every mode a hop can fail, in all chains at once.
 */
let lab: Lab;
let topology: HopTopology;
let chained: ReadonlyMap<ChainName, ChainClient>;

beforeAll(async () => {
  lab = openLab();
  topology = await openHopTopology(lab);
  chained = await openChains(topology);
});
afterAll(async () => {
  await topology?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const { hopsOf, last, clientOf } = {
  hopsOf: (chain: ChainName) => chained.get(chain)!.hops,
  last: (chain: ChainName) => chained.get(chain)!.last,
  clientOf: (chain: ChainName) => chained.get(chain)!.client,
};
const arrives = async (chain: ChainName): Promise<boolean> => {
  const callers = await clientOf(chain).seenFrom();
  return callers.length > 0 && callers.every((it) => last(chain).addresses().includes(it));
};

interface FailRow {
  readonly policy_id: string;
  readonly now: string;
}
/** What the policy of a chain does now, and why. */
const nowOf = async (chain: ChainName): Promise<string> =>
  ((await topology.api.ok("GET", "/policy/fail-matrix")) as FailRow[]).find(
    (it) => it.policy_id === clientOf(chain).policyId,
  )!.now;

/** On the providers' wires only tunnels to first hops, and the gateway's probes of the uplink, may be seen. */
async function strayPackets(): Promise<Sighting[]> {
  const first = [...chained.values()].map(({ hops }) => hops[0]!);
  const own = [uplinkAddress(0, 1), uplinkAddress(1, 1)].flatMap(({ v4, v6 }) => [v4, v6]);
  const isOuter = ({ from, to, protocol, port }: Sighting): boolean =>
    own.includes(from) &&
    first.some(
      (hop) => hop.addresses().includes(to) && hop.port === port && protocol === (hop.kind === "proxy" ? "tcp" : "udp"),
    );
  const isQuery = ({ from, to, protocol }: Sighting): boolean =>
    own.includes(from) && protocol === "icmp" && ["1.1.1.1", "9.9.9.9"].includes(to);
  const seen = (await Promise.all(topology.net.providers.map((it) => topology.net.seen(it)))).flat();
  expect(seen.some(isOuter)).toBe(true); // The sniffer works.
  return seen.filter((it) => !isOuter(it) && !isQuery(it));
}

/** An error with the full list, which a failed assertion would shorten. */
async function expectNoStrays(): Promise<void> {
  const strays = await strayPackets();
  const count = strays.reduce((sum, { packets }) => sum + packets, 0);
  recordFigure({ name: "packets outside the outer tunnels of all chains", value: count, unit: "packets", most: 0 });
  const descriptions = strays.map(
    (it) => `${it.packets} of ${it.protocol} from ${it.from} to ${it.to} port ${it.port}`,
  );
  if (descriptions.length > 0) throw new Error(`Seen outside: ${descriptions.join("; ")}`);
}

test("every chain forwards for its client, and the web server sees the last hop only", async () => {
  await Promise.all(chainNames.map((chain) => until(`${chain} forwards`, () => arrives(chain), 20)));
  // A device that pauses is observed again. Each packet must come from the last hop.
  const callers = await Promise.all(
    chainNames.map(async (chain) => {
      let sources: string[] = [];
      await until(`${chain} is seen`, async () => (sources = await clientOf(chain).seenFrom()).length > 0, 5);
      return sources;
    }),
  );
  expect(callers).toEqual(chainNames.map((chain) => [last(chain).site.v4]));
});

test("between two hops only the outer protocol is seen, in the order of the policy", async () => {
  await topology.net.seen(topology.net.core);
  await until("every chain forwards", async () => (await Promise.all(chainNames.map(arrives))).every((it) => it), 5);
  const seen = await topology.net.seen(topology.net.core);
  const between = (from: string, to: string) => [
    ...new Set(seen.filter((it) => it.from === from && it.to === to).map((it) => `${it.protocol} ${it.port}`)),
  ];
  const gateway = uplinkAddress(0, 1).v4;
  for (const chain of chainNames) {
    const servers = hopsOf(chain);
    const stops = [gateway, ...servers.map(({ site }) => site.v4)];
    for (const [index, hop] of servers.entries()) {
      expect([chain, between(stops[index]!, stops[index + 1]!)]).toEqual([
        chain,
        [`${hop.kind === "proxy" ? "tcp" : "udp"} ${hop.port}`],
      ]);
      // Only the hop before a server is ever seen talking to it.
      const others = seen.filter((it) => it.to === hop.site.v4 && it.port === hop.port && it.from !== stops[index]);
      expect([chain, others]).toEqual([chain, []]);
    }
  }
  await expectNoStrays();
});

test("a device that leaves directly reaches no hop's server, a first one's as little as a later one's", async () => {
  const { device, policyId, traffic } = await topology.addClient("dora", [], { fail_policy: "fail-open" });
  await traffic.stop();
  await topology.apply();
  const [first, later] = [last("a SOCKS5 proxy"), last("a SOCKS5 proxy behind WireGuard")];
  const inner = last("WireGuard in WireGuard");
  const call = async (...words: string[]) => (await device.run("python3", "-c", caller, ...words)).trim();
  // Other ports of the same host are no hop.
  await until("she is let out", async () => (await call("tcp", first.site.v4, "1081")) === "refused", 10);
  await strayPackets();
  expect(await call("tcp", first.site.v4, "1080")).toBe("unreachable");
  expect(await call("tcp", later.site.v4, "1080")).toBe("unreachable");
  expect(await call("tcp", later.site.v4, "1081")).toBe("refused");
  const strays: Sighting[] = [];
  const isOut = async (): Promise<boolean> => {
    for (const port of ["51820", "51821"]) await call("udp", inner.site.v4, port);
    strays.push(...(await strayPackets()));
    return strays.some(({ to, port }) => to === inner.site.v4 && port === 51_821);
  };
  await until("what may leave has left", isOut, 5);
  const hidden = [later, inner].map(({ site, port }) => `${site.v4} ${port}`);
  expect(strays.filter(({ to, port }) => hidden.includes(`${to} ${port}`))).toEqual([]);
  await topology.api.ok("DELETE", `/routing/policies/${policyId}`);
  await topology.apply();
  await strayPackets();
});

/** Connects once, and prints whether the connection was accepted. */
const caller = `
import socket, sys
kind, address, port = sys.argv[1:]
if kind == "udp":
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", (address, int(port)))
else:
    try:
        socket.create_connection((address, int(port)), 10)
        print("met")
    except ConnectionRefusedError:
        print("refused")
    except OSError:
        print("unreachable")
`;

test("large transfers fit through every chain, also where ICMP errors about large packets are dropped", async () => {
  const { web, core, gateway } = topology.net;
  await core.run("nft", "add table inet mute");
  await core.run("nft", "add chain inet mute forward { type filter hook forward priority 0; }");
  await core.run("nft", "add rule inet mute forward icmp type destination-unreachable drop");
  // Nor does the gateway tell a device: only what both ends agree on while they connect is left.
  await gateway.run("nft", "add table inet mute");
  await gateway.run("nft", "add chain inet mute output { type filter hook output priority 0; }");
  await gateway.run("nft", "add rule inet mute output icmp type destination-unreachable drop");
  const bytes = 2_000_000;
  web.start("python3", "-c", sink, String(bytes));
  await until("the receiver listens", async () => (await web.run("ss", "-Hltn", "sport = :8000")) !== "", 5);
  const transferred = await Promise.all(
    chainNames.map((chain) => clientOf(chain).device.run("python3", "-c", source, String(bytes))),
  );
  expect(transferred.map((it) => it.trim())).toEqual(chainNames.map(() => `${bytes} ${bytes}`));
  for (const host of [core, gateway]) await host.run("nft", "delete table inet mute");
});

/** Receives this many bytes from each client and sends as many back. */
const sink = `
import socket, sys, threading
most = int(sys.argv[1])
server = socket.create_server(("203.0.113.5", 8000))
def serve(one):
    left = most
    while left > 0 and (data := one.recv(65536)):
        left -= len(data)
    one.sendall(bytes(most))
    one.close()
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
`;
const source = `
import socket, sys
most = int(sys.argv[1])
one = socket.create_connection(("203.0.113.5", 8000), 300)
one.sendall(bytes(most))
taken = 0
while data := one.recv(65536):
    taken += len(data)
print(most, taken)
`;

/** How a hop goes, and how it is given back where it does not come back by itself. Nothing: this kind has no such end. */
interface Fault {
  readonly go: () => unknown;
  readonly back?: () => unknown;
}
const faults: Record<string, (hop: HopServer) => Fault | undefined> = {
  "its interface is taken down": (hop) =>
    hop.interface === undefined
      ? undefined
      : { go: () => topology.net.gateway.run("ip", "link", "set", hop.interface!, "down") },
  "its program is killed": (hop) => ({ go: () => topology.killProgram(hop) }),
  "its server falls silent": (hop) => ({ go: () => hop.freeze(), back: () => hop.thaw() }),
  "its server is killed": (hop) => ({ go: () => hop.kill(), back: () => hop.restart() }),
  "its server moves": (hop) => ({ go: () => hop.move() }),
};

describe.each(Object.keys(faults))("a hop of every chain goes: %s", (fault) => {
  test.each([0, 1])("hop %i", repeatable, async (position) => {
    const struck = chainNames.filter((chain) => {
      const hop = hopsOf(chain)[position];
      return hop !== undefined && faults[fault]!(hop) !== undefined;
    });
    await Promise.all(chainNames.map((chain) => until(`${chain} forwards before`, () => arrives(chain), 20)));
    await expectNoStrays();
    const done = await Promise.allSettled(struck.map((chain) => strike(chain, hopsOf(chain)[position]!, fault)));
    await expectNoStrays();
    const figures = done.map((it) => {
      if (it.status === "rejected") throw it.reason as Error;
      return it.value;
    });
    const descriptions = figures.map(
      ({ hop, noticed, back }) => `${hop} noticed after ${noticed}, back after ${back.toFixed(1)} s`,
    );
    console.log(`${fault}, hop ${position + 1}: ${descriptions.join("; ")}`);
    expect(figures).toHaveLength(struck.length);
    expectWithin(2, Object.fromEntries(figures.map(({ hop, noticedSec }) => [`noticing ${hop}`, noticedSec])));
    expectWithin(10, Object.fromEntries(figures.map(({ hop, back }) => [`${hop}'s return`, back])));
  });
});

/** Takes a hop away and waits for its return. One that comes back by itself may do so before anybody has noticed. */
async function strike(chain: ChainName, hop: HopServer, fault: string) {
  const { go, back } = faults[fault]!(hop)!;
  await go();
  const noticedSec = back ? await untilNoticed(chain, hop) : 0;
  await back?.();
  const noticed = back ? `${noticedSec.toFixed(1)} s` : "-";
  return {
    hop: hop.name,
    noticed,
    noticedSec,
    back: await until(`${chain}: ${hop.name} is back`, () => arrives(chain), 15),
  };
}

async function untilNoticed(chain: ChainName, { name }: HopServer): Promise<number> {
  const seconds = await until(`${chain}: ${name} is missed`, async () => (await nowOf(chain)).startsWith("block"), 4);
  // What runs inside a hop goes with it, and may be missed first.
  await until(`${chain} names ${name}`, async () => (await nowOf(chain)).includes(`(${name}) is down`), 2);
  return seconds;
}

describe("a proxy behind a tunnel is given up while its server is being probed", () => {
  const chain = "a SOCKS5 proxy behind WireGuard";
  const proxy = () => last(chain);
  const ask = (method: string, path: string, body?: object) => topology.api.ok(method, path, body);
  const edit = (body: object) => ask("PUT", `/proxies/${proxy().id}`, body);
  const ends: Record<string, { go: () => Promise<unknown>; back?: () => Promise<unknown> }> = {
    "its address is edited": {
      go: () => edit({ address: "198.51.100.250:1080" }),
      back: () => edit({ address: `${proxy().name}.example.net:1080` }),
    },
    "it is switched off": { go: () => edit({ enabled: false }), back: () => edit({ enabled: true }) },
    "its policy is deleted": {
      go: async () => {
        await ask("DELETE", `/routing/policies/${clientOf(chain).policyId}`);
        await topology.apply();
      },
    },
  };
  /** Longer than the timeout of a probe: a lost connection is not reported. */
  const lastWordsMs = 4000;
  /** Connections with the proxy's server: probes and those of devices. */
  const open = () => topology.net.gateway.run("ss", "-Htn", `dst ${proxy().addresses()[0]}`);

  test.each(Object.keys(ends))("%s", repeatable, async (end) => {
    await until(`${chain} forwards before`, () => arrives(chain), 20);
    proxy().freeze();
    try {
      await until("a probe stays open", async () => (await open()) !== "", 5);
      await expectNoStrays();
      await topology.net.seen(topology.net.core);
      await ends[end]!.go();
      await wait(lastWordsMs);
      const sources = (await topology.net.seen(topology.net.core)).filter(
        ({ to, port }) => proxy().addresses().includes(to) && port === proxy().port,
      );
      expect([...new Set(sources.map(({ from }) => from))]).toEqual([hopsOf(chain)[0]!.site.v4]);
      await expectNoStrays();
    } finally {
      proxy().thaw();
      await ends[end]!.back?.();
    }
  });
});
