import { afterAll, beforeAll, expect, test } from "vitest";
import { en } from "../web/src/i18n/en/en.ts";
import { barriers } from "./axe.ts";
import { phone } from "./browser.ts";
import { watchPage } from "./browser-errors.ts";
import { isTooWide } from "./layout.ts";
import { go, signIn } from "./steps.ts";
import { openTestbed, type Testbed } from "./testbed.ts";

/* The browser's network has no Internet: what the pages need comes from the gateway. */
let testbed: Testbed;
beforeAll(async () => void (testbed = await openTestbed()));
afterAll(() => testbed?.[Symbol.asyncDispose]());

test("documentation: a screen leads to its page, whose search finds another one, without any other server", async () => {
  await using visit = await testbed.browser.visit();
  await signIn(visit.page, testbed.admin);
  await go(visit.page, "/proxies");
  const opened = visit.page.waitForEvent("popup");
  await visit.page.getByRole("link", { name: en.ui.guide, exact: true }).click();
  const page = await opened;
  const guard = watchPage(page, new URL(visit.page.url()).origin);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Proxies" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/docs/guide/proxies.html");
  await page.getByRole("searchbox").fill("captive portal");
  await page.getByRole("search").getByRole("link", { name: "Captive portals", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Captive portals" }).waitFor();
  await page.goto("/docs");
  await page.getByRole("heading", { level: 1, name: "Portcullis" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/docs/");
  expect(guard.complaints()).toEqual([]);
});

test("documentation: it is readable without a credential and without scripts, on a phone, in both themes", async () => {
  await using visit = await testbed.browser.visit({ javaScriptEnabled: false, viewport: phone });
  await visit.page.goto("/docs/guide/routing.html");
  await visit.page.getByRole("heading", { level: 1, name: "Policies" }).waitFor();
  expect(visit.guard.complaints()).toEqual([]);
  // axe measures with styles that the page's policy refuses.
  await using loose = await testbed.browser.visit({ bypassCSP: true, viewport: phone });
  for (const address of ["guide/routing.html", "traffic.html", "leak-matrix.html"]) {
    await loose.page.goto(`/docs/${address}`);
    expect([address, await isTooWide(loose.page)]).toEqual([address, false]);
    for (const colorScheme of ["dark", "light"] as const) {
      await loose.page.emulateMedia({ colorScheme });
      expect([address, colorScheme, await barriers(loose.page)]).toEqual([address, colorScheme, []]);
    }
  }
});
