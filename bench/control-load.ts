import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compiledState, nothingObserved } from "../daemon/src/planes/inputs.ts";
import { linuxEngines } from "../daemon/src/planes/forwarding/forwarding.plane.ts";
import { watchCommits } from "../daemon/src/engines/nftables/commits.ts";
import { readIp } from "../daemon/src/system/iplisting.ts";
import { linux } from "../daemon/src/system/system.ts";
import { bring } from "../lab/loader.ts";
import { ownMs } from "../testing/clock.ts";
import { ledgerIn } from "../testing/ledger-file.ts";
import { median, lowerQuartile } from "./statistics.ts";

/*
 * Inside a network namespace: compiles what the ledger has published and loads it into an empty kernel. For comparison, `nft -f`
 * of the same tables. Prints one line of JSON.
 */
const folder = process.argv[2]!;
const ledger = ledgerIn(folder);
const network = { lan: ["lan0"], wan: "wan0", uplinks: ["wan0"], defaultEgress: "direct" } as const;
const listing = { read: () => readIp(linux), invalidate: () => {} };
const rounds: { coldMs: number; bareMs: number }[] = [];
for (let round = 0; round < 7; round++) rounds.push({ coldMs: await coldLoad(), bareMs: bareLoad() });
ledger.close();
execFileSync("nft", ["flush", "ruleset"]);
const figures = {
  coldMs: lowerQuartile(rounds.map(({ coldMs }) => coldMs)),
  coldRatio: median(rounds.map(({ coldMs, bareMs }) => coldMs / bareMs)),
  bareMs: lowerQuartile(rounds.map(({ bareMs }) => bareMs)),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);

async function coldLoad(): Promise<number> {
  execFileSync("nft", ["flush", "ruleset"]);
  const engines = linuxEngines({ system: linux, commits: watchCommits(), listing, nowMs: Date.now });
  const started = ownMs();
  const none = { exceptions: () => [], observedLinks: nothingObserved, neighbours: () => [], sinceBootMs: ownMs };
  const { desired } = await compiledState({ ledger, network, listing, now: () => new Date(), ...none })();
  await bring(engines.guard, desired.guard);
  await bring(engines.iproute, desired.iproute);
  await bring(engines.steering, desired.steering);
  return ownMs() - started;
}

/** The time of nft alone for the same tables, in an empty namespace. */
function bareLoad(): number {
  const file = join(folder, "loaded.nft");
  writeFileSync(file, execFileSync("nft", ["list", "table", "inet", "portcullis"], { maxBuffer: 64 << 20 }));
  const started = ownMs();
  execFileSync("unshare", ["--net", "nft", "-f", file]);
  return ownMs() - started;
}
