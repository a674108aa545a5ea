import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Intent, IntentPolicy } from "../../daemon/src/compiler/intent.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { companion } from "../companion.ts";
import { generations, links, openCrossroads } from "../crossroads.ts";
import { openLab } from "../namespaces.ts";

/*
 * A transaction is not one moment for a packet that does several look-ups: it enters by the old rules, and while it is on
 * its way the elements become the new ones. Here two sets of policies differ in nothing but their order. The rank of the
 * protected device in one is the rank of a device that goes direct in the other; who mixes them up leaks.
 */

/** `APPLIES=5000 npm run test:lab` is the full size. */
const applies = Number(process.env["APPLIES"] ?? 1000);

/** So many that none comes round before it is forgotten; so few that all are known, and are decided anew after each apply. */
const flowsOf = { "new flows": 240_000, "running flows": 20_000 } as const;
type Kind = keyof typeof flowsOf;

const protectedMac = "02:00:00:00:00:01";
const facts = { links, hops: [{ type: "vpn", target: "t1", interface: "t1", up: true }] };
const [protectedFirst, directFirst] = [intentInOrder(1, 2), intentInOrder(2, 1)];

/** Policies of the other kinds make a packet do every look-up there is. They speak of somebody else. */
function intentInOrder(ofProtected: number, ofDirect: number): Intent {
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
  const device = (id: string, mac: string) => ({ id, mac, ips: [], groupIds: [], requiresTunnel: false });
  return {
    network: { lan: ["lan0", "lan1"], wan: "wan0", defaultEgress: "block" },
    devices: [device("protected", protectedMac), device("direct", "02:00:00:00:00:02")],
    groups: [],
    policies: [
      policy("protected", ofProtected, { hops: [{ type: "vpn", target: "t1" }] }),
      policy("direct", ofDirect, { failPolicy: "fail-open" }),
      policy("network", 3, { sourceType: "subnet", sourceValue: "10.0.0.0/24" }),
      policy("destination", 4, { sourceType: "destination", sourceValue: "203.0.113.0/24" }),
      policy("domain", 5, { sourceType: "domain", sourceValue: "example.org" }),
    ],
  };
}

/** Floods with packets of the protected device while transactions follow each other, until there were enough. */
async function race(
  kind: Kind,
  edit: (transaction: string) => string,
  isEnough: (so: { applied: number; leaked: number; seconds: number }) => boolean,
) {
  await using lab = openLab();
  using folder = temporaryFolder();
  const crossroads = await openCrossroads(lab);
  const forgetAfterSec = kind === "new flows" ? 1 : 30;
  await crossroads.gateway.run("sysctl", "-qw", `net.netfilter.nf_conntrack_udp_timeout=${forgetAfterSec}`);
  await crossroads.load(protectedFirst, facts);
  for (let place = 0; place < generations; place++) {
    const text = crossroads.transaction(place % 2 === 0 ? directFirst : protectedFirst, facts);
    writeFileSync(join(folder.path, String(place).padStart(3, "0")), edit(text));
  }
  const applier = await companion(crossroads.gateway, "lab/apply.py", folder.path);
  const started = performance.now();
  const flood = await crossroads.blast(protectedMac, flowsOf[kind]);
  const so = { applied: 0, leaked: 0, seconds: 0 };
  do {
    so.applied = Number(await applier.ask("50"));
    so.leaked = await crossroads.seenOn("wan0");
    so.seconds = (performance.now() - started) / 1000;
  } while (!isEnough(so));
  const sent = await flood.stop();
  return { ...so, leaked: await crossroads.seenOn("wan0"), sent, byTunnel: await crossroads.seenOn("t1") };
}

function told(what: string, { applied, sent, byTunnel, leaked, seconds }: Awaited<ReturnType<typeof race>>): void {
  const traffic = `${sent} packets in ${seconds.toFixed(1)} s, ${byTunnel} by the tunnel, ${leaked} leaked`;
  process.stdout.write(`straddle, ${what}: ${applied} applies, ${traffic}\n`);
}

test.each(Object.keys(flowsOf) as Kind[])(
  "no packet of %s leaks by being underway while policies change ranks",
  {
    timeout: 900_000,
  },
  async (kind) => {
    const result = await race(
      kind,
      (transaction) => transaction,
      ({ applied }) => applied >= applies,
    );
    told(kind, result);
    expect(result.leaked).toBe(0);
    expect(result.byTunnel / result.sent).toBeGreaterThan(0.5);
    expect(result.sent / result.seconds).toBeGreaterThan(5000);
  },
);

/** New flows only: of one that runs, masquerading itself drops the packet whose interface changes. */
test("without the maps named after the generation, the same race does leak", async () => {
  const result = await race("new flows", withoutCanaries, ({ leaked, seconds }) => leaked > 0 || seconds > 60);
  told("new flows without canaries", result);
  expect(result.leaked).toBeGreaterThan(0);
});

/** What the look-ups would have led to happens unasked. */
function withoutCanaries(transaction: string): string {
  return replaced(
    replaced(transaction, /iifname vmap @canary_\d+/, "jump validate"),
    /iifname vmap @moving_\d+/,
    "goto move",
  );
}

function replaced(text: string, found: RegExp, by: string): string {
  expect(text).toMatch(found);
  return text.replace(found, by);
}
