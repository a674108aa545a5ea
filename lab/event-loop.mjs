// Loaded into the daemon by a test: writes for how long, in milliseconds, its event loop did nothing else at most: by the clock, and by the
// processor time of its thread, which a busy machine does not change.
import { existsSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const resolutionMs = 5;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
const usedMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
delays.enable();
let last = usedMs();
let longestMs = 0;
setInterval(() => {
  const now = usedMs();
  longestMs = Math.max(longestMs, now - last);
  last = now;
}, resolutionMs).unref();
setInterval(() => {
  // The test deletes the file to begin anew.
  if (!existsSync(process.env.EVENT_LOOP_FILE)) {
    delays.reset();
    longestMs = 0;
  }
  const byClockMs = Math.max(0, delays.max / 1e6 - resolutionMs);
  writeFileSync(process.env.EVENT_LOOP_FILE, JSON.stringify({ byClockMs, byProcessorMs: longestMs }));
}, 200).unref();
