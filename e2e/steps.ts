import type { Page } from "playwright-core";
import { en } from "../web/src/i18n/en/en.ts";
import { until } from "../testing/deadline.ts";

/** Opens an address of the interface and waits until everything on it has loaded. */
export async function go(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await settled(page);
}

/** No part of the page is still loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await until("the page has loaded", async () => (await page.locator(".skeleton, .page-coming").count()) === 0);
}

interface Password {
  readonly username: string;
  readonly password: string;
}

export async function signIn(page: Page, as: Password | { readonly key: string }): Promise<void> {
  const t = en.signIn;
  await page.goto("/");
  if ("key" in as) {
    await page.getByRole("button", { name: t.other.password }).click();
    await page.getByLabel(t.key, { exact: true }).fill(as.key);
  } else {
    await page.getByLabel(t.username, { exact: true }).fill(as.username);
    await page.getByLabel(t.password, { exact: true }).fill(as.password);
  }
  await page.getByRole("button", { name: t.enter, exact: true }).click();
  await page.getByRole("button", { name: en.shell.account }).waitFor();
  await settled(page);
}
