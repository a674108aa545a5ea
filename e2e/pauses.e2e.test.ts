import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { en } from "../web/src/i18n/en/en.ts";
import { barriers } from "./axe.ts";
import type { Visit } from "./browser.ts";
import { go, signIn } from "./steps.ts";
import { type Testbed, openTestbed } from "./testbed.ts";

/* A pause is started on the pages of DNS, a device and a group; a notice is on every page until it ends. */
let testbed: Testbed;
let visit: Visit;
let page: Page;

beforeAll(async () => {
  testbed = await openTestbed({ names: true });
  await ok("POST", "/devices", { name: "Tablet", mac: "02:00:00:00:66:09" });
  visit = await testbed.browser.visit({ bypassCSP: true });
  ({ page } = visit);
  await signIn(page, testbed.admin);
});
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]();
  await testbed?.[Symbol.asyncDispose]();
});

const t = en.pauses;
const ok = (...call: Parameters<typeof testbed.topology.api.ok>) => testbed.topology.api.ok(...call);
const active = () => ok("GET", "/pauses/active");
const noticeOf = (text: string) => page.getByRole("region", { name: text, exact: true });
const resume = async (text: string) => {
  await noticeOf(text).getByRole("button", { name: t.resume, exact: true }).click();
  await noticeOf(text).waitFor({ state: "detached" });
};

test("filtering is paused for everyone on the DNS page: every page shows it with the time that is left, and resumes it", async () => {
  await go(page, "/dns?do=pause");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(t.lasts, { exact: true }).selectOption({ label: t.durations[15] });
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: t.types.filtering, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await active()).toMatchObject([{ type: "filtering", source_type: "everyone", duration_min: 15 }]);
  await go(page, "/");
  const text = t.now.filtering(t.everyone);
  await noticeOf(text).waitFor();
  expect(await noticeOf(text).textContent()).toMatch(/14:\d\d left/);
  expect(await barriers(page)).toEqual([]);
  await resume(text);
  expect(await active()).toEqual([]);
});

test("a domain is blocked for a device on its page, and a mistake is shown at its field", async () => {
  const { id, name } = (await ok("GET", "/devices/Tablet")) as { readonly id: string; readonly name: string };
  await go(page, `/devices/${id}?do=pause`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(t.type, { exact: true }).selectOption({ label: t.types["block-domain"] });
  const domain = dialog.getByLabel(t.domain, { exact: true });
  const start = dialog.getByRole("button", { name: t.types["block-domain"], exact: true });
  await domain.fill("not a domain");
  await start.click();
  await expect.poll(() => domain.getAttribute("aria-invalid")).toBe("true");
  await domain.fill("video.example");
  await start.click();
  await dialog.waitFor({ state: "detached" });
  expect(await active()).toMatchObject([{ type: "block-domain", source_value: id, domain: "video.example" }]);
  await resume(t.now["block-domain"](name, "video.example"));
});

test("protection is paused for a group from its menu, and the notice names the device that is not paused", async () => {
  const { id: strict } = (await ok("POST", "/privacy-classes", { name: "Never direct", require_tunnel: true })) as {
    readonly id: string;
  };
  const { id: group } = (await ok("POST", "/device-groups", { name: "Visitors" })) as { readonly id: string };
  await ok("POST", "/devices", { name: "Guest phone", mac: "02:00:00:00:66:01", group_ids: [group] });
  await ok("POST", "/devices", {
    name: "Work laptop",
    mac: "02:00:00:00:66:02",
    group_ids: [group],
    privacy_class: strict,
  });
  await go(page, "/devices?tab=groups");
  await page.getByRole("button", { name: en.ui.actionsFor("Visitors"), exact: true }).click();
  await page.getByRole("menuitem", { name: t.add, exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(t.type, { exact: true }).selectOption({ label: t.types.protection });
  await dialog.getByText(t.does.protection, { exact: true }).waitFor();
  await dialog.getByRole("button", { name: t.types.protection, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  const text = t.now.protection("Visitors");
  await noticeOf(text).waitFor();
  expect(await noticeOf(text).textContent()).toContain(`Work laptop (${t.obstacles.require_tunnel})`);
  await resume(text);
});
