import { createInterface } from "node:readline";
import { openHealth, type MonitoredLink } from "../daemon/src/health/health.ts";
import { openSavedState } from "../daemon/src/health/saved-state.ts";
import { sinceBootMs } from "../daemon/src/system/clock.ts";
import { linux, type System } from "../daemon/src/system/system.ts";
import { ownMs } from "../testing/clock.ts";

/**
 * `attendant.ts FILE`: looks after the ways it is told of, one list of patients per line, inside a host of the lab.
 * It says each change with its time, when it sends a burst, and in answer to `cost` how much processor time it has used.
 */
const say = (news: object): void => void process.stdout.write(`${JSON.stringify(news)}\n`);

/** A burst asks more targets than the regular probes. It is told apart by how quickly it asks. */
const system: System = {
  ...linux,
  run: (command, args, options) => {
    if (command === "ping" && args.includes("0.01")) say({ kind: "burst" });
    return linux.run(command, args, options);
  },
};

const health = openHealth({
  system,
  nowMs: sinceBootMs,
  now: () => new Date(),
  savedState: openSavedState({ system: linux, file: process.argv[2]! }),
  onChange: (key, { status, reason, sinceMs, rttMs, loss }) =>
    say({ kind: "change", atMs: ownMs(), key, status, reason, sinceMs, rttMs, loss }),
  onFlap: (key) => say({ kind: "flap", atMs: ownMs(), key }),
  onFailed: (key, times) => say({ kind: "failing", atMs: ownMs(), key, times }),
});

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (line === "cost") say({ kind: "cost", ...process.cpuUsage() });
    else health.monitor(JSON.parse(line) as MonitoredLink[]);
    say({ kind: "heard", conditions: Object.fromEntries(health.conditions()) });
  })
  .on("close", () => health.close());
