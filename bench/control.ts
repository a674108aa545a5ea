import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Host, openLab } from "../lab/namespaces.ts";
import { temporaryFolder } from "../testing/folder.ts";
import type { Measurement } from "./run.ts";

const execute = promisify(execFile);

/** What the whole gateway takes to bring 10,000 policies for 10,000 devices into the kernel, and to keep them there. */
export async function control(): Promise<Measurement[]> {
  if (process.getuid!() !== 0) {
    console.log("control\tskipped: network namespaces are made by root only");
    return [];
  }
  await using lab = openLab();
  using folder = temporaryFolder();
  const gateway = await lab.host("gw");
  await wire(gateway);
  // Programs of their own, one after the other: what one leaves behind in memory is no burden of the next.
  const run = async (name: string): Promise<string> => {
    const script = new URL(`./${name}.ts`, import.meta.url).pathname;
    const inside = ["netns", "exec", gateway.namespace, process.execPath, script, folder.path];
    return (await execute("ip", inside, { timeout: 180_000 })).stdout;
  };
  await run("control-fill");
  const { coldMs, coldRatio, bareMs } = JSON.parse(await run("control-load")) as Loaded;
  const { applyMs, deviceMs, idleCpuMs, leakCheckMs } = JSON.parse(await run("control-gateway")) as Driven;
  const pace = bareMs / usualBareMs;
  return [
    {
      name: "compile and load 10,000 policies",
      ratio: coldRatio,
      most: 3,
      note: `nft alone takes ${bareMs.toFixed(0)} ms for the same tables`,
    },
    { name: "the same, in seconds", ratio: coldMs / 1000, most: 1, pace, unit: "s", note: "lower quartile of 7" },
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
      pace,
      unit: "ms",
      note: "from request to kernel, lower quartile of 21",
    },
    {
      name: "cycle that finds nothing to do",
      ratio: idleCpuMs,
      most: 30,
      pace,
      unit: "ms of CPU",
      note: "among 10,000 policies and 10,000 devices, programs it runs included",
    },
    {
      name: "leak check of 256 devices",
      ratio: leakCheckMs / 1000,
      most: 60,
      unit: "s",
      note: `${(leakCheckMs / 256).toFixed(0)} ms each, among 10,000; others have their turn next time`,
    },
  ];
}

type Loaded = Readonly<Record<"coldMs" | "coldRatio" | "bareMs", number>>;
type Driven = Readonly<Record<"applyMs" | "deviceMs" | "idleCpuMs" | "leakCheckMs", number>>;

/** What nft alone takes for the same tables where the marks by the clock were set. */
const usualBareMs = 225;

/** Links as a small router has them. Their other ends lie in the same namespace: nothing is sent. */
async function wire(gateway: Host): Promise<void> {
  for (const [place, name] of ["lan0", "wan0", "t1", "t2", "t3"].entries()) {
    await gateway.run("ip", "link", "add", name, "type", "veth", "peer", "name", `${name}-end`);
    await gateway.run("ip", "address", "add", `10.200.${place}.1/24`, "dev", name);
    for (const end of [name, `${name}-end`]) await gateway.run("ip", "link", "set", end, "up");
  }
}
