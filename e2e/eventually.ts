import { setTimeout as wait } from "node:timers/promises";

/** For what no event tells of: asked again and again, and not for ever. */
export async function eventually(what: string, holds: () => Promise<boolean>, limitSec = 10): Promise<void> {
  const end = performance.now() + limitSec * 1000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`After ${limitSec} s still not: ${what}`);
    await wait(25);
  }
}
