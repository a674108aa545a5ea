import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { phone } from "./browser.ts";
import { loadSampleData } from "./sample-data.ts";
import { openTestbed } from "./testbed.ts";
import { screens } from "./screens.ts";
import { go, signIn } from "./steps.ts";

/** `npm run screenshots [NAME…]`: pictures of every screen, or of the named ones, desktop and phone, dark and light. */
const wanted = process.argv.slice(2);
/** The window that the home page fits. */
const desk = { width: 1440, height: 900 } as const;
const id = /:?[0-9a-f]{8}-[0-9a-f-]{27}$/;
const folder = join(import.meta.dirname, "../docs/screenshots");

await using testbed = await openTestbed({ names: true, guests: true });
const sampleData = await loadSampleData(testbed);
const pictured = screens(sampleData)
  .filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  .flatMap(({ name, paths, dialogs }) =>
    [...paths, ...dialogs].map((path, index) => ({
      file: index === 0 ? name : `${name}-${wordOf(path, index)}`,
      path,
    })),
  );
mkdirSync(folder, { recursive: true });
for (const [size, viewport] of Object.entries({ desk, phone }))
  for (const colorScheme of ["dark", "light"] as const) {
    await using visit = await testbed.browser.visit({ viewport, colorScheme });
    await signIn(visit.page, testbed.admin);
    for (const { file, path } of pictured) {
      await go(visit.page, path);
      await visit.page.waitForLoadState("networkidle", { timeout: 3000 }).catch(() => undefined); // The page is live and never idle for long.
      await visit.page.screenshot({ path: join(folder, `${file}-${size}-${colorScheme}.png`) });
    }
  }
console.log(`${pictured.length * 4} pictures in docs/screenshots`);

/** Distinguishes an address from others of its page. Ids differ between runs; parameter names do not. */
function wordOf(path: string, index: number): string {
  const args = [...new URL(path, testbed.origin).searchParams].map(([key, value]) => value.replace(id, "") || key);
  return args.length > 0 ? args.join("-") : String(index + 1);
}
