import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChainClient, type ChainName, chainNames, openChains } from "../chains.ts";
import { type HopTopology, openHopTopology } from "../topology-hops.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { backoffMs } from "../../daemon/src/engines/supervisor/supervisor.diff.ts";
import { linux } from "../../daemon/src/system/system.ts";
import { startJsonScript } from "../json-script.ts";
import { monotonicSec } from "../../testing/clock.ts";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import type { TrafficReport } from "../topology-devices.ts";

/*
 * A daemon is killed without any effect on traffic. One LAN with a client for each kind of hop and for chains of them:
 * sent and received data are compared number by number. TCP connections must be the same ones.
 */
let lab: Lab;
let topology: HopTopology;
let chained: ReadonlyMap<ChainName, ChainClient>;

beforeAll(async () => {
  lab = openLab();
  topology = await openHopTopology(lab);
  chained = await openChains(topology);
  for (const [name, { client, last }] of chained) {
    await until(`${name} forwards`, async () => (await client.seenFrom()).includes(last.site.v4), 30);
    await client.traffic.stop();
  }
});
afterAll(async () => {
  await topology?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

describe("nothing is lost, no connection is cut and no program is another one", () => {
  const crashes: Readonly<Record<string, () => Promise<void>>> = {
    // What is lost here is lost by the lab.
    "while nothing happens": async () => wait(6000),
    "when the daemon is killed and comes back": async () => {
      await topology.kill();
      await wait(3000);
      await topology.restart();
    },
    "when the next one is killed as well while it starts, at six moments": async () => {
      await topology.kill();
      for (const afterMs of [200, 350, 500, 650, 800, 1000]) await topology.startAndKill(afterMs);
      await topology.restart();
    },
    "when it is stopped and started": async () => {
      await topology.stop();
      await wait(3000);
      await topology.restart();
    },
  };
  test.each(Object.keys(crashes))("%s", async (name) => {
    const before = topology.processes();
    const early = await allSendTraffic("early");
    await wait(1000);
    const dying = crashes[name]!();
    // Who begins to talk while there is no daemon is served as well.
    const late = wait(1000).then(() => allSendTraffic("late"));
    await dying;
    await wait(5000);
    const lost = [...(await early.stop()), ...(await (await late).stop())];
    expect(lost).toEqual([]);
    expect(topology.processes()).toEqual(before);
    expect(before.size).toBe([...chained.values()].flatMap(({ hops }) => hops).length);
  });
});

describe("a killed program is restarted, and its end is reported", () => {
  test.each(["WireGuard", "OpenVPN", "a SOCKS5 proxy"] as const)("%s", async (chain) => {
    const { kind, id } = chained.get(chain)!.last;
    const path = kind === "proxy" ? `/proxies/${id}` : `/tunnels/${id}`;
    const look = async () => (await topology.api.ok("GET", path)) as { status: string; reason: string };
    await until(`${chain} is up`, async () => (await look()).status === "up", 10);
    const before = topology.processes();
    const { name } = await topology.programOf(chained.get(chain)!.last);
    const reasons = new Set<string>();
    async function die(): Promise<number> {
      const dead = topology.processes().get(name)!;
      linux.signal(dead, "SIGKILL");
      const isAnother = async () => {
        const { status, reason } = await look();
        if (status !== "up") reasons.add(reason);
        return (topology.processes().get(name) ?? dead) !== dead;
      };
      const died = monotonicSec();
      await until("another one lives", isAnother, 10);
      return monotonicSec() - died;
    }
    const isBack = () => until(`${chain} is back`, async () => (await look()).status === "up", 10);
    const once = await die();
    const backSec = once + (await isBack());
    // Who dies again and again is given ever more time.
    const rests = [once, await die(), await die(), await die()];
    const againSec = await isBack();
    console.log(
      `${chain}: up again ${backSec.toFixed(1)} s after a kill; four kills in a row: ${rests.map((it) => it.toFixed(1)).join(", ")} s of backoff, then up ${againSec.toFixed(1)} s later; reported: ${[...reasons].join("; ")}`,
    );
    recordFigure({ name: `time until a killed program is up again, ${chain}`, value: backSec, unit: "s" });
    // None is shorter than it is due; what it is longer is the time to notice, and to start a program.
    const early = rests.filter((restSec, index) => 1000 * restSec < backoffMs(index + 1) - 50);
    expect({ rests, early }).toEqual({ rests, early: [] });
    expect([...reasons]).not.toEqual([]);
    expect([...topology.processes().keys()].toSorted()).toEqual([...before.keys()].toSorted());
    const traffic = await allSendTraffic("afterwards");
    await wait(1000);
    expect(await traffic.stop()).toEqual([]);
  });
});

interface Talks {
  /** Sends no more, and answers what is wrong. */
  stop(): Promise<string[]>;
}

let traffics = 0;
/** Fresh flows of every resident, each with a name of its own. */
async function allSendTraffic(when: string): Promise<Talks> {
  traffics += 1;
  const senders = await Promise.all(
    chainNames.map(async (chain) => {
      const { name, device } = chained.get(chain)!.client;
      const called = `${name}-${traffics}`;
      return { chain, called, script: await startJsonScript(device, "traffic-sender.py", called, "50") };
    }),
  );
  return {
    stop: async () => {
      const reports = await Promise.all(
        senders.map(async ({ script }) => (await script.request("stop")) as TrafficReport),
      );
      let wrong = await wrongWith(reports);
      // Packets in flight are not lost.
      for (let left = 20; left > 0 && wrong.length > 0; left -= 1) {
        await wait(500);
        wrong = await wrongWith(reports);
      }
      const sent = reports.reduce((sum, { udp }) => sum + udp["4"], 0);
      recordFigure({
        name: "datagrams of six chains while the daemon or a program was killed",
        value: sent,
        unit: "packets",
      });
      recordFigure({
        name: "losses of six chains while the daemon or a program was killed",
        value: wrong.length,
        unit: "losses",
        most: 0,
      });
      return wrong;
    },
  };
  async function wrongWith(reports: readonly TrafficReport[]): Promise<string[]> {
    const { udp, tcp } = await topology.net.webReport();
    return senders.flatMap(({ chain, called }, index) => {
      const connections = reports[index]!.tcp["4"];
      const [first] = connections;
      const sent = reports[index]!.udp["4"];
      const arrived = udp[`${called}-4`]?.numbers ?? 0;
      const forwardsDatagrams = chained.get(chain)!.last.kind !== "proxy";
      const egresses = tcp.filter(({ who }) => who === called).map(({ egress }) => egress);
      return [
        forwardsDatagrams && arrived !== sent && `${sent - arrived} of ${sent} datagrams are lost`,
        !forwardsDatagrams && arrived > 0 && "datagrams came past the proxy",
        connections.length !== 1 && `connections ended: ${connections.map(({ why }) => why).join(", ")}`,
        first!.echoed !== first!.sent && `${first!.sent - first!.echoed} of ${first!.sent} bytes were not answered`,
        first!.sent === 0 && "nothing was sent",
        egresses.join(" ") !== chained.get(chain)!.last.site.v4 &&
          `the web server was called from ${egresses.join(", ")}`,
      ]
        .filter((it) => it !== false)
        .map((what) => `${chain}, ${when}: ${what}`);
    });
  }
}
