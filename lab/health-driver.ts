import { createInterface } from "node:readline";
import { sentence } from "@portcullis/contract/reason";
import { openHealth, type MonitoredLink } from "../daemon/src/health/health.ts";
import { openSavedState } from "../daemon/src/health/saved-state.ts";
import { sinceBootMs } from "../daemon/src/system/clock.ts";
import { linux, type System } from "../daemon/src/system/system.ts";
import { ownMs } from "../testing/clock.ts";

/**
 * `health-driver.ts FILE`: monitors links inside a host of the lab, one list of links per line. It prints each change
 * with its time, each burst, and in answer to `cost` the processor time used.
 */
const print = (news: object): void => void process.stdout.write(`${JSON.stringify(news)}\n`);

/** A burst probes more targets than the regular probes, at a shorter interval. */
const system: System = {
  ...linux,
  run: (command, args, options) => {
    if (command === "ping" && args.includes("0.01")) print({ kind: "burst" });
    return linux.run(command, args, options);
  },
};

const health = openHealth({
  system,
  nowMs: sinceBootMs,
  now: () => new Date(),
  savedState: openSavedState({ system: linux, file: process.argv[2]! }),
  onChange: (key, { status, reason, sinceMs, rttMs, loss }) =>
    print({ kind: "change", atMs: ownMs(), key, status, reason: sentence(reason), sinceMs, rttMs, loss }),
  onFlap: (key) => print({ kind: "flap", atMs: ownMs(), key }),
  onFailed: (key, times) => print({ kind: "failing", atMs: ownMs(), key, times }),
});

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (line === "cost") print({ kind: "cost", ...process.cpuUsage() });
    else health.monitor(JSON.parse(line) as MonitoredLink[]);
    print({ kind: "state", conditions: Object.fromEntries(health.conditions()) });
  })
  .on("close", () => health.close());
