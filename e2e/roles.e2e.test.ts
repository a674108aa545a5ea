import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { api } from "../contract/src/api.ts";
import { type Endpoint, operations } from "../contract/src/endpoint.ts";
import { admits } from "../contract/src/role.ts";
import { en } from "../web/src/i18n/en/en.ts";
import type { Visit } from "./browser.ts";
import { type Family, settleFamily } from "./family.ts";
import { type House, openHouse, type Role } from "./house.ts";
import { type Screen, screenNames, screens } from "./screens.ts";
import { go, signIn } from "./steps.ts";

/* The same house for three people. What a viewer may not do is not offered, and refused to whoever asks all the same. */
let house: House;
let family: Family;
const visits = new Map<Role, Visit>();
const at = (role: Role): Page => visits.get(role)!.page;

beforeAll(async () => {
  house = await openHouse();
  family = await settleFamily(house);
  for (const role of ["admin", "operator", "viewer"] as const) {
    const visit = await house.browser.visit();
    visits.set(role, visit);
    await signIn(visit.page, role === "admin" ? house.admin : { key: await house.key(role) });
  }
});
afterAll(async () => {
  for (const visit of visits.values()) await visit[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** Where people go; the first start is for the first administrator alone. */
const everyday = screenNames.filter(({ name }) => name !== "start");
const withDialogs = everyday.filter(({ dialogs }) => dialogs.length > 0).map(({ name }) => name);
const screenOf = (name: string): Screen => screens(family).find((it) => it.name === name)!;

/** What can be pressed in the page itself; the frame around it is the same for everybody. */
const pressable = "main :is(button, a.button, input, select, textarea, summary, [role=switch], [role=tab])";
const controls = async (page: Page): Promise<string[]> =>
  page
    .locator(pressable)
    .evaluateAll((all) =>
      all
        .filter((it) => it.checkVisibility())
        .map((it) => `${it.tagName.toLowerCase()} ${it.getAttribute("aria-label") ?? it.textContent ?? ""}`.trim()),
    );
const isForbidden = async (page: Page): Promise<boolean> =>
  (await page.getByRole("heading", { name: en.frame.notFound }).count()) > 0;

/** Screens on which an administrator finds something that a viewer does not: they prove that controls were found at all. */
const offersMore = new Set<string>();

test.each(withDialogs)(
  "%s opens to a viewer no dialog that would change something, also by its address",
  async (name) => {
    const page = at("viewer");
    const opened: string[] = [];
    for (const path of screenOf(name).dialogs) {
      await go(page, path);
      // Some only show something, and that is for viewers too.
      const changing = page.locator("[role=dialog] :is(form, .button.main, .button.danger)");
      if ((await changing.count()) > 0) opened.push(path);
    }
    expect(opened).toEqual([]);
  },
);

describe.each(everyday.map(({ name }) => name))("%s, to a viewer", (name) => {
  test("offers nothing that an administrator is not offered, and complains of nothing", async () => {
    for (const path of screenOf(name).paths) {
      visits.get("viewer")!.guard.complaints();
      for (const role of ["admin", "viewer"] as const) await go(at(role), path);
      const [all, some] = [await controls(at("admin")), await controls(at("viewer"))];
      if (all.some((it) => !some.includes(it))) offersMore.add(name);
      const extra = (await isForbidden(at("viewer"))) ? [] : some.filter((it) => !all.includes(it));
      expect([path, extra]).toEqual([path, []]);
      expect([path, visits.get("viewer")!.guard.complaints()]).toEqual([path, []]);
    }
  });

  test("has no button that the gateway refuses, whichever is pressed", async () => {
    const page = at("viewer");
    const refused: string[] = [];
    const hear = (response: { status: () => number; url: () => string }) => {
      if (response.status() === 403) refused.push(response.url());
    };
    page.on("response", hear);
    for (const path of screenOf(name).paths) {
      await go(page, path);
      for (const place of await page.locator(acting).evaluateAll(severalOfEachKind)) await pressed(page, path, place);
    }
    page.off("response", hear);
    expect(refused).toEqual([]);
  });
});

/** What acts when it is pressed. Tabs have addresses of their own, and are visited by them. */
const acting = "main :is(button:not([role=tab]), summary, [role=switch], input[type=checkbox])";

/** Places of a few of each kind: rows of a table are alike. */
function severalOfEachKind(all: Element[]): number[] {
  const most = 3;
  const seen = new Map<string, number>();
  return all.flatMap((it, place) => {
    const kind = `${it.tagName} ${it.className} ${it.getAttribute("role")}`;
    const before = seen.get(kind) ?? 0;
    seen.set(kind, before + 1);
    return before < most && it.checkVisibility() ? [place] : [];
  });
}

/** Presses one control, and what it opened as far as that goes; then everything is as it was. */
async function pressed(page: Page, path: string, place: number): Promise<void> {
  const control = page.locator(acting).nth(place);
  await control.click({ timeout: 30_000, force: true });
  const items = page.getByRole("menuitem");
  const offered = await items.count();
  for (let item = 0; item < offered; item += 1) {
    if (item > 0) {
      await go(page, path);
      await control.click({ timeout: 30_000, force: true });
    }
    await items.nth(item).click({ timeout: 30_000 });
  }
  for (const next of await page.locator("[role=dialog] .button:is(.main, .danger)").filter({ visible: true }).all())
    await next.click({ timeout: 30_000 });
  await go(page, path);
}

test("an administrator was offered more wherever something can be changed", () =>
  expect([...offersMore]).toEqual(
    expect.arrayContaining(["devices", "device", "dns", "routing", "changes", "tunnels", "proxies", "settings"]),
  ));

test("what only administrators read is not in a viewer's menu, nor behind its address", async () => {
  const links = (page: Page) =>
    page.getByRole("navigation", { name: en.frame.menu }).getByRole("link").allTextContents();
  for (const role of ["admin", "viewer"] as const) await go(at(role), "/");
  expect(await links(at("admin"))).toContain(en.frame.titles.access);
  expect(await links(at("viewer"))).not.toContain(en.frame.titles.access);
  await go(at("viewer"), "/access");
  await at("viewer").getByRole("heading", { name: en.frame.notFound }).waitFor();
});

/** Endpoints that change something, and those that only administrators or diagnosticians may ask. */
const guarded = operations(api)
  .map(({ subsystem, name, endpoint }) => ({ name: `${subsystem}.${name}`, endpoint }))
  .filter(({ endpoint: { role } }) => role !== "anyone" && !admits(role, "viewer"));

/** What the gate said to the session of this page; no handler can make sense of what is asked. */
const answers = (page: Page, asked: readonly { readonly endpoint: Endpoint }[]) =>
  page.evaluate(
    async (calls) => {
      const statuses: number[] = [];
      for (const { method, path } of calls) {
        const sent = method === "GET" ? {} : { body: "[]", headers: { "content-type": "application/json" } };
        const response = await fetch(`/api/v1${path}`, { method, ...sent });
        await response.body?.cancel();
        statuses.push(response.status);
      }
      return statuses;
    },
    asked.map(({ endpoint: { method, path } }) => ({ method, path: path.replace(/\{\w+\}/g, "no-such-thing") })),
  );

test("the gateway refuses a viewer's session every change, and an operator's only what is an administrator's", async () => {
  expect(guarded.length).toBeGreaterThan(80);
  await go(at("viewer"), "/");
  await go(at("operator"), "/");
  const refusals = async (role: Role) => {
    const statuses = await answers(at(role), guarded);
    return guarded.filter((_, place) => statuses[place] === 403).map(({ name }) => name);
  };
  expect(await refusals("viewer")).toEqual(guarded.map(({ name }) => name));
  const onlyAdmins = guarded.filter(({ endpoint: { role } }) => !admits(role, "operator")).map(({ name }) => name);
  expect(await refusals("operator")).toEqual(onlyAdmins);
  expect(onlyAdmins.length).toBeLessThan(guarded.length / 2);
});
