import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { openLab } from "../lab/namespaces.ts";
import type { Measurement } from "./run.ts";

const execute = promisify(execFile);

/** What the whole gateway takes to bring 10,000 policies for 10,000 devices into the kernel, and to keep them there. */
export async function control(): Promise<Measurement[]> {
  if (process.getuid?.() !== 0) {
    console.log("control: left out, network namespaces need root");
    return [];
  }
  await using lab = openLab();
  const gateway = await lab.host("gw");
  const script = new URL("./control-gateway.ts", import.meta.url).pathname;
  const { stdout } = await execute("ip", ["netns", "exec", gateway.namespace, process.execPath, script], {
    timeout: 180_000,
  });
  const figures = JSON.parse(stdout) as Record<
    "coldMs" | "coldRatio" | "bareMs" | "applyMs" | "deviceMs" | "idleCpuMs",
    number
  >;
  const { coldMs, coldRatio, bareMs, applyMs, deviceMs, idleCpuMs } = figures;
  return [
    {
      name: "compile and load 10,000 policies",
      ratio: coldRatio,
      most: 3,
      note: `nft alone takes ${bareMs.toFixed(0)} ms for the same tables`,
    },
    { name: "the same, in seconds", ratio: coldMs / 1000, most: 1, unit: "s", note: "lower quartile of 7" },
    {
      name: "apply that moves each of 10,000 policies",
      ratio: applyMs / 1000,
      unit: "s",
      note: "from request to kernel, conflicts and ledger included; lower quartile of 5",
    },
    {
      name: "one device of 10,000 changed",
      ratio: deviceMs,
      most: 100,
      unit: "ms",
      note: "from request to kernel, lower quartile of 21",
    },
    {
      name: "cycle that finds nothing to do",
      ratio: idleCpuMs,
      most: 30,
      unit: "ms of CPU",
      note: "among 10,000 policies and 10,000 devices, programs it runs included",
    },
  ];
}
