import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { api } from "../contract/src/api.ts";
import { type Endpoint, operations } from "../contract/src/endpoint.ts";
import { admits } from "../contract/src/role.ts";
import { en } from "../web/src/i18n/en/en.ts";
import type { Visit } from "./browser.ts";
import { type SampleData, loadSampleData } from "./sample-data.ts";
import { type Testbed, openTestbed, type Role } from "./testbed.ts";
import { type Screen, screenNames, screens } from "./screens.ts";
import { go, signIn } from "./steps.ts";

/* The same gateway with three roles. A viewer is offered no action the role does not allow, and the API refuses them too. */
let testbed: Testbed;
let sampleData: SampleData;
const visits = new Map<Role, Visit>();
const at = (role: Role): Page => visits.get(role)!.page;

beforeAll(async () => {
  testbed = await openTestbed();
  sampleData = await loadSampleData(testbed);
  for (const role of ["admin", "operator", "viewer"] as const) {
    const visit = await testbed.browser.visit();
    visits.set(role, visit);
    await signIn(visit.page, role === "admin" ? testbed.admin : { key: await testbed.key(role) });
  }
});
afterAll(async () => {
  for (const visit of visits.values()) await visit[Symbol.asyncDispose]();
  await testbed?.[Symbol.asyncDispose]();
});

/** Pages for daily use; the first start is for the first administrator only. */
const everyday = screenNames.filter(({ name }) => name !== "start");
const withDialogs = everyday.filter(({ dialogs }) => dialogs.length > 0).map(({ name }) => name);
const screenOf = (name: string): Screen => screens(sampleData).find((it) => it.name === name)!;

/** Controls of the page itself; the shell is the same for every role. */
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
  (await page.getByRole("heading", { name: en.shell.notFound }).count()) > 0;

/** Screens on which an administrator has more controls than a viewer: they prove that controls were found. */
const offersMore = new Set<string>();

test.each(withDialogs)(
  "%s opens to a viewer no dialog that would change something, also by its address",
  async (name) => {
    const page = at("viewer");
    const opened: string[] = [];
    for (const path of screenOf(name).dialogs) {
      await go(page, path);
      // Some dialogs are read-only and open to viewers as well.
      const changing = page.locator("[role=dialog] :is(form, .button.main, .button.danger)");
      if ((await changing.count()) > 0) opened.push(path);
    }
    expect(opened).toEqual([]);
  },
);

describe.each(everyday.map(({ name }) => name))("%s, as a viewer", (name) => {
  test("offers no control that an administrator does not have, and causes no errors", async () => {
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

  test("has no button whose request the gateway refuses", async () => {
    const page = at("viewer");
    const refused: string[] = [];
    const hear = (response: { status: () => number; url: () => string }) => {
      if (response.status() === 403) refused.push(response.url());
    };
    page.on("response", hear);
    for (const path of screenOf(name).paths) {
      await go(page, path);
      for (const index of await page.locator(options).evaluateAll(severalOfEachKind)) await pressed(page, path, index);
    }
    page.off("response", hear);
    expect(refused).toEqual([]);
  });
});

/** Controls that act when pressed. Tabs have their own addresses and are visited by address. */
const options = "main :is(button:not([role=tab]), summary, [role=switch], input[type=checkbox])";

/** Indexes of a few controls of each kind: rows of a table are alike. */
function severalOfEachKind(all: Element[]): number[] {
  const max = 3;
  const seen = new Map<string, number>();
  return all.flatMap((it, index) => {
    const kind = `${it.tagName} ${it.className} ${it.getAttribute("role")}`;
    const before = seen.get(kind) ?? 0;
    seen.set(kind, before + 1);
    return before < max && it.checkVisibility() ? [index] : [];
  });
}

/** Presses one control and what it opens, then restores the page. */
async function pressed(page: Page, path: string, index: number): Promise<void> {
  const control = page.locator(options).nth(index);
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

test("roles: an administrator has more controls on every page with changes", () =>
  expect([...offersMore]).toEqual(
    expect.arrayContaining(["devices", "device", "dns", "routing", "changes", "tunnels", "proxies", "settings"]),
  ));

test("roles: pages for administrators are neither in a viewer's menu nor at their address", async () => {
  const links = (page: Page) =>
    page.getByRole("navigation", { name: en.shell.menu }).getByRole("link").allTextContents();
  for (const role of ["admin", "viewer"] as const) await go(at(role), "/");
  expect(await links(at("admin"))).toContain(en.shell.titles.access);
  expect(await links(at("viewer"))).not.toContain(en.shell.titles.access);
  await go(at("viewer"), "/access");
  await at("viewer").getByRole("heading", { name: en.shell.notFound }).waitFor();
});

/** Endpoints that change something, and those restricted to administrators or diagnostics. */
const guarded = operations(api)
  .map(({ subsystem, name, endpoint }) => ({ name: `${subsystem}.${name}`, endpoint }))
  .filter(({ endpoint: { role } }) => role !== "anyone" && !admits(role, "viewer"));

/** The status codes for the session of this page; the requests have no valid body, so that no handler runs. */
const answers = (page: Page, requests: readonly { readonly endpoint: Endpoint }[]) =>
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
    requests.map(({ endpoint: { method, path } }) => ({ method, path: path.replace(/\{\w+\}/g, "no-such-thing") })),
  );

test("roles: the API refuses every change to a viewer's session, and administrator endpoints to an operator's", async () => {
  expect(guarded.length).toBeGreaterThan(80);
  await go(at("viewer"), "/");
  await go(at("operator"), "/");
  const refusals = async (role: Role) => {
    const statuses = await answers(at(role), guarded);
    return guarded.filter((_, index) => statuses[index] === 403).map(({ name }) => name);
  };
  expect(await refusals("viewer")).toEqual(guarded.map(({ name }) => name));
  const onlyAdmins = guarded.filter(({ endpoint: { role } }) => !admits(role, "operator")).map(({ name }) => name);
  expect(await refusals("operator")).toEqual(onlyAdmins);
  expect(onlyAdmins.length).toBeLessThan(guarded.length / 2);
});
