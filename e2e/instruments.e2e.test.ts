import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers } from "./axe.ts";
import type { Visit } from "./browser.ts";
import { type Testbed, openTestbed } from "./testbed.ts";
import { unreachable } from "./keyboard.ts";
import { isTooWide } from "./layout.ts";
import { go, signIn } from "./steps.ts";

/* The checkers that find nothing on any screen must find planted faults. */
let testbed: Testbed;
let visit: Visit;

beforeAll(async () => {
  testbed = await openTestbed();
  visit = await testbed.browser.visit({ bypassCSP: true });
  await signIn(visit.page, testbed.admin);
});
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]();
  await testbed?.[Symbol.asyncDispose]();
});

const plant = (html: string) =>
  visit.page.evaluate((planted) => document.querySelector("main")!.insertAdjacentHTML("beforeend", planted), html);

test("axe: a button without a name and text with low contrast are violations", async () => {
  const { page } = visit;
  await go(page, "/");
  expect(await barriers(page)).toEqual([]);
  await plant('<button id="nameless"></button><p id="pale" style="color:#888;background:#777">Hardly read</p>');
  expect((await barriers(page)).toSorted()).toEqual([
    "critical button-name: #nameless",
    "serious color-contrast: #pale",
  ]);
});

test("keyboard walk: finds a button that Tab skips, and accepts one that is reached by arrow keys", async () => {
  const { page } = visit;
  await go(page, "/");
  expect(await unreachable(page)).toEqual([]);
  await plant(`<button id="left-out" tabindex="-1">Left out</button>
    <fieldset><label><input type="radio" name="one">A</label><label><input type="radio" name="one">B</label></fieldset>`);
  expect(await unreachable(page)).toEqual(['<button id="left-out" tabindex="-1">Left out</button>']);
});

test("layout: finds a page that is too wide", async () => {
  const { page } = visit;
  await go(page, "/");
  expect(await isTooWide(page)).toBe(false);
  await plant('<div style="width:3000px">Wide</div>');
  expect(await isTooWide(page)).toBe(true);
});

test("browser errors: records script errors, requests to other hosts and failed requests", async () => {
  const { page, guard } = visit;
  await go(page, "/");
  expect(guard.complaints()).toEqual([]);
  await page.evaluate(async () => {
    console.error("planted");
    setTimeout(() => {
      throw new Error("thrown");
    });
    await fetch("http://203.0.113.99:1/", { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    await fetch("/api/v1/no-such-endpoint");
  });
  const kinds = guard.complaints().map((it) => it.split(":")[0]);
  expect(kinds).toEqual(expect.arrayContaining(["console error", "page error", "request outside", "request failed"]));
});
