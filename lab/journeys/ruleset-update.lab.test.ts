import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Intent, type IntentPolicy, noLinks } from "../../daemon/src/compiler/input/intent.ts";
import { guardTable } from "../../daemon/src/engines/nftables/guard/guard.render.ts";
import { sourceSets } from "../../daemon/src/engines/nftables/sources/sources.render.ts";
import { recordFigure } from "../../testing/figure.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { startScript } from "../script.ts";
import { gatewayMac, links, openEgressTopology } from "../topology-egresses.ts";
import { generations, loader } from "../loader.ts";
import { openLab } from "../namespaces.ts";

/*
 * A transaction is not one moment for a packet that does several look-ups: it enters by the old rules, and meanwhile
 * the elements become the new ones. Here two sets of policies differ in their order only. The rank of the protected
 * device in one is the rank of a device that goes direct in the other; mixing them leaks.
 */

/** So many the race is run for; fewer show little. */
const applies = Number(process.env["COMMITS"] ?? 5000);

/** So many that none comes round before it is forgotten; so few that all are known, and are decided anew after each apply. */
const flowsOf = { "new flows": 240_000, "running flows": 20_000 } as const;
type Kind = keyof typeof flowsOf;

const protectedMac = "02:00:00:00:00:01";
const directMac = "02:00:00:00:00:02";
const facts = { links, hops: [{ type: "vpn", target: "t1", interface: "t1", up: true }] };

const policy = (id: string, priority: number, it: Partial<IntentPolicy>): IntentPolicy => ({
  id,
  priority,
  sourceType: "device",
  sourceValue: id,
  hops: [],
  failPolicy: "fail-closed",
  splitting: false,
  ...it,
});
const byTunnel = { hops: [{ type: "vpn", target: "t1" }] } as const;
const device = (id: string, mac: string) => ({ id, mac, ips: [], groupIds: [], requiresTunnel: false });

/** A device floods while two sets of policies alternate. With either, the packets must leave through the tunnel. */
interface Scene {
  readonly mac: string;
  readonly turns: readonly [Intent, Intent];
}

/** Policies of the other kinds make a packet do every look-up there is. They match other devices. */
const ofDevices = (ofProtected: number, ofDirect: number): Intent => ({
  network: { lan: ["lan0", "lan1"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "block" },
  devices: [device("protected", protectedMac), device("direct", directMac)],
  groups: [],
  policies: [
    policy("protected", ofProtected, byTunnel),
    policy("direct", ofDirect, { failPolicy: "fail-open" }),
    policy("network", 3, { sourceType: "subnet", sourceValue: "10.0.0.0/24" }),
    policy("destination", 4, { sourceType: "destination", sourceValue: "203.0.113.0/24" }),
    policy("domain", 5, { sourceType: "domain", sourceValue: "example.org" }),
  ],
  exceptions: [],
  ...noLinks,
});

/** The device goes direct, but not to this destination. That is settled by ranges, and all of them are made anew. */
const ofRanges = (ofOthers: number): Intent => ({
  ...ofDevices(1, 1),
  policies: [
    policy("others", ofOthers, { sourceType: "destination", sourceValue: "198.51.100.0/24" }),
    policy("destination", 5, { sourceType: "destination", sourceValue: "203.0.113.0/24", ...byTunnel }),
    policy("direct", 9, { failPolicy: "fail-open" }),
  ],
});

const scenes = {
  devices: { mac: protectedMac, turns: [ofDevices(1, 2), ofDevices(2, 1)] },
  ranges: { mac: directMac, turns: [ofRanges(1), ofRanges(7)] },
} as const satisfies Record<string, Scene>;

/** Floods with packets of the device while transactions follow each other, until there were enough. */
async function race(
  scene: keyof typeof scenes,
  kind: Kind,
  edit: (transactions: readonly string[]) => readonly string[],
  isEnough: (so: { applied: number; leaked: number; seconds: number }) => boolean,
) {
  const { mac, turns } = scenes[scene];
  await using lab = openLab();
  using folder = temporaryFolder();
  const crossroads = await openEgressTopology(lab);
  const { load, transactions } = loader(crossroads.gateway);
  const forgetAfterSec = kind === "new flows" ? 1 : 30;
  await crossroads.gateway.run("sysctl", "-qw", `net.netfilter.nf_conntrack_udp_timeout=${forgetAfterSec}`);
  await load(turns[0], facts);
  // Steering by itself: the guard's own sets of protected senders would stop what it lets through.
  for (const set of Object.keys(sourceSets))
    await crossroads.gateway.run("nft", "flush", "set", ...guardTable.split(" "), set);
  let perApply = 1;
  for (let index = 0; index < generations; index++) {
    const texts = edit(transactions(turns[(index + 1) % 2]!, facts));
    perApply = texts.length;
    for (const [part, text] of texts.entries())
      writeFileSync(join(folder.path, `${String(index).padStart(3, "0")}-${part}`), text);
  }
  const applier = await startScript(crossroads.gateway, "lab/apply.py", folder.path);
  const frame = ["to-lan0", gatewayMac, mac, "10.0.0.2", "203.0.113.5"];
  const sender = await startScript(crossroads.clients, "lab/blast.py", ...frame, String(flowsOf[kind]));
  const started = performance.now();
  sender.send("flood");
  const so = { applied: 0, leaked: 0, seconds: 0 };
  do {
    so.applied = Number(await applier.request(String(50 * perApply))) / perApply;
    so.leaked = (await crossroads.counted()).wan0;
    so.seconds = (performance.now() - started) / 1000;
  } while (!isEnough(so));
  const sent = Number(await sender.request("stop"));
  const { wan0, t1 } = await crossroads.counted();
  return { ...so, leaked: wan0, sent, byTunnel: t1 };
}

function recordRace(
  what: string,
  { applied, sent, byTunnel, leaked, seconds }: Awaited<ReturnType<typeof race>>,
): void {
  const traffic = `${sent} packets in ${seconds.toFixed(1)} s, ${byTunnel} by the tunnel, ${leaked} leaked`;
  process.stdout.write(`straddle, ${what}: ${applied} applies, ${traffic}\n`);
}

const untouched = (transactions: readonly string[]) => transactions;

test.each([
  ["devices", "new flows"],
  ["devices", "running flows"],
  ["ranges", "new flows"],
] as const)("no packet in flight leaks while ranks of %s change: %s", async (scene, kind) => {
  const result = await race(scene, kind, untouched, ({ applied }) => applied >= applies);
  recordRace(`${scene}, ${kind}`, result);
  const during = `while ranks of ${scene} change, ${kind}`;
  recordFigure({ name: `packets sent ${during}`, value: result.sent, unit: "packets" });
  recordFigure({
    name: `packets sent a second ${during}`,
    value: result.sent / result.seconds,
    unit: "1/s",
    least: 5000,
  });
  recordFigure({
    name: `packets by the tunnel ${during}`,
    value: result.byTunnel / result.sent,
    unit: "share",
    least: 0.5,
  });
  recordFigure({ name: `packets outside the tunnel ${during}`, value: result.leaked, unit: "packets", most: 0 });
  expect(result.leaked).toBe(0);
  expect(result.byTunnel).toBeGreaterThan(1000);
});

/** New flows only: of one that runs, masquerading itself drops the packet whose interface changes. */
test.each([
  ["devices", "the maps named after the generation", withoutCanaries],
  ["ranges", "maps of ranges being made beforehand", allAtOnce],
] as const)("in the race of %s, without %s, packets do leak", async (scene, what, edit) => {
  const result = await race(scene, "new flows", edit, ({ leaked, seconds }) => leaked > 0 || seconds > 300);
  recordRace(`${scene}, new flows without ${what}`, result);
  expect(result.leaked).toBeGreaterThan(0);
});

/** What the look-ups would have led to happens unasked. */
function withoutCanaries(transactions: readonly string[]): string[] {
  const last = transactions.at(-1)!;
  const bare = replaced(last, /iifname vmap @canary_\d+/, "jump validate");
  return [...transactions.slice(0, -1), replaced(bare, /iifname vmap @moving_\d+/, "goto move_flow")];
}

function replaced(text: string, found: RegExp, by: string): string {
  if (!found.test(text)) throw new Error(`There is no ${found.source} to take out`);
  return text.replace(found, by);
}

/** One transaction where there should be two. */
function allAtOnce(transactions: readonly string[]): string[] {
  if (transactions.length !== 2) throw new Error("There is nothing to be made beforehand");
  return [transactions.join("")];
}
