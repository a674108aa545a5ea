import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/deadline.ts";
import { en } from "../web/src/i18n/en/en.ts";
import type { Visit } from "./browser.ts";
import { type Testbed, openTestbed } from "./testbed.ts";
import { go, signIn } from "./steps.ts";

/*
 * The rules are in force for the first time and wait for confirmation. The effect of the notice's buttons is checked
 * in the kernel and in the audit log.
 */
let testbed: Testbed;
let visit: Visit;

beforeAll(async () => {
  testbed = await openTestbed({ confirmFirstSec: 3600 });
  visit = await testbed.browser.visit();
  await signIn(visit.page, testbed.admin);
});
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]();
  await testbed?.[Symbol.asyncDispose]();
});

const isGuarded = async () =>
  (await testbed.topology.net.gateway.run("nft", "list", "tables")).includes("portcullis_guard");

test("first enforcement: the buttons of the notice revert it, start it again and confirm it", async () => {
  const { page, guard } = visit;
  const t = en.shell.enforcement;
  const notice = page.getByRole("alert", { name: t.title });
  const press = (name: string) => notice.getByRole("button", { name, exact: true }).click();
  await go(page, "/");
  expect(await notice.textContent()).toContain(t.provisional);
  const card = page.getByRole("region", { name: en.home.verdict });
  await card.getByText(en.home.verified).waitFor();
  expect(await card.textContent()).toContain("Protected");
  expect(await isGuarded()).toBe(true);

  await press(t.revert);
  await notice.getByRole("button", { name: t.start, exact: true }).waitFor();
  expect(await notice.textContent()).toContain("Nothing is enforced");
  await card.getByText(en.home.verdicts({ kind: "not enforced", reason: "It was reverted" }).title).waitFor();
  for (const untrue of [en.home.verified, "Protected"]) expect(await card.textContent()).not.toContain(untrue);
  expect(await isGuarded()).toBe(false);

  await press(t.start);
  await notice.getByRole("button", { name: t.confirm, exact: true }).waitFor();
  await until("the guard is loaded again", isGuarded);

  await press(t.confirm);
  await until("the notice is gone", async () => (await notice.count()) === 0);
  expect(await isGuarded()).toBe(true);
  const shown = await testbed.topology.api.ok("GET", "/enforcement");
  expect(shown).toMatchObject({ state: "confirmed", confirmed_by: testbed.admin.username });
  const { actor, action } = ((await testbed.topology.api.ok("GET", "/audit")) as Record<string, string>[])[0]!;
  expect([actor, action]).toEqual([testbed.admin.username, "confirm_enforcement"]);
  // A confirmation over a connection that is older than the rules is refused and sent again.
  expect(guard.complaints().filter((it) => !it.includes("409 (Conflict)"))).toEqual([]);
});
