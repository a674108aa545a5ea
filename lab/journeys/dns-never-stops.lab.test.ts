import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import type { Asked } from "../dns-load.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { resolverPorts } from "../resolvers.ts";
import { type Client, figures, lostMore, openResolving, type Resolving } from "../topology-dns.ts";

/*
 * Somebody asks thousands of times a second while everything that can be changed is changed. What is lost in a run
 * without changes is the machine's fault; what is lost beyond it is ours. `DNS_RATE=5000 DNS_LIST=1000000` is the full size.
 */
const rate = Number(process.env["DNS_RATE"] ?? 1500);
const listNames = Number(process.env["DNS_LIST"] ?? 100_000);
const rounds = 5;
const rules = 100;
const quietSec = 10;

let lab: Lab;
let it: Resolving;
let client: Client;
const folder = temporaryFolder();

beforeAll(async () => {
  lab = openLab();
  it = await openResolving(lab);
  client = await it.client("d1", "direct");
  await it.house.apply();
  await until("a name is answered", async () => (await client.ask("first.d1.fresh.lab"))?.status === "NOERROR", 20);
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const known = Array.from({ length: 97 }, (_, place) => `known${place}.lasting.fresh.lab`);

/** Most names are known, as they are in a house; one of ten has to be looked up. */
async function askingWhile(deeds: () => Promise<void>): Promise<Asked> {
  const asker = await client.startAsking({ rate, names: known, fresh: client.domain, freshEach: 10 });
  let asked: Asked | undefined;
  try {
    await deeds();
  } finally {
    asked = await asker.stop(); // Or it would ask on beside the next one.
  }
  return asked;
}

let quiet: Asked;

test("in a run without changes, everything is answered", async () => {
  await (await client.startAsking({ rate: 500, names: known, count: 97 })).finish();
  quiet = await askingWhile(() => wait(1000 * quietSec));
  console.log(`never stops: quiet: ${figures(quiet)}`);
  recordFigure({ name: "answers lost in a run without changes", value: quiet.lost, unit: "answers" });
  expect(quiet.answered).toBeGreaterThan(0.99 * quiet.asked);
  expect(quiet.rcodes).toEqual({ 0: quiet.answered });
});

test("a list is swapped whole", async () => {
  const deeds = async () => {
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
  expect(await lossesOf("swapping a list", deeds)).toEqual(none);
});

/** Any name of the domain has an address, until it is in a list. What the asker asks for is in none. */
async function upload(id: string, round: number): Promise<void> {
  const file = join(folder.path, `list${round}`);
  const lines = Array.from({ length: listNames }, (_, place) => `ad${place}.round${round % 2}.listed.fresh.lab\n`);
  writeFileSync(file, `${lines.join("")}only${round}.listed.fresh.lab\n`);
  const url = `http://127.0.0.1:8080/api/v1/dns/presets/${id}/content`;
  const flags = ["--silent", "--fail-with-body", "--header", "Content-Type: text/plain", "--upload-file", file];
  await it.house.net.gateway.run("curl", ...flags, url);
}

const isListed = async (round: number): Promise<boolean> =>
  (await client.ask(`only${round}.listed.fresh.lab`))?.status === "NXDOMAIN";

test("rules come and go", async () => {
  const deeds = async () => {
    const made: string[] = [];
    for (let place = 0; place < rules; place += 1) {
      const rule = { name: `rule ${place}`, action: "block", match: "suffix", pattern: `rule${place}.d2.fresh.lab` };
      made.push(((await api("POST", "/dns/filter-rules", rule)) as Made).id);
    }
    await until("the last rule is in force", () => isBlocked(rules - 1), 5);
    for (const id of made) await api("DELETE", `/dns/filter-rules/${id}`);
    await until("no rule is in force", async () => !(await isBlocked(0)) && !(await isBlocked(rules - 1)), 5);
  };
  expect(await lossesOf("a hundred rules", deeds)).toEqual(none);
});

const isBlocked = async (rule: number): Promise<boolean> =>
  (await client.ask(`x.rule${rule}.d2.fresh.lab`))?.status === "NXDOMAIN";

/** One with a name is asked by dnsdist itself, one that is known by its address alone by our own forwarder. */
test.each(["name", "address"] as const)(
  "upstreams known by their %s are asked in the open, by DoT, by DoH and in the open again",
  async (knownBy) => {
    const deeds = async () => {
      const made: string[] = [];
      for (const { name, site } of it.resolvers)
        made.push(
          ((await api("POST", "/dns/forwarders", { name: `${name} by ${knownBy}`, address: site.v4 })) as Made).id,
        );
      for (const protocol of ["dot", "doh", "plain"] as const) {
        for (const [place, { serverName }] of it.resolvers.entries()) {
          const server_name = knownBy === "name" && protocol !== "plain" ? serverName : null;
          await api("PUT", `/dns/forwarders/${made[place]}`, { protocol, server_name });
        }
        await untilAskedBy(protocol);
      }
      for (const id of made) await api("DELETE", `/dns/forwarders/${id}`);
    };
    expect(await lossesOf(`other ways to ask upstreams known by their ${knownBy}`, deeds)).toEqual(none);
  },
);

/** A connection that is closed now has a last packet, so it may take a moment until there is a second of nothing else. */
async function untilAskedBy(protocol: keyof typeof resolverPorts): Promise<void> {
  const isAlone = async () => {
    await it.caught();
    await wait(1000);
    const ports = new Set((await it.caught()).map(({ port }) => port));
    return ports.size === 1 && ports.has(resolverPorts[protocol]);
  };
  await until(`upstreams are asked by ${protocol}, and by nothing else`, isAlone, 30);
}

test("the cache is listed and flushed", async () => {
  const deeds = async () => {
    for (let round = 0; round < rounds; round += 1) {
      const page = (await api("GET", "/dns/cache?limit=100&pattern=*.lasting.fresh.lab")) as object;
      expect(JSON.stringify(page)).toContain("known");
      for (const pattern of ["*.lasting.fresh.lab", "known7.lasting.fresh.lab"])
        await api("POST", "/dns/cache/flush", { pattern });
      await wait(300);
    }
    await api("POST", "/dns/cache/flush", {});
  };
  expect(await lossesOf("listing and flushing the cache", deeds)).toEqual(none);
});

test("the daemon is killed and comes back", async () => {
  const deeds = async () => {
    for (let round = 0; round < rounds; round += 1) {
      await it.house.kill();
      await wait(500); // Nobody is there for a while.
      await it.house.revive();
    }
  };
  expect(await lossesOf(`${rounds} deaths of the daemon`, deeds)).toEqual(none);
});

const none = { lost: 0, refused: 0, restarted: [] as readonly string[] };

/** What is lost beyond the quiet run, what is answered with anything but the address, and who is not who it was. */
async function lossesOf(what: string, deeds: () => Promise<void>): Promise<typeof none> {
  const before = it.house.children();
  const changed = await askingWhile(deeds);
  console.log(`never stops: ${what}: ${figures(changed)}; ${JSON.stringify(changed.lostInSecond)}`);
  const after = it.house.children();
  const lost = lostMore(changed, quiet);
  recordFigure({ name: `names asked for during ${what}`, value: changed.asked, unit: "questions" });
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

const api = (method: string, path: string, body?: object) => it.house.ask.ok(method, path, body);
interface Made {
  readonly id: string;
}
