import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { en } from "../web/src/i18n/en/en.ts";
import { until } from "../testing/deadline.ts";
import { type Testbed, openTestbed } from "./testbed.ts";
import { go, signIn } from "./steps.ts";

/* A session that was ended is refused by the gateway at once, and the page returns to the sign-in form. */
let testbed: Testbed;
beforeAll(async () => void (testbed = await openTestbed()));
afterAll(() => testbed?.[Symbol.asyncDispose]());

const showsSignIn = async (page: Page): Promise<boolean> =>
  (await page.getByRole("heading", { level: 1, name: en.signIn.title }).count()) === 1;
const mayRead = (page: Page): Promise<boolean> => page.evaluate(async () => (await fetch("/api/v1/status")).ok);

test("sessions: after an administrator ends a session, its browser shows the sign-in form", async () => {
  await using ben = await testbed.browser.visit();
  await using ana = await testbed.browser.visit();
  await signIn(ben.page, { key: await testbed.key("viewer") });
  await signIn(ana.page, testbed.admin);
  expect([await mayRead(ben.page), await showsSignIn(ben.page)]).toEqual([true, false]);

  await go(ana.page, "/access");
  await ana.page
    .getByRole("row", { name: /viewer/ })
    .getByRole("button", { name: en.access.end })
    .click();
  await ana.page.getByRole("dialog").getByRole("button", { name: en.access.endIt, exact: true }).click();
  await until("the other browser shows the sign-in form", () => showsSignIn(ben.page));
  expect(await mayRead(ben.page)).toBe(false);
  expect([await mayRead(ana.page), await showsSignIn(ana.page)]).toEqual([true, false]);
});

test("sign-out: a reload shows the sign-in form, and the next user gets the own role", async () => {
  await using visit = await testbed.browser.visit();
  const { page } = visit;
  await signIn(page, testbed.admin);
  const account = page.getByRole("button", { name: en.shell.account });
  await account.click();
  await page.getByRole("menuitem", { name: en.shell.signOut }).click();
  await until("the sign-in form is shown", () => showsSignIn(page));
  expect(await mayRead(page)).toBe(false);
  await page.goto("/access");
  await until("the sign-in form is shown after a reload", () => showsSignIn(page));

  await signIn(page, { key: await testbed.key("operator") });
  await account.click();
  await page.getByText(en.shell.roles.operator).waitFor();
  await go(page, "/access");
  await page.getByRole("heading", { level: 1, name: en.shell.notFound }).waitFor();
});

test("home page: left open, it uses less than a fifth of the request limit", async () => {
  await using visit = await testbed.browser.visit();
  const { page } = visit;
  await signIn(page, testbed.admin);
  let requests = 0;
  page.on("request", () => void (requests += 1));
  const started = performance.now();
  await until("it has been open for a while", async () => performance.now() - started > watchedSec * 1000);
  const perMinute = Math.round((requests * 60) / watchedSec);
  console.log(`the home page sends ${perMinute} requests per minute`);
  expect(perMinute).toBeGreaterThan(10);
  expect(perMinute).toBeLessThan(mayAskPerMinute / 5);
});

const watchedSec = 8;
/** Default of `limits.requests_per_minute`. */
const mayAskPerMinute = 3000;
