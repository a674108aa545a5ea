import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { monotonicSec, ownSec } from "../testing/clock.ts";

/** How much others on the machine slow the page down. */
export interface Load {
  /** So many times longer than on a machine of its own did everything take, since it was begun to look. */
  slowdown(): number;
}

/**
 * As the kernel counts it: for how long the page's main thread ran, and for how long it was ready to and did not; and what the
 * host of this machine lent to others meanwhile, of which neither of the two knows.
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
