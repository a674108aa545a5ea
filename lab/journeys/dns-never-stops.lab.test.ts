import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import type { DnsLoadReport } from "../dns-load.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { resolverPorts } from "../resolvers.ts";
import { type Client, figures, extraLoss, openDnsTopology, type DnsTopology } from "../topology-dns.ts";

/*
 * A client sends thousands of queries a second while everything that can be changed is changed. Losses in a run without
 * changes are caused by the machine; additional ones by us. `DNS_RATE=5000 DNS_LIST=1000000` is the full size.
 */
const rate = Number(process.env["DNS_RATE"] ?? 1500);
const listNames = Number(process.env["DNS_LIST"] ?? 100_000);
const rounds = 5;
const rules = 100;
const quietSec = 10;

let lab: Lab;
let it: DnsTopology;
let client: Client;
const folder = temporaryFolder();

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  client = await it.client("d1", "direct");
  await it.topology.apply();
  await until("a name is answered", async () => (await client.query("first.d1.fresh.lab"))?.status === "NOERROR", 20);
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const known = Array.from({ length: 97 }, (_, index) => `known${index}.lasting.fresh.lab`);

/** Most names are cached, as in real use; one of ten has to be resolved. */
async function queryingWhile(actions: () => Promise<void>): Promise<DnsLoadReport> {
  const load = await client.startLoad({ rate, names: known, fresh: client.domain, freshEach: 10 });
  let loadReport: DnsLoadReport | undefined;
  try {
    await actions();
  } finally {
    loadReport = await load.stop(); // Or it would run beside the next one.
  }
  return loadReport;
}

let quiet: DnsLoadReport;

test("in a run without changes, everything is answered", async () => {
  await (await client.startLoad({ rate: 500, names: known, count: 97 })).finish();
  quiet = await queryingWhile(() => wait(1000 * quietSec));
  console.log(`never stops: quiet: ${figures(quiet)}`);
  recordFigure({ name: "answers lost in a run without changes", value: quiet.lost, unit: "answers" });
  expect(quiet.answered).toBeGreaterThan(0.99 * quiet.sent);
  expect(quiet.rcodes).toEqual({ 0: quiet.answered });
});

test("a list is swapped whole", async () => {
  const actions = async () => {
    const list = (await api("POST", "/dns/presets", { name: "big", category: "ads", format: "domains" })) as Made;
    for (let round = 0; round < rounds; round += 1) {
      await upload(list.id, round);
      await until(
        `list ${round} is in force`,
        async () => (await isListed(round)) && !(await isListed(round - 1)),
        120,
      );
    }
    await api("DELETE", `/dns/presets/${list.id}`);
  };
  expect(await lossesOf("swapping a list", actions)).toEqual(none);
});

/** Any name of the domain has an address, until it is in a list. The names of the load are in none. */
async function upload(id: string, round: number): Promise<void> {
  const file = join(folder.path, `list${round}`);
  const lines = Array.from({ length: listNames }, (_, index) => `ad${index}.round${round % 2}.listed.fresh.lab\n`);
  writeFileSync(file, `${lines.join("")}only${round}.listed.fresh.lab\n`);
  const url = `http://127.0.0.1:8080/api/v1/dns/presets/${id}/content`;
  const flags = ["--silent", "--fail-with-body", "--header", "Content-Type: text/plain", "--upload-file", file];
  await it.topology.net.gateway.run("curl", ...flags, url);
}

const isListed = async (round: number): Promise<boolean> =>
  (await client.query(`only${round}.listed.fresh.lab`))?.status === "NXDOMAIN";

test("rules come and go", async () => {
  const actions = async () => {
    const made: string[] = [];
    for (let index = 0; index < rules; index += 1) {
      const rule = { name: `rule ${index}`, action: "block", match: "suffix", pattern: `rule${index}.d2.fresh.lab` };
      made.push(((await api("POST", "/dns/filter-rules", rule)) as Made).id);
    }
    await until("the last rule is in force", () => isBlocked(rules - 1), 5);
    for (const id of made) await api("DELETE", `/dns/filter-rules/${id}`);
    await until("no rule is in force", async () => !(await isBlocked(0)) && !(await isBlocked(rules - 1)), 5);
  };
  expect(await lossesOf("a hundred rules", actions)).toEqual(none);
});

const isBlocked = async (rule: number): Promise<boolean> =>
  (await client.query(`x.rule${rule}.d2.fresh.lab`))?.status === "NXDOMAIN";

/** dnsdist queries an upstream with a name itself; our DNS proxy queries one known by its address alone. */
test.each(["name", "address"] as const)(
  "upstreams known by their %s are queried in the clear, by DoT, by DoH and in the clear again",
  async (knownBy) => {
    const actions = async () => {
      const made: string[] = [];
      for (const { name, site } of it.resolvers)
        made.push(
          ((await api("POST", "/dns/forwarders", { name: `${name} by ${knownBy}`, address: site.v4 })) as Made).id,
        );
      for (const protocol of ["dot", "doh", "plain"] as const) {
        for (const [index, { serverName }] of it.resolvers.entries()) {
          const server_name = knownBy === "name" && protocol !== "plain" ? serverName : null;
          await api("PUT", `/dns/forwarders/${made[index]}`, { protocol, server_name });
        }
        await untilQueriedBy(protocol);
      }
      for (const id of made) await api("DELETE", `/dns/forwarders/${id}`);
    };
    expect(await lossesOf(`other protocols to upstreams known by their ${knownBy}`, actions)).toEqual(none);
  },
);

/** A connection that is closed now has a last packet, so it may take a moment until there is a second of nothing else. */
async function untilQueriedBy(protocol: keyof typeof resolverPorts): Promise<void> {
  const isAlone = async () => {
    await it.sniffed();
    await wait(1000);
    const ports = new Set((await it.sniffed()).map(({ port }) => port));
    return ports.size === 1 && ports.has(resolverPorts[protocol]);
  };
  await until(`upstreams are queried by ${protocol} only`, isAlone, 30);
}

test("the cache is listed and flushed", async () => {
  const actions = async () => {
    for (let round = 0; round < rounds; round += 1) {
      const page = (await api("GET", "/dns/cache?limit=100&pattern=*.lasting.fresh.lab")) as object;
      expect(JSON.stringify(page)).toContain("known");
      for (const pattern of ["*.lasting.fresh.lab", "known7.lasting.fresh.lab"])
        await api("POST", "/dns/cache/flush", { pattern });
      await wait(300);
    }
    await api("POST", "/dns/cache/flush", {});
  };
  expect(await lossesOf("listing and flushing the cache", actions)).toEqual(none);
});

test("the daemon is killed and comes back", async () => {
  const actions = async () => {
    for (let round = 0; round < rounds; round += 1) {
      await it.topology.kill();
      await wait(500); // No daemon for a while.
      await it.topology.restart();
    }
  };
  expect(await lossesOf(`${rounds} kills of the daemon`, actions)).toEqual(none);
});

const none = { lost: 0, refused: 0, restarted: [] as readonly string[] };

/** What is lost beyond the quiet run, what is answered with anything but the address, and who is not who it was. */
async function lossesOf(what: string, actions: () => Promise<void>): Promise<typeof none> {
  const before = it.topology.processes();
  const changed = await queryingWhile(actions);
  console.log(`never stops: ${what}: ${figures(changed)}; ${JSON.stringify(changed.lostInSecond)}`);
  const after = it.topology.processes();
  const lost = extraLoss(changed, quiet);
  recordFigure({ name: `names queried during ${what}`, value: changed.sent, unit: "queries" });
  recordFigure({
    name: `answers lost during ${what}, beyond a run without changes`,
    value: lost,
    unit: "answers",
    most: 0,
  });
  return {
    lost,
    refused: changed.answered - (changed.rcodes["0"] ?? 0),
    restarted: [...before.keys()].filter((name) => after.get(name) !== before.get(name)),
  };
}

const api = (method: string, path: string, body?: object) => it.topology.api.ok(method, path, body);
interface Made {
  readonly id: string;
}
