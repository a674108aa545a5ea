import { setTimeout } from "node:timers/promises";
import { cpuMs, startInside } from "./inside-gateway.ts";
import { lowerQuartile } from "./statistics.ts";

/*
 * Inside a network namespace: the complete gateway with 100 devices and 10 hops, at rest. Prints what one reading of the leak
 * monitor costs, and what the daemon costs in total, as one line of JSON.
 */
const readings = 20;
const gateway = await startInside(process.argv[2]!, { intervalSec: 30 });
for (let n = 0; n < 100; n++) {
  const mac = `02:00:00:00:00:${n.toString(16).padStart(2, "0")}`;
  await gateway.request("POST", "/devices", { name: `device ${n}`, mac });
  const source = { source_type: "device", source_value: `device ${n}` };
  const hops = [{ type: "vpn", target: `t${1 + (n % 10)}` }];
  await gateway.request("POST", "/routing/policies", { name: `policy ${n}`, ...source, hops });
}
await gateway.request("POST", "/routing/policies/apply");
await gateway.reached();
await gateway.request("PUT", "/privacy/leak-monitor", { enabled: true });
await setTimeout(15_000); // Until the check after the start has ended.

// Each request reads the counters of the kernel, as the monitor does by itself every 20 s.
const perReading = [];
for (let round = 0; round < 5; round++) {
  const before = cpuMs();
  for (let n = 0; n < readings; n++) await gateway.request("GET", "/privacy/leak-monitor");
  perReading.push((cpuMs() - before) / readings);
}
const began = cpuMs();
const startedMs = performance.now();
await setTimeout(40_000);
const totalShare = (cpuMs() - began) / (performance.now() - startedMs);
process.stdout.write(`${JSON.stringify({ readingMs: lowerQuartile(perReading), totalShare })}\n`);
await gateway.close();
process.exit(0);
