import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import type { HopServer } from "../lab/topology-hops.ts";
import { until } from "../testing/deadline.ts";
import { en } from "../web/src/i18n/en/en.ts";
import { barriers } from "./axe.ts";
import type { Visit } from "./browser.ts";
import { go, signIn } from "./steps.ts";
import { type Testbed, openTestbed } from "./testbed.ts";

/*
 * The commonest tasks, with the number of clicks that each may take, and their effect in the gateway. The count of
 * a new device begins on the home page.
 */
let testbed: Testbed;
let visit: Visit;
let page: Page;
let amsterdam: HopServer;
let tv: string;

beforeAll(async () => {
  testbed = await openTestbed({ names: true });
  const { topology } = testbed;
  amsterdam = await topology.wireguard("Amsterdam");
  const device = await topology.net.device("tv", 1);
  tv = ((await ok("POST", "/devices", { name: "Kitchen TV", mac: device.mac, ips: ["10.0.0.2"] })) as Made).id;
  await ok("POST", "/device-groups", { name: "Living room" });
  await ok("POST", "/routing/policies", {
    name: "All other devices",
    source_type: "all",
    priority: 100,
    hops: [],
    fail_policy: "fail-closed",
  });
  await topology.apply();
  await device.sendTraffic(20);
  visit = await testbed.browser.visit({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
  ({ page } = visit);
  await signIn(page, testbed.admin);
});
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]();
  await testbed?.[Symbol.asyncDispose]();
});

interface Made {
  readonly id: string;
}
const ok = (...call: Parameters<typeof testbed.topology.api.ok>) => testbed.topology.api.ok(...call);

/** Clicks, and how many. */
function counted() {
  const clicks = { count: 0 };
  return {
    clicks,
    click: async (target: Locator) => {
      clicks.count += 1;
      await target.click();
    },
  };
}
const menuLink = (name: string) => page.getByRole("navigation", { name: en.shell.menu }).getByRole("link", { name });

test("home page: fits a window of 1440 by 900 without scrolling, in each view, and a smaller one scrolls", async () => {
  const isScrollable = () =>
    page.evaluate(() => document.documentElement.scrollHeight > document.documentElement.clientHeight);
  for (const [path, shown] of [
    ["/", "Kitchen TV"],
    ["/?view=paths", "All other devices"],
    ["/?view=table", "Kitchen TV"],
  ] as const) {
    await go(page, path);
    await page.getByRole("region", { name: en.home.exits }).getByText(shown).first().waitFor();
    expect([path, await isScrollable()]).toEqual([path, false]);
    expect([path, await barriers(page)]).toEqual([path, []]);
  }
  // The drawing has a sentence for those who do not see it.
  await go(page, "/");
  await page.getByText("Blocked: 1 device. No device uses a direct connection.").waitFor({ state: "attached" });
  await page.setViewportSize({ width: 1440, height: 480 });
  expect(await isScrollable()).toBe(true);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("home page: states the period without a leak only after two checks, and until the last of them", async () => {
  await go(page, "/");
  const verdict = page.getByRole("region", { name: en.home.verdict });
  await verdict.getByText(en.home.verdicts({ kind: "no internet", all: 1 }).title).waitFor();
  await ok("POST", "/privacy/leak-check", {});
  await ok("POST", "/privacy/leak-check", {});
  const { no_leak_since, last_check, passed_checks } = (await ok("GET", "/privacy/status")) as Record<string, unknown>;
  expect(Number(passed_checks)).toBeGreaterThan(1);
  expect(Date.parse(String(last_check))).toBeGreaterThanOrEqual(Date.parse(String(no_leak_since)));
  await verdict.getByText(`${String(passed_checks)} checks passed.`).waitFor();
});

test("home page: a leak of the gateway itself, which belongs to no device, needs attention", async () => {
  const { title } = en.home.verdicts({ kind: "gateway leaking" });
  const items = page.locator(".attention li").filter({ hasText: title });
  await go(page, "/");
  await page.getByRole("heading", { name: /needs? attention$/ }).waitFor();
  expect(await items.count()).toBe(0);
  const path = /\/privacy\/status/;
  const measured = (await ok("GET", "/privacy/status?verdict=leaking")) as object;
  await page.route(path, (route) => route.fulfill({ json: { ...measured, last_verdict: "leaking" } }));
  await go(page, "/");
  await items.waitFor();
  await page.unroute(path);
});

test("pause of filtering for 10 minutes: two clicks, from any page", async () => {
  await go(page, "/tunnels");
  const { clicks, click } = counted();
  await click(page.getByRole("button", { name: en.shell.pause.label, exact: true }));
  await click(page.getByRole("menuitem", { name: en.shell.pause.durations[10], exact: true }));
  await page.getByRole("region", { name: en.pauses.now.filtering(en.pauses.everyone), exact: true }).waitFor();
  expect(clicks.count).toBe(2);
  expect(await ok("GET", "/pauses/active")).toMatchObject([
    { type: "filtering", source_type: "everyone", duration_min: 10 },
  ]);
  // The button shows the time that is left, and ends the pause.
  const paused = page.getByRole("button", { name: en.shell.pause.paused });
  expect(await paused.textContent()).toMatch(/9:\d\d/);
  expect(await barriers(page)).toEqual([]);
  await paused.click();
  await page.getByRole("menuitem", { name: en.pauses.resume, exact: true }).click();
  await until("nothing is paused", async () => ((await ok("GET", "/pauses/active")) as unknown[]).length === 0);
});

test("exit of a device: three clicks on the devices page send it through a tunnel with kill switch, on trial and kept", async () => {
  await go(page, "/devices");
  const { clicks, click } = counted();
  await click(page.getByRole("button", { name: new RegExp(`^${en.exits.of("Kitchen TV")}`) }));
  const picker = page.getByRole("dialog", { name: en.exits.of("Kitchen TV") });
  await picker.getByText(en.exits.writes.create("Kitchen TV")).waitFor();
  expect(await barriers(page)).toEqual([]);
  await click(picker.getByRole("button", { name: "Amsterdam" }));
  await page.getByRole("region", { name: en.shell.pending.waits(1) }).waitFor();
  await click(page.getByRole("button", { name: en.shell.pending.keep, exact: true }));
  await page.getByText(en.shell.pending.kept).waitFor();
  expect(clicks.count).toBe(3);
  const policies = (await ok("GET", "/routing/policies")) as readonly Record<string, unknown>[];
  expect(policies.find(({ name }) => name === "Kitchen TV")).toMatchObject({
    source_type: "device",
    source_value: tv,
    hops: [{ type: "vpn", target: amsterdam.id }],
    fail_policy: "fail-closed",
    priority: 90,
  });
  expect(await ok("GET", "/policy/postures")).toMatchObject({ devices: [{ policy_name: "Kitchen TV" }] });
});

test("exit of a device: that the gateway refuses to apply it is shown, although the choice has closed", async () => {
  await go(page, "/devices");
  const path = /\/routing\/policies\/apply/;
  const message = "Two policies contradict each other";
  await page.route(path, (route) =>
    route.fulfill({ status: 409, json: { error: { code: "policy_conflict", message } } }),
  );
  await page.getByRole("button", { name: new RegExp(`^${en.exits.of("Kitchen TV")}`) }).click();
  const picker = page.getByRole("dialog", { name: en.exits.of("Kitchen TV") });
  await picker.getByText(en.exits.writes.update("Kitchen TV")).waitFor();
  // The exit that it has: nothing stays staged.
  await picker.getByRole("button", { name: "Amsterdam" }).click();
  await page.locator(".toast.failed").getByText(message).waitFor();
  expect(await picker.isVisible()).toBe(false);
  await page.unroute(path);
});

test("exit of a device: chosen again by keyboard alone, its policy is changed instead of another one added", async () => {
  await go(page, "/devices");
  await page.getByRole("button", { name: new RegExp(`^${en.exits.of("Kitchen TV")}`) }).focus();
  await page.keyboard.press("Enter");
  const picker = page.getByRole("dialog", { name: en.exits.of("Kitchen TV") });
  const blocked = picker.getByRole("button", { name: en.exits.blocked.name });
  await picker.getByText(en.exits.writes.update("Kitchen TV")).waitFor();
  const isFocused = () => blocked.evaluate((it) => it === document.activeElement);
  for (let left = 12; left > 0 && !(await isFocused()); left -= 1) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: en.shell.pending.waits(1) }).waitFor();
  await page.getByRole("button", { name: en.shell.pending.undo, exact: true }).click();
  await page.getByText(en.shell.pending.undone).waitFor();
  const policies = (await ok("GET", "/routing/policies")) as readonly Record<string, unknown>[];
  expect(policies.map(({ name }) => String(name)).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "All other devices",
    "Kitchen TV",
  ]);
});

test("new device: two clicks from the home page identify and allow it", async () => {
  const visitor = await testbed.topology.net.device("visitor", 7);
  await visitor.sendTraffic(5);
  await go(page, "/");
  const { clicks, click } = counted();
  const attention = page.getByRole("listitem").filter({ hasText: /unknown device/ });
  await click(attention.getByRole("link", { name: en.home.identify }));
  const knock = page.getByRole("listitem").filter({ hasText: visitor.mac });
  await click(knock.getByRole("button", { name: en.devices.unknown.allow, exact: true }));
  await knock.waitFor({ state: "detached" });
  expect(clicks.count).toBe(2);
  const known = (await ok("GET", `/devices?mac=${encodeURIComponent(visitor.mac)}`)) as readonly object[];
  expect(known).toMatchObject([{ state: "known" }]);
});

test("devices: several are selected, put into a group at once, and an undo takes it back", async () => {
  await menuLink(en.shell.titles.devices).click();
  await page.getByRole("checkbox", { name: en.devices.bulk.selectAll }).check();
  const all = (await ok("GET", "/devices")) as readonly { readonly group_ids: readonly string[] }[];
  const bar = page.getByRole("toolbar", { name: en.devices.bulk.selected(all.length) });
  expect(await barriers(page)).toEqual([]);
  await bar.getByRole("button", { name: en.devices.bulk.group }).click();
  await page.getByRole("menuitem", { name: "Living room", exact: true }).click();
  const sizes = async () =>
    ((await ok("GET", "/devices")) as typeof all).map(({ group_ids }) => group_ids.length).join();
  await bar.waitFor({ state: "detached" });
  expect(await sizes()).toBe(all.map(() => 1).join());
  await page.getByRole("button", { name: en.ui.undo, exact: true }).click();
  await until("no device is in a group", async () => (await sizes()) === all.map(() => 0).join());
});

test("devices: a heading sorts, keeps its order in the address, and the list is exported as it is shown", async () => {
  await go(page, "/devices");
  const heading = page.getByRole("columnheader", { name: en.devices.columns.name, exact: true });
  await heading.getByRole("button").click();
  expect(new URL(page.url()).searchParams.get("sort")).toBe("-name");
  expect(await heading.getAttribute("aria-sort")).toBe("descending");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: en.devices.export, exact: true }).click();
  const stream = await (await saved).createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const [head, ...lines] = Buffer.concat(chunks).toString().trim().split("\r\n");
  expect(head).toMatch(/^name,mac,ips/);
  expect(lines.map((it) => it.split(",")[0])).toEqual(
    ((await ok("GET", "/devices")) as readonly { readonly name: string }[])
      .map(({ name }) => name)
      .toSorted()
      .toReversed(),
  );
});
