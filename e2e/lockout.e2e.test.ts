import { afterAll, beforeAll, expect, test } from "vitest";
import type { Site } from "../lab/internet.ts";
import { en } from "../web/src/i18n/en/en.ts";
import { isReached, openOffice } from "./remote-admin.ts";
import { type LabBrowser, openBrowser, type Visit } from "./browser.ts";
import { expectWithin, until } from "../testing/deadline.ts";
import { type Testbed, openTestbed, trusting } from "./testbed.ts";
import { go, signIn } from "./steps.ts";

/*
 * An administrator works from the office, through a machine on the LAN, and applies a change that cuts this machine
 * off. No request of the browser arrives any more, and the change reverts by itself.
 */
/** The shortest trial that the page offers. */
const windowSec = 30;
let testbed: Testbed;
let office: Site;
let browser: LabBrowser;
let visit: Visit;
let policy: string;

beforeAll(async () => {
  testbed = await openTestbed();
  const { topology } = testbed;
  const { net, api } = topology;
  office = await net.site("office");
  const nas = await net.device("nas", 1);
  await api.ok("POST", "/devices", { name: "NAS", mac: nas.mac });
  const own = { name: "NAS", source_type: "device", source_value: "NAS", fail_policy: "fail-closed" };
  const hops = [{ type: "interface", target: "wan0" }];
  policy = ((await api.ok("POST", "/routing/policies", { ...own, hops })) as { id: string }).id;
  await topology.apply();
  await openOffice(office, nas);
  await until("the office reaches the gateway", () => isReached(office));
  browser = await openBrowser(office.host, testbed.origin, { args: trusting(topology) });
  visit = await browser.visit();
  await signIn(visit.page, testbed.admin);
});
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]();
  await browser?.[Symbol.asyncDispose]();
  await testbed?.[Symbol.asyncDispose]();
});

test("lockout: the page reports the lost connection, the gateway reverts, and the page then shows what happened", async () => {
  const { page } = visit;
  const lamp = page
    .getByRole("status")
    .filter({ hasText: new RegExp(`^(${en.shell.connection.live}|Connection lost)`) });
  await go(page, "/changes");
  await until("the connection is live", async () => (await lamp.textContent()) === en.shell.connection.live);
  const notice = page.getByRole("status", { name: en.shell.revertedTitle });
  expect(await notice.count()).toBe(0);

  await testbed.topology.api.ok("PUT", `/routing/policies/${policy}`, { hops: [] });
  const t = en.changes;
  await page.getByLabel(t.window).selectOption(String(windowSec));
  await page.getByRole("button", { name: t.tryFor(t.windows[windowSec]), exact: true }).click();
  await until("the office is cut off", async () => !(await isReached(office)));
  const cut = performance.now();
  await lamp.filter({ hasText: "Connection lost" }).waitFor();
  const shownAt = performance.now();
  expect(await isReached(office)).toBe(false);

  await until("the office is let in again", () => isReached(office), windowSec + 5);
  const back = performance.now();
  // After failed connections a browser retries at growing intervals.
  await notice.waitFor({ timeout: 180_000 });
  expectWithin(15, { "the loss of the connection, until the page shows it": (shownAt - cut) / 1000 });
  expectWithin(45, { "access, until the page shows the rollback": (performance.now() - back) / 1000 });
  expect(await notice.textContent()).toContain(en.shell.unconfirmed);
  await until("the connection is live again", async () => (await lamp.textContent()) === en.shell.connection.live);

  await notice.getByRole("button", { name: en.ui.dismiss }).click();
  await go(page, "/changes");
  await until("the connection is live", async () => (await lamp.textContent()) === en.shell.connection.live);
  expect(await notice.count()).toBe(0);
});
