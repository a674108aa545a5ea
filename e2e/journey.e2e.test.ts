import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { server } from "../lab/topology-devices.ts";
import type { Sighting, Site } from "../lab/internet.ts";
import { en } from "../web/src/i18n/en/en.ts";
import type { Visit } from "./browser.ts";
import { until } from "../testing/deadline.ts";
import { type House, openHouse } from "./house.ts";
import { go } from "./steps.ts";

/*
 * From an unconfigured gateway to a device that leaves through a tunnel, all of it in the browser. What the interface
 * shows is compared with the packets outside. The tests depend on each other, in this order.
 */
let house: House;
let visit: Visit;
let amsterdam: { readonly site: Site; readonly file: string };
let tv: string;

beforeAll(async () => {
  house = await openHouse({ configured: false });
  const { household } = house;
  const { net, api } = household;
  amsterdam = await household.wireguardServer("Amsterdam");
  const device = await net.device("tv", 1);
  tv = ((await api.ok("POST", "/devices", { name: "Kitchen TV", mac: device.mac })) as { id: string }).id;
  await device.sendTraffic(50);
  visit = await house.browser.visit();
});
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Source addresses from which the web server recently received the TV's packets. */
async function callers(): Promise<string[]> {
  const { udp } = await house.household.net.webReport();
  return Object.keys(udp["tv-4"]?.ways ?? {});
}

/** Packets to the web server that left in the clear since the last call, captured at both providers. */
async function inTheClear(): Promise<Sighting[]> {
  const { net } = house.household;
  const seen = (await Promise.all(net.providers.map((it) => net.seen(it)))).flat();
  return seen.filter(({ to }) => to === server.v4 || to === server.v6);
}

test("first start: creates the account, finds the network and applies the first policies", async () => {
  const { page, guard } = visit;
  const say = en.start;
  const isAt = (step: keyof typeof say.titles) => page.getByRole("heading", { name: say.titles[step] }).waitFor();
  await page.goto("/");
  await isAt("account");
  expect(new URL(page.url()).pathname).toBe("/start");
  const code = readFileSync(`${house.household.folders.state}/setup-code`, "utf8").trim();
  await page.getByLabel(say.code, { exact: true }).fill("0000-0000-0000");
  await page.getByLabel(say.username, { exact: true }).fill(house.admin.username);
  await page.getByLabel(say.password, { exact: true }).fill(house.admin.password);
  await page.getByLabel(say.again, { exact: true }).fill(house.admin.password);
  await press(page, say.makeAccount);
  await page.getByText("The setup code is wrong").waitFor();
  const refusals: string[] = [];
  await until("the browser reports the refusal", async () => refusals.push(...guard.complaints()) > 0);
  expect(refusals).toEqual([expect.stringContaining("403 (Forbidden)")]);
  // The address in the QR code contains the setup code; the page removes it from the address bar.
  await page.goto(`/start#setup=${code}`);
  await page.reload();
  await isAt("account");
  expect(await page.getByLabel(say.code, { exact: true }).inputValue()).toBe(code);
  expect(page.url()).not.toContain(code);
  await page.getByLabel(say.username, { exact: true }).fill(house.admin.username);
  await page.getByLabel(say.password, { exact: true }).fill(house.admin.password);
  await page.getByLabel(say.again, { exact: true }).fill(house.admin.password);
  await press(page, say.makeAccount);

  await isAt("network");
  await page.getByText("Your devices are at lan0 (10.0.0.1/24").waitFor();
  await press(page, say.goOn);

  await isAt("tunnel");
  await press(page, say.withoutTunnel);
  await isAt("classes");
  await press(page, say.tryIt);
  await isAt("proof");
  await page.getByText(say.inForce(true)).waitFor();
  await press(page, say.keepAndFinish);
  await page.getByRole("heading", { level: 1, name: en.frame.titles.home }).waitFor();
  expect(guard.complaints()).toEqual([]);

  // Known devices do leave in the clear, as the page states. This also proves that the capture would see a leak.
  await until("the television goes straight to the internet", async () => (await callers()).length > 0);
  await until("somebody sees it", async () => (await inTheClear()).length > 0);
});

test("tunnel import: a pasted file becomes a tunnel, and the tunnel connects", async () => {
  const { page, guard } = visit;
  const say = en.tunnels;
  await go(page, "/tunnels?do=import");
  const dialog = page.getByRole("dialog", { name: say.importOne });
  await dialog.getByRole("tab", { name: say.byPaste }).click();
  await dialog.getByLabel(say.pasteHere).fill(amsterdam.file);
  await dialog.getByLabel(say.name).fill("Amsterdam");
  await dialog.getByRole("button", { name: say.importMany(1), exact: true }).click();
  await dialog.getByText(say.imported("Amsterdam")).waitFor();
  await dialog.getByRole("button", { name: say.switchItOn }).click();
  await dialog.getByText(say.itCarries).waitFor();
  expect(guard.complaints()).toEqual([]);
});

test("policy editor: a device is routed through the tunnel, tried and kept, and its packets leave only there", async () => {
  const { page, guard } = visit;
  const { editor } = en.routing;
  await page.getByRole("dialog").getByRole("link", { name: en.tunnels.sendThrough }).click();
  const dialog = page.getByRole("dialog", { name: editor.addTitle });
  await pick(page, editor.values.device, "Kitchen TV");
  // The tunnel from which the editor was opened is preset.
  await dialog.getByRole("list", { name: editor.hops }).getByText("Amsterdam").waitFor();
  // Before the policy that the first start created for all devices.
  await dialog
    .getByRole("status")
    .filter({ hasText: "Kitchen TV goes through Amsterdam; blocked if that fails" })
    .waitFor();
  await dialog.getByRole("button", { name: editor.save, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await callers()).not.toEqual([amsterdam.site.v4]);

  await press(page, en.staging.tryFor);
  await page.getByRole("region", { name: en.frame.pending.waits(1) }).waitFor();
  await press(page, en.frame.pending.keep);
  await page.getByText(en.frame.pending.kept).waitFor();
  expect(guard.complaints()).toEqual([]);

  await until("it comes out in Amsterdam", async () => (await callers()).join() === amsterdam.site.v4);
  await inTheClear();
  await callers();
  await until("it goes on coming out there", async () => (await callers()).join() === amsterdam.site.v4);
  expect(await inTheClear()).toEqual([]);
  const { net } = house.household;
  const seen = await net.seen(net.core);
  expect(seen.some(({ from, to }) => from === amsterdam.site.v4 && to === server.v4)).toBe(true);
});

test("device page: draws the path the device takes", async () => {
  const { page, guard } = visit;
  await go(page, `/devices/${tv}`);
  await page
    .getByText(en.ribbon.sentence("Kitchen TV", ["Amsterdam"], "protected"))
    .first()
    .waitFor({ state: "attached" });
  expect(guard.complaints()).toEqual([]);
});

test("leak check: the operator starts it and reads its result for the device", async () => {
  const { page, guard } = visit;
  await go(page, "/privacy");
  await press(page, en.privacy.checkAll);
  await page.getByText(en.privacy.check.done["no-leak"], { exact: true }).waitFor();
  const devices = page.getByRole("table", { name: en.privacy.table.label });
  const row = devices.getByRole("row").filter({ hasText: "Kitchen TV" });
  await row.getByText(en.privacy.verdicts["no-leak"]).waitFor();
  await row.getByText(en.kit.states.protected).waitFor();

  await row.getByRole("link", { name: "Kitchen TV" }).click();
  const card = page.getByRole("region", { name: en.privacy.own.title });
  await card.getByText(en.privacy.verdicts["no-leak"]).waitFor();
  await card.getByText(/things were looked at/).click();
  await card.getByText(en.privacy.check.found).first().waitFor();
  expect(guard.complaints()).toEqual([]);
});

test("privacy control: switched for the device, and its origin is shown", async () => {
  const { page, guard } = visit;
  const card = page.getByRole("region", { name: en.device.controls.title });
  const label = en.devices.belongings.privacy.long.block_webrtc;
  const control = card.getByRole("listitem").filter({ hasText: label });
  await control.getByText(en.privacy.own.sources.system).waitFor();
  await control.getByRole("switch").click();
  await control.getByText(en.privacy.own.sources.device).waitFor();
  expect(await control.getByRole("switch").isChecked()).toBe(true);
  const { api } = house.household;
  expect(await api.ok("GET", `/devices/${tv}`)).toMatchObject({ block_webrtc: true });
  await control.getByRole("button", { name: en.privacy.own.resetFor(label) }).click();
  await control.getByText(en.privacy.own.sources.system).waitFor();
  expect(await api.ok("GET", `/devices/${tv}`)).toMatchObject({ block_webrtc: null });
  expect(guard.complaints()).toEqual([]);
});

async function pick(page: Page, label: string, name: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).fill(name);
  await page.getByRole("option", { name: new RegExp(`^${name}`) }).click();
}
