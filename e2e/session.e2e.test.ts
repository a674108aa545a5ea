import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { en } from "../web/src/i18n/en/en.ts";
import { until } from "../testing/deadline.ts";
import { type House, openHouse } from "./house.ts";
import { go, signIn } from "./steps.ts";

/* A session that was ended is refused by the gateway at once, and the page returns to the sign-in form. */
let house: House;
beforeAll(async () => void (house = await openHouse()));
afterAll(() => house?.[Symbol.asyncDispose]());

const isAskedWho = async (page: Page): Promise<boolean> =>
  (await page.getByRole("heading", { level: 1, name: en.signIn.title }).count()) === 1;
const mayRead = (page: Page): Promise<boolean> => page.evaluate(async () => (await fetch("/api/v1/status")).ok);

test("sessions: after an administrator ends a session, its browser shows the sign-in form", async () => {
  await using ben = await house.browser.visit();
  await using ana = await house.browser.visit();
  await signIn(ben.page, { key: await house.key("viewer") });
  await signIn(ana.page, house.admin);
  expect([await mayRead(ben.page), await isAskedWho(ben.page)]).toEqual([true, false]);

  await go(ana.page, "/access");
  await ana.page
    .getByRole("row", { name: /viewer/ })
    .getByRole("button", { name: en.access.end })
    .click();
  await ana.page.getByRole("dialog").getByRole("button", { name: en.access.endIt, exact: true }).click();
  await until("the other browser asks who one is", () => isAskedWho(ben.page));
  expect(await mayRead(ben.page)).toBe(false);
  expect([await mayRead(ana.page), await isAskedWho(ana.page)]).toEqual([true, false]);
});

test("sign-out: a reload shows the sign-in form, and the next user gets the own role", async () => {
  await using visit = await house.browser.visit();
  const { page } = visit;
  await signIn(page, house.admin);
  const account = page.getByRole("button", { name: en.frame.account });
  await account.click();
  await page.getByRole("menuitem", { name: en.frame.signOut }).click();
  await until("it is asked who one is", () => isAskedWho(page));
  expect(await mayRead(page)).toBe(false);
  await page.goto("/access");
  await until("it is still asked", () => isAskedWho(page));

  await signIn(page, { key: await house.key("operator") });
  await account.click();
  await page.getByText(en.frame.roles.operator).waitFor();
  await go(page, "/access");
  await page.getByRole("heading", { level: 1, name: en.frame.notFound }).waitFor();
});

test("home page: left open, it uses less than a fifth of the request limit", async () => {
  await using visit = await house.browser.visit();
  const { page } = visit;
  await signIn(page, house.admin);
  let asked = 0;
  page.on("request", () => void (asked += 1));
  const started = performance.now();
  await until("it has been open for a while", async () => performance.now() - started > watchedSec * 1000);
  const perMinute = Math.round((asked * 60) / watchedSec);
  console.log(`home asks ${perMinute} times a minute`);
  expect(perMinute).toBeGreaterThan(10);
  expect(perMinute).toBeLessThan(mayAskPerMinute / 5);
});

const watchedSec = 8;
/** Default of `limits.requests_per_minute`. */
const mayAskPerMinute = 3000;
