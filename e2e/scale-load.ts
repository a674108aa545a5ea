import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { monotonicSec, ownSec } from "../testing/clock.ts";

/** How much other processes on the machine slow the page down. */
export interface Load {
  /** Factor by which everything took longer than on an idle machine, since the measurement began. */
  slowdown(): number;
}

/**
 * From the kernel's counters: the time the page's main thread ran, the time it was runnable and waited, and the time
 * that the host took from this machine (steal), which neither of the two includes.
 */
export async function watchLoad(page: Page): Promise<Load> {
  const line = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await line.send("SystemInfo.getProcessInfo");
  await line.detach();
  const pages = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  const before = timesOf(pages);
  const [began, beganOwn] = [monotonicSec(), ownSec()];
  return {
    slowdown: () => {
      const now = timesOf(pages);
      const [ran, waited] = [now.ran - before.ran, now.waited - before.waited];
      const lent = (monotonicSec() - began) / (ownSec() - beganOwn);
      return ((ran + waited) / ran) * lent;
    },
  };
}

function timesOf(processIds: readonly number[]): { readonly ran: number; readonly waited: number } {
  const all = processIds.map((id) => readFileSync(`/proc/${id}/schedstat`, "utf8").split(" ").map(Number));
  return {
    ran: all.reduce((sum, [ran]) => sum + ran!, 0),
    waited: all.reduce((sum, [, waited]) => sum + waited!, 0),
  };
}
