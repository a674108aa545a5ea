import { countEveryMs } from "../daemon/src/leakcheck/monitor.ts";
import { openLab } from "../lab/namespaces.ts";
import type { Figure } from "../testing/figure.ts";
import { runInside, wireRouter } from "./control.ts";
import { temporaryFolder } from "../testing/folder.ts";

/** CPU of the leak monitor of a small network at rest. */
export async function monitor(): Promise<Figure[]> {
  await using lab = openLab();
  using folder = temporaryFolder();
  const gateway = await lab.host("gw");
  await wireRouter(gateway, 10);
  const { readingMs, totalShare } = JSON.parse(await runInside(gateway, "monitor-gateway", folder.path)) as {
    readonly readingMs: number;
    readonly totalShare: number;
  };
  return [
    {
      name: "leak monitor with 100 devices and 10 hops at rest",
      value: (readingMs / countEveryMs) * 100,
      unit: "% of a core",
      most: 1,
      note: `${readingMs.toFixed(0)} ms of CPU every ${countEveryMs / 1000} s; the whole daemon ${(totalShare * 100).toFixed(1)} %`,
    },
  ];
}
