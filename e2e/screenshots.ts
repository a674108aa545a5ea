import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { desk, phone } from "./browser.ts";
import { settleFamily } from "./family.ts";
import { openHouse } from "./house.ts";
import { screens } from "./screens.ts";
import { go, signIn } from "./steps.ts";

/** `npm run screenshots [NAME…]`: pictures of every screen, or of the named ones, desktop and phone, dark and light. */
const wanted = process.argv.slice(2);
const id = /:?[0-9a-f]{8}-[0-9a-f-]{27}$/;
const folder = join(import.meta.dirname, "../docs/screenshots");

await using house = await openHouse({ names: true });
const family = await settleFamily(house);
const pictured = screens(family)
  .filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  .flatMap(({ name, paths, dialogs }) =>
    [...paths, ...dialogs].map((path, place) => ({
      file: place === 0 ? name : `${name}-${wordOf(path, place)}`,
      path,
    })),
  );
mkdirSync(folder, { recursive: true });
for (const [size, viewport] of Object.entries({ desk, phone }))
  for (const colorScheme of ["dark", "light"] as const) {
    await using visit = await house.browser.visit({ viewport, colorScheme });
    await signIn(visit.page, house.admin);
    for (const { file, path } of pictured) {
      await go(visit.page, path);
      await visit.page.waitForLoadState("networkidle", { timeout: 1000 }).catch(() => undefined); // The page is live and never idle for long.
      await visit.page.screenshot({ path: join(folder, `${file}-${size}-${colorScheme}.png`) });
    }
  }
console.log(`${pictured.length * 4} pictures in docs/screenshots`);

/** Distinguishes an address from others of its page. Ids differ between runs; parameter names do not. */
function wordOf(path: string, place: number): string {
  const words = [...new URL(path, house.origin).searchParams].map(([key, value]) => value.replace(id, "") || key);
  return words.length > 0 ? words.join("-") : String(place + 1);
}
