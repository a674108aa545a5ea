import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import { en } from "../web/src/i18n/en/en.ts";
import { barriers } from "./axe.ts";
import type { Visit } from "./browser.ts";
import { go, signIn } from "./steps.ts";
import { type Testbed, openTestbed } from "./testbed.ts";

/* The dialogs that are generated from the contract. Without the page's security policy, which axe's styles violate. */
let testbed: Testbed;
let visit: Visit;
let page: Page;

beforeAll(async () => {
  testbed = await openTestbed();
  visit = await testbed.browser.visit({ bypassCSP: true });
  ({ page } = visit);
  await signIn(page, testbed.admin);
});
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]();
  await testbed?.[Symbol.asyncDispose]();
});

const t = en.dns.zones;
const ok = (method: string, path: string) => testbed.topology.api.ok(method, path);

async function openDialog(path: string): Promise<Locator> {
  await go(page, path);
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  return dialog;
}
const field = (dialog: Locator, label: string) => dialog.getByLabel(label, { exact: true });
const press = (dialog: Locator, name: string) => dialog.getByRole("button", { name, exact: true }).click();
const requests = (method: string) => {
  const seen: unknown[] = [];
  page.on("request", (it) => it.method() === method && it.url().includes("/api/v1/") && seen.push(it.postDataJSON()));
  return seen;
};

test("generated form: the first field has the focus, and mistakes are named at their fields before anything is sent", async () => {
  const sent = requests("POST");
  const dialog = await openDialog("/dns?tab=zones&do=add");
  const name = field(dialog, t.fields.name.label);
  await expect.poll(() => name.evaluate((it) => it === document.activeElement)).toBe(true);
  const ttl = field(dialog, t.fields.ttl_sec.label);
  expect(await ttl.inputValue()).toBe("3600");
  await ttl.fill("604801");
  await press(dialog, en.ui.add);
  await dialog.getByText(en.ui.errors.missing, { exact: true }).waitFor();
  await dialog.getByText(en.ui.errors.large("604800"), { exact: true }).waitFor();
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  await expect.poll(() => name.evaluate((it) => it === document.activeElement)).toBe(true);
  expect(await barriers(page)).toEqual([]);
  expect(sent).toEqual([]);
});

test("generated form: a refusal of the gateway is shown at its field, and a corrected entry is saved with the defaults", async () => {
  const dialog = await openDialog("/dns?tab=zones&do=add");
  const name = field(dialog, t.fields.name.label);
  await name.fill("not a domain");
  await press(dialog, en.ui.add);
  await expect.poll(() => name.getAttribute("aria-invalid")).toBe("true");
  await name.fill("home.arpa");
  await press(dialog, en.ui.add);
  await dialog.waitFor({ state: "detached" });
  await page
    .getByRole("row", { name: /home\.arpa/ })
    .first()
    .waitFor();
  expect(await ok("GET", "/dns/zones")).toMatchObject([
    { name: "home.arpa", ttl_sec: 3600, fill_from_devices: false, enabled: true },
  ]);
});

test("generated form: an update sends only what changed", async () => {
  const [zone] = (await ok("GET", "/dns/zones")) as readonly { readonly id: string }[];
  const sent = requests("PUT");
  const dialog = await openDialog(`/dns?tab=zones&open=${zone!.id}`);
  await field(dialog, t.fields.ttl_sec.label).fill("60");
  await press(dialog, en.ui.save);
  await dialog.waitFor({ state: "detached" });
  expect(sent).toEqual([{ ttl_sec: 60 }]);
});

test("generated form: Escape closes it, but not while there is unsaved input", async () => {
  const dialog = await openDialog("/dns?tab=zones&do=add");
  await field(dialog, t.fields.name.label).fill("lab");
  await page.keyboard.press("Escape");
  await dialog.getByRole("alert").getByText(en.ui.unsaved).waitFor();
  expect(await barriers(page)).toEqual([]);
  await press(dialog, en.ui.keepEditing);
  expect(await field(dialog, t.fields.name.label).inputValue()).toBe("lab");
  await page.keyboard.press("Escape");
  await press(dialog, en.ui.discard);
  await dialog.waitFor({ state: "detached" });
  await openDialog("/dns?tab=zones&do=add");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("generated form: a reference is chosen by name, and a hint follows the input", async () => {
  const dialog = await openDialog("/dns?tab=zones&do=record");
  await field(dialog, t.record.zone_id).selectOption({ label: "home.arpa" });
  await field(dialog, t.record.name).fill("nas");
  await dialog.getByText(t.becomes("nas.home.arpa")).waitFor();
  await field(dialog, t.record.value).fill("192.0.2.7");
  await press(dialog, en.ui.add);
  await dialog.waitFor({ state: "detached" });
  expect(await ok("GET", "/dns/records")).toMatchObject([
    { name: "nas", type: "A", value: "192.0.2.7", ttl_sec: null, zone_name: "home.arpa" },
  ]);
});
