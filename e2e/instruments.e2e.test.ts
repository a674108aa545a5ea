import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers } from "./axe.ts";
import type { Visit } from "./browser.ts";
import { type House, openHouse } from "./house.ts";
import { unreachable } from "./keyboard.ts";
import { isTooWide } from "./layout.ts";
import { go, signIn } from "./steps.ts";

/* What finds nothing on any screen must find what is planted. */
let house: House;
let visit: Visit;

beforeAll(async () => {
  house = await openHouse();
  visit = await house.browser.visit({ bypassCSP: true });
  await signIn(visit.page, house.admin);
});
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const plant = (html: string) =>
  visit.page.evaluate((planted) => document.querySelector("main")!.insertAdjacentHTML("beforeend", planted), html);

test("a button without a name and pale text are barriers", async () => {
  const { page } = visit;
  await go(page, "/");
  expect(await barriers(page)).toEqual([]);
  await plant('<button id="nameless"></button><p id="pale" style="color:#888;background:#777">Hardly read</p>');
  expect((await barriers(page)).toSorted()).toEqual([
    "critical button-name: #nameless",
    "serious color-contrast: #pale",
  ]);
});

test("a button that Tab leaves out is found, and one in a group with arrows is not held against it", async () => {
  const { page } = visit;
  await go(page, "/");
  expect(await unreachable(page)).toEqual([]);
  await plant(`<button id="left-out" tabindex="-1">Left out</button>
    <fieldset><label><input type="radio" name="one">A</label><label><input type="radio" name="one">B</label></fieldset>`);
  expect(await unreachable(page)).toEqual(['<button id="left-out" tabindex="-1">Left out</button>']);
});

test("a page that is too wide is found", async () => {
  const { page } = visit;
  await go(page, "/");
  expect(await isTooWide(page)).toBe(false);
  await plant('<div style="width:3000px">Wide</div>');
  expect(await isTooWide(page)).toBe(true);
});

test("complaints of the browser are heard: errors, requests elsewhere, requests that fail", async () => {
  const { page, guard } = visit;
  await go(page, "/");
  expect(guard.complaints()).toEqual([]);
  await page.evaluate(async () => {
    console.error("planted");
    setTimeout(() => {
      throw new Error("thrown");
    });
    await fetch("http://203.0.113.99:1/", { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    await fetch("/api/v1/nowhere");
  });
  const heard = guard.complaints().map((it) => it.split(":")[0]);
  expect(heard).toEqual(expect.arrayContaining(["console error", "page error", "request outside", "request failed"]));
});
