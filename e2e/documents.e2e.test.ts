import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { en } from "../web/src/i18n/en/en.ts";
import { barriers } from "./axe.ts";
import type { Visit } from "./browser.ts";
import { go, signIn } from "./steps.ts";
import { type Testbed, openTestbed } from "./testbed.ts";

let testbed: Testbed;
let visit: Visit;
let page: Page;

beforeAll(async () => {
  testbed = await openTestbed({ names: true });
  visit = await testbed.browser.visit({ bypassCSP: true });
  ({ page } = visit);
  await signIn(page, testbed.admin);
});
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]();
  await testbed?.[Symbol.asyncDispose]();
});

const t = en.changes;
const ok = (...call: Parameters<typeof testbed.topology.api.ok>) => testbed.topology.api.ok(...call);

test("a configuration document is previewed, applied as it was previewed, and downloaded on the page of changes", {
  tags: "proof",
}, async () => {
  await go(page, "/changes");
  const card = page.getByRole("region", { name: t.document, exact: true });
  const text = card.getByLabel(t.documentLabel, { exact: true });
  const preview = card.getByRole("button", { name: t.preview, exact: true });
  await text.fill("device_groups:\n  - {name: Visitors, describtion: Guests}\n");
  await preview.click();
  await card.getByText("did you mean", { exact: false }).waitFor();
  await text.fill("device_groups:\n  - {name: Visitors, description: Guests}\n");
  await preview.click();
  await card.getByText("New group Visitors").waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await ok("GET", "/device-groups?limit=1000")).not.toContainEqual(
    expect.objectContaining({ name: "Visitors" }),
  );
  await card.getByRole("button", { name: t.apply, exact: true }).click();
  await page.getByText(t.documentApplied).waitFor();
  expect(await ok("GET", "/device-groups/Visitors")).toMatchObject({ description: "Guests" });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    card.getByRole("link", { name: t.exportDocument, exact: true }).click(),
  ]);
  const exported = JSON.parse(await readFile(await download.path(), "utf8")) as { device_groups: object[] };
  expect(exported.device_groups).toContainEqual({ name: "Visitors", description: "Guests" });
});
