import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectWithin, repeatable, until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Client, figures, openDnsTopology, type DnsTopology } from "../topology-dns.ts";
import { server } from "../topology-devices.ts";

/*
 * Upstreams that say nothing, that lie, and that sign with other dates than our clock has. `DNS_DEAD_SEC=60` is the full
 * length of the silence.
 */
const deadSec = Number(process.env["DNS_DEAD_SEC"] ?? 4);

describe("when all upstreams fall silent", () => {
  const { it, client } = useTopology();
  // Names that clients query repeatedly; they expire after a second.
  const known = Array.from({ length: 40 }, (_, index) => `known${index}.brief.fresh.lab`);
  // These are queried after 3 s only: the first query for a name pays for the detection of the outage.
  const spared = Array.from({ length: 160 }, (_, index) => `spared${index}.brief.fresh.lab`);

  afterEach(async () => {
    for (const resolver of it().resolvers) {
      await resolver.recover();
      await resolver.restart();
    }
  });

  test.each([
    ["silent", "silence", "recover"],
    ["dead", "kill", "restart"],
  ] as const)(
    "and are %s: known names are answered within 100 ms after 3 s, new ones when they are back",
    {
      timeout: 900_000 + 1000 * deadSec,
      ...repeatable,
    },
    async (how, go, back) => {
      const fresh = async () =>
        (await client().query(`${how}${performance.now()}.d1.fresh.lab`, "A", "+timeout=1"))?.status;
      await until("upstreams answer", async () => (await fresh()) === "NOERROR", 20);
      const all = [...known, ...spared];
      expect(await (await client().startLoad({ rate: 200, count: all.length, names: all })).finish()).toMatchObject({
        rcodes: { 0: all.length },
      });
      await wait(1500); // Until they have run out.
      await Promise.all(it().resolvers.map((resolver) => resolver[go]()));
      const first = await client().startLoad({ rate: 100, names: known });
      await wait(3000);
      const load = await client().startLoad({ rate: 200, count: 200 * deadSec, names: all });
      const stale = await load.finish();
      console.log(`upstreams ${how}: from the first moment: ${figures(await first.stop())}`);
      console.log(`upstreams ${how}: after 3 s: ${figures(stale)}`);
      expect(stale).toMatchObject({ lost: 0, rcodes: { 0: stale.answered } });
      recordFigure({ name: `known names queried while upstreams are ${how}`, value: stale.sent, unit: "queries" });
      recordFigure({
        name: `known names not answered while upstreams are ${how}`,
        value: stale.lost,
        unit: "queries",
        most: 0,
      });
      // One of a hundred may be slow for the machine's sake: others live on it.
      expectWithin(0.1, { "99 of 100 known names": stale.latencyMs.p99! / 1000 });
      expect(await fresh()).not.toBe("NOERROR"); // They are dead indeed.
      await Promise.all(it().resolvers.map((resolver) => resolver[back]()));
      const seconds = await until("new names are answered", async () => (await fresh()) === "NOERROR", 10);
      console.log(`upstreams ${how}: back after ${seconds.toFixed(2)} s`);
      expectWithin(2, { "new names after the upstreams' return": seconds });
    },
  );

  test("one of two is enough", async () => {
    await it().resolvers[0]!.silence();
    await wait(3000);
    const loadReport = await (await client().startLoad({ rate: 100, count: 500, fresh: "d1.fresh.lab" })).finish();
    expect(loadReport).toMatchObject({ lost: 0, rcodes: { 0: 500 } });
  });
});

describe("when answers are forged", () => {
  const { it, client } = useTopology();

  test("DNSSEC: signed answers are authentic; unsigned ones are answered without that", async () => {
    expect(await client().query("signed.lab", "A", "+adflag")).toEqual(believed);
    expect(await client().query("x.fresh.lab", "A", "+adflag")).toEqual({ ...believed, isAuthentic: false });
  });

  test("what is forged is refused, also the second time", async () => {
    const refused = { status: "SERVFAIL", answers: [] };
    expect(await client().query("forged.lab")).toMatchObject(refused);
    expect(await client().query("forged.lab")).toMatchObject(refused);
    // Unsigned answers of the same zone are not affected.
    expect(await client().query("forged.lab", "AAAA")).toMatchObject({
      status: "NOERROR",
      answers: [`AAAA ${server.v6}`],
    });
  });

  test("who does not want DNSSEC is answered", async () => {
    await it().topology.api.ok("PUT", "/dns/options", { dnssec: false });
    await until("it is believed", async () => (await client().query("forged.lab"))?.status === "NOERROR", 10);
    await it().topology.api.ok("PUT", "/dns/options", { dnssec: true });
    // A resolver that is just being replaced refuses everything for a moment: both must be so.
    let signed: Awaited<ReturnType<ReturnType<typeof client>["query"]>>;
    await until(
      "it is refused, and what is signed is not",
      async () => {
        const forged = await client().query("forged.lab");
        signed = await client().query("signed.lab", "A", "+adflag");
        return forged?.status === "SERVFAIL" && signed?.status === "NOERROR";
      },
      40,
    );
    expect(signed).toEqual(believed);
  });

  test("DNSSEC: a resolver that could not fetch the root keys retries", async () => {
    const { gateway } = it().topology.net;
    const fresh = () => `${randomBytes(4).toString("hex")}.signed.lab`; // The frontend caches answers.
    const status = async () => (await client().query(fresh(), "A", "+timeout=3"))?.status;
    const keyQuery = "udp dport 53 @th,160,24 0x000030"; // The root, and the type that keys have.
    await gateway.run("nft", "add", "table", "inet", "hole");
    try {
      await gateway.run("nft", "add", "chain", "inet", "hole", "out", "{ type filter hook output priority 0; }");
      await gateway.run("nft", "add", "rule", "inet", "hole", "out", ...keyQuery.split(" "), "reject");
      for (const [name, processId] of it().topology.processes())
        if (name.startsWith("unbound.")) process.kill(-processId, "SIGKILL");
      await until("names are held for false", async () => (await status()) === "SERVFAIL", 30);
    } finally {
      await gateway.run("nft", "delete", "table", "inet", "hole");
    }
    const seconds = await until("names are answered", async () => (await status()) === "NOERROR", 40);
    console.log(`keys that can be had again: names after ${seconds.toFixed(1)} s`);
    recordFigure({
      name: "time until names are answered once the root's keys can be had",
      value: seconds,
      unit: "s",
      most: 40,
    });
    expect(await client().query(fresh(), "A", "+adflag")).toEqual(believed);
  });

  test("rebinding protection: names outside do not lead to private addresses", async () => {
    for (const name of ["private.lab", "loopback.lab", "to-private.lab"])
      expect([name, (await client().query(name))!.answers.filter((answer) => answer.startsWith("A "))]).toEqual([
        name,
        [],
      ]);
    for (const name of ["private.lab", "loopback.lab", "mapped.lab"])
      expect([name, (await client().query(name, "AAAA"))!.answers]).toEqual([name, []]);
    await it().topology.api.ok("PUT", "/dns/options", { rebinding_allowed: ["private.lab"] });
    await until("private.lab is allowed", async () => (await client().query("private.lab"))!.answers.length === 2, 5);
  });
});

describe.each([30, -30])("when the clock is wrong by days: signatures are %i days ahead of it", (daysAhead) => {
  const { it, client } = useTopology({ daysAhead });

  test("names are answered from the start, forged ones are not, and with the clock set right all is as ever", async () => {
    expect(await client().query("forged.lab")).toMatchObject({ status: "SERVFAIL", answers: [] });
    expect((await client().query("signed.lab"))!.status).toBe("NOERROR");
    // A clock cannot be set in the lab; it is the dates that become right.
    it().world.sign(0);
    for (const resolver of it().resolvers) await resolver.restart();
    await it().topology.api.ok("POST", "/dns/cache/flush", {});
    await until(
      "what is signed is believed again",
      async () => (await client().query("other.signed.lab", "A", "+adflag"))?.isAuthentic === true,
      60,
    );
    expect(await client().query("forged.lab")).toMatchObject({ status: "SERVFAIL", answers: [] });
  });
});

const believed = { status: "NOERROR", answers: [`A ${server.v4}`], isAuthentic: true };

/** Of a `describe`. */
function useTopology(options: Parameters<typeof openDnsTopology>[1] = {}) {
  let [lab, it, client] = [] as unknown as [Lab, DnsTopology, Client];
  beforeAll(async () => {
    lab = openLab();
    it = await openDnsTopology(lab, options);
    client = await it.client("d1", "direct");
    await it.topology.apply();
    const seconds = await until(
      "names are answered",
      async () => (await client.query("signed.lab"))?.status === "NOERROR",
      60,
    );
    console.log(`dead upstreams: the first answer came ${seconds.toFixed(1)} s after the first apply`);
    recordFigure({ name: "time from the first apply to the first answer", value: seconds, unit: "s" });
  });
  afterAll(async () => {
    await it?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
  });
  return { it: () => it, client: () => client };
}
