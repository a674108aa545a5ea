import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { barriers } from "./axe.ts";
import { desk, phone, type Visit } from "./browser.ts";
import { type SampleData, loadSampleData } from "./sample-data.ts";
import { type Testbed, openTestbed } from "./testbed.ts";
import { unreachable } from "./keyboard.ts";
import { isTooWide } from "./layout.ts";
import { addressesInSource, type Screen, screenNames, screens } from "./screens.ts";
import { go, signIn } from "./steps.ts";

/*
 * Every screen as an administrator, with the page's own security policy in force; axe uses a context without it, because
 * it measures with styles that this policy refuses.
 */
let testbed: Testbed;
let sampleData: SampleData;
let strict: Visit;
let loose: Visit;

beforeAll(async () => {
  testbed = await openTestbed({ names: true });
  sampleData = await loadSampleData(testbed);
  strict = await testbed.browser.visit();
  loose = await testbed.browser.visit({ bypassCSP: true });
  for (const { page } of [strict, loose]) await signIn(page, testbed.admin);
});
afterAll(async () => {
  for (const visit of [strict, loose]) await visit?.[Symbol.asyncDispose]();
  await testbed?.[Symbol.asyncDispose]();
});

const withDialogs = screenNames.filter(({ dialogs }) => dialogs.length > 0).map(({ name }) => name);
const screenOf = (name: string): Screen => screens(sampleData).find((it) => it.name === name)!;

test("screens: every page of the menu and every dialog with an address is listed", () => {
  const { routes, dialogs } = addressesInSource();
  expect(screens(sampleData).map(({ route }) => route)).toEqual(expect.arrayContaining([...routes]));
  expect(screens(sampleData).flatMap((it) => it.dialogs)).toEqual(expect.arrayContaining([...dialogs]));
  expect(routes.length).toBeGreaterThan(10);
  expect(dialogs.length).toBeGreaterThan(3);
});

/** All faults of a screen, not only the first: each line begins with the address. */
describe.each(screenNames.map(({ name }) => name))("%s", (name) => {
  test("causes no errors, requests no other host, fits desktop and phone, and is usable by keyboard alone", async () => {
    const faults: string[] = [];
    for (const path of screenOf(name).paths) {
      strict.guard.complaints();
      await go(strict.page, path);
      faults.push(...(await handling(path)));
    }
    expect(faults).toEqual([]);
  });

  test("has no serious accessibility violation, dark or light, wide or narrow", async () => {
    const { page } = loose;
    const faults: string[] = [];
    for (const path of screenOf(name).paths) {
      await go(page, path);
      faults.push(...(await barriersIn(path)));
      await page.setViewportSize(phone);
      for (const barrier of await barriers(page)) faults.push(`${path} on a phone: ${barrier}`);
      await page.setViewportSize(desk);
    }
    expect(faults).toEqual([]);
  });
});

test.each(withDialogs)("%s: dialogs open by address, and Escape closes them", async (name) => {
  const faults: string[] = [];
  for (const path of screenOf(name).dialogs) {
    strict.guard.complaints();
    if (!(await opens(strict.page, path))) {
      faults.push(`${path} opens no dialog`);
      continue;
    }
    faults.push(...(await handling(path)));
    if (!(await closes(strict.page))) faults.push(`${path} is not closed by Escape`);
    await opens(loose.page, path);
    faults.push(...(await barriersIn(path)));
  }
  expect(faults).toEqual([]);
});

/** Faults of the page in its current state. */
async function handling(path: string): Promise<string[]> {
  const { page, guard } = strict;
  const faults: string[] = [];
  for (const viewport of [phone, desk]) {
    await page.setViewportSize(viewport);
    if (await isTooWide(page)) faults.push(`${path} is wider than ${viewport.width} pixels`);
  }
  for (const control of await unreachable(page)) faults.push(`${path} has what Tab does not reach: ${control}`);
  return [...faults, ...guard.complaints().map((it) => `${path} ${it}`)];
}

async function barriersIn(path: string): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await loose.page.emulateMedia({ colorScheme });
    for (const barrier of await barriers(loose.page)) faults.push(`${path} ${colorScheme}: ${barrier}`);
  }
  return faults;
}

async function opens(page: Page, path: string): Promise<boolean> {
  await go(page, path);
  return happens(page.getByRole("dialog").waitFor({ timeout: 20_000 }));
}

/** Closing also removes the parameter: a reload does not open the dialog again. */
async function closes(page: Page): Promise<boolean> {
  await page.keyboard.press("Escape");
  const isGone = await happens(page.getByRole("dialog").waitFor({ state: "detached", timeout: 20_000 }));
  return isGone && !/\b(?:do|open)=/.test(new URL(page.url()).search);
}

const happens = (waiting: Promise<void>): Promise<boolean> =>
  waiting.then(
    () => true,
    () => false,
  );
