import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Host, openLab } from "../lab/namespaces.ts";
import type { Figure } from "../testing/figure.ts";
import { temporaryFolder } from "../testing/folder.ts";

const execute = promisify(execFile);
/** None of the programs takes more than two minutes on an idle machine. The limit only stops one that hangs. */
const stuckMs = 1_800_000;

/** Time and CPU of the complete gateway with 10,000 policies for 10,000 devices. */
export async function control(): Promise<Figure[]> {
  await using lab = openLab();
  using folder = temporaryFolder();
  const gateway = await lab.host("gw");
  await wireRouter(gateway, 3);
  // Separate programs, one after the other, so that the memory of one does not count for the next.
  const run = (name: string): Promise<string> => runInside(gateway, name, folder.path);
  await run("control-fill");
  const { coldMs, coldRatio, bareMs } = JSON.parse(await run("control-load")) as Loaded;
  const { applyMs, deviceMs, idleCpuMs, leakCheck } = JSON.parse(await run("control-gateway")) as Driven;
  return [
    {
      name: "compile and load 10,000 policies, compared to nft alone",
      value: coldRatio,
      unit: "×",
      most: 3,
      note: `nft alone takes ${bareMs.toFixed(0)} ms for the same tables`,
    },
    {
      name: "compile and load 10,000 policies",
      value: coldMs / 1000,
      unit: "s",
      most: 1,
      note: "lower quartile of 7",
    },
    {
      name: "apply that changes the rank of each of 10,000 policies",
      value: applyMs / 1000,
      unit: "s",
      note: "from request to kernel, conflicts and ledger included; lower quartile of 5",
    },
    {
      name: "change of one device of 10,000",
      value: deviceMs,
      unit: "ms",
      most: 100,
      note: "from request to kernel, lower quartile of 21",
    },
    {
      name: "reconcile cycle without changes",
      value: idleCpuMs,
      unit: "ms of CPU",
      most: 30,
      note: "10,000 policies and 10,000 devices; programs it runs included",
    },
    {
      name: "leak check of 10,000 devices",
      value: leakCheck.ms / 1000,
      unit: "s",
      most: 30,
      note: `${(leakCheck.ms / 10_000).toFixed(1)} ms per device`,
    },
    {
      name: "leak check of 10,000 devices, additional memory",
      value: leakCheck.megabytes,
      unit: "MB",
      most: 100,
      note: "resident memory at its maximum during the check minus before; the client's copy of the answer included",
    },
  ];
}

type Loaded = Readonly<Record<"coldMs" | "coldRatio" | "bareMs", number>>;
type Driven = Readonly<Record<"applyMs" | "deviceMs" | "idleCpuMs", number>> & {
  readonly leakCheck: { readonly ms: number; readonly megabytes: number };
};

/** Runs a program of this folder in the namespace of a host, and returns its output. */
export async function runInside(host: Host, name: string, folder: string): Promise<string> {
  const script = new URL(`./${name}.ts`, import.meta.url).pathname;
  const inside = ["netns", "exec", host.namespace, process.execPath, "--expose-gc", script, folder];
  return (await execute("ip", inside, { timeout: stuckMs })).stdout;
}

/** The links of a small router. Their peers are in the same namespace: nothing is sent. */
export async function wireRouter(gateway: Host, tunnels: number): Promise<void> {
  const names = ["lan0", "wan0", ...Array.from({ length: tunnels }, (_, index) => `t${index + 1}`)];
  for (const [index, name] of names.entries()) {
    await gateway.run("ip", "link", "add", name, "type", "veth", "peer", "name", `${name}-end`);
    await gateway.run("ip", "address", "add", `10.200.${index}.1/24`, "dev", name);
    for (const end of [name, `${name}-end`]) await gateway.run("ip", "link", "set", end, "up");
  }
}
