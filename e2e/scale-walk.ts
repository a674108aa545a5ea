import type { Page } from "playwright-core";
import { en } from "../web/src/i18n/en/en.ts";
import { type Target, timed, type Took, type Watched } from "./scale-clock.ts";

/** Durations of every interaction of a walk, by its name. */
export type Timings = Map<string, Took[]>;

export const trivial = "a button without any work behind it";

/** A button that only changes its label: the latency of the machine and the browser alone. */
export async function walkTrivially(page: Page, timings: Timings): Promise<void> {
  await page.evaluate(() => {
    const button = document.createElement("button");
    button.id = "trivial";
    button.style.cssText = "position:fixed;inset:auto 0 0 auto;z-index:9999";
    button.textContent = "Press";
    button.addEventListener("click", () => (button.textContent = "Pressed"));
    document.body.append(button);
  });
  const press = () => page.click("#trivial");
  note(timings, trivial, await timed(page, { on: "click", reacts: [{ css: "#trivial", text: "Pressed" }] }, press));
  await page.evaluate(() => document.querySelector("#trivial")?.remove());
}

/** Every interaction on the large screens, once. `round` varies the input. */
export async function walk(page: Page, timings: Timings, round: number): Promise<void> {
  const does = async (name: string, watched: Watched, act: () => Promise<void>) =>
    note(timings, name, await timed(page, watched, act));
  const goes = async (title: "home" | "devices" | "routing" | "dns", arrives: readonly Target[]) => {
    const name = en.shell.titles[title];
    const link = page.locator(".side-link", { hasText: new RegExp(`^${name}$`) });
    const reacts = [{ css: ".page-coming" }, { css: "h1", text: name }];
    await does(`open ${title}`, { on: "click", reacts, arrives }, () => link.click());
    await settles(page);
  };
  const types = async (name: string, letters: string, targetOf: (typed: string) => Target) => {
    for (const [index, letter] of letters.split("").entries()) {
      const reacts = [targetOf(letters.slice(0, index + 1))];
      await does(name, { on: "keydown", reacts }, () => page.keyboard.press(letter));
    }
  };

  await goes("devices", [{ css: '[role="table"][aria-rowcount="10001"] .table-row.floating' }]);
  await page.locator(".table-frame").focus();
  await does("devices: scroll to the end", { on: "keydown", reacts: [{ css: '[aria-rowindex="10001"]' }] }, () =>
    page.keyboard.press("End"),
  );
  await does("devices: scroll to the beginning", { on: "keydown", reacts: [{ css: '[aria-rowindex="2"]' }] }, () =>
    page.keyboard.press("Home"),
  );
  await page.locator(".table-frame").hover();
  await does("devices: turn the wheel", { on: "wheel", reacts: [{ css: '[aria-rowindex="200"]' }] }, () =>
    page.mouse.wheel(0, 200 * 75),
  );
  await page.getByLabel(en.devices.filters.text, { exact: true }).pressSequentially("e-");
  await types("devices: a letter into the filter", String(123 + 1111 * round), () => ({
    css: ".devices-filters [role=status]",
    changes: true,
  }));
  await does(
    "devices: open one",
    {
      on: "click",
      reacts: [{ css: ".page-coming" }, { css: "h1", text: "Device" }],
      arrives: [{ css: ".ribbon" }],
    },
    () => page.locator(".devices-name a").first().click(),
  );
  await settles(page);

  await goes("routing", [{ css: ".reorder-row" }]);
  await page.locator(`[data-index="${3 + round}"] .reorder-handle`).focus();
  const held = (await page.locator(`[data-index="${3 + round}"] .reorder-handle`).getAttribute("aria-label"))!;
  for (const step of [1, 2])
    await does(
      "routing: move a policy with the keyboard",
      { on: "keydown", reacts: [{ css: `[data-index="${3 + round + step}"] [aria-label="${held}"]` }] },
      () => page.keyboard.press("Alt+ArrowDown"),
    );
  await page.getByLabel(en.routing.filter, { exact: true }).pressSequentially("device ");
  await types("routing: a letter into the filter", String(51 + round), () => ({
    css: ".routing-above p",
    changes: true,
  }));
  await page.getByLabel(en.routing.filter, { exact: true }).fill("");
  await does(
    "routing: open the editor",
    { on: "click", reacts: [{ css: ".dialog.wide" }], arrives: [{ css: ".dialog.wide form" }] },
    () => page.locator("button.routing-sentence").nth(2).click(),
  );
  await does("routing: close the editor", { on: "keydown", reacts: [{ css: ".dialog.wide", gone: true }] }, () =>
    page.keyboard.press("Escape"),
  );

  await does("palette: open", { on: "keydown", reacts: [{ css: ".dialog.find input" }] }, () =>
    page.keyboard.press("Control+k"),
  );
  await page.keyboard.type("device ");
  await types("palette: a letter", String(771 + round), () => ({ css: ".dialog.find [role=listbox]", changes: true }));
  await does("palette: close", { on: "keydown", reacts: [{ css: ".dialog.find", gone: true }] }, () =>
    page.keyboard.press("Escape"),
  );

  await goes("dns", [{ css: ".card .number" }]);
  await openLog(page, timings);
  const frame = page.locator(".table-frame");
  await frame.hover();
  await does("log: turn the wheel", { on: "wheel", reacts: [{ css: '[aria-rowindex="60"]' }] }, () =>
    page.mouse.wheel(0, 60 * 45),
  );
  await page.mouse.wheel(0, -1_000_000);
  await page.mouse.move(5, 5);
  await page.getByRole("search").getByLabel(en.dns.log.name, { exact: true }).focus();
  await types("log: a letter into the filter", "video", (value) => ({ css: ".dns-filters input", value }));
  await page.locator(".dns-log-name", { hasText: "video" }).first().waitFor();
  await page.getByRole("search").getByLabel(en.dns.log.name, { exact: true }).fill("");
  await pauses(page, does);
  await goes("home", [{ css: ".home-count" }]);
}

/** From the DNS page to the live log. */
export async function openLog(page: Page, timings: Timings): Promise<void> {
  const watched = {
    on: "click",
    reacts: [{ css: ".skeleton" }, { css: ".dns-filters" }],
    arrives: [{ css: ".dns-log-name" }],
  };
  const tab = page.getByRole("tab", { name: en.dns.tabs.log, exact: true });
  note(timings, "log: open", await timed(page, watched, () => tab.click()));
  await settles(page);
}

type Does = (name: string, watched: Watched, act: () => Promise<void>) => Promise<void>;

async function pauses(page: Page, does: Does): Promise<void> {
  for (const [from, to] of [
    [en.dns.log.pause, en.dns.log.resume],
    [en.dns.log.resume, en.dns.log.pause],
  ] as const)
    await does("log: pause and go on", { on: "click", reacts: [{ css: ".card button", text: to }] }, () =>
      page.getByRole("button", { name: from, exact: true }).click(),
    );
}

/** Everything has loaded, and the page is idle. */
async function settles(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector(".skeleton, .page-coming") === null);
  await page.waitForTimeout(500);
}

function note(timings: Timings, name: string, took: Took): void {
  timings.set(name, [...(timings.get(name) ?? []), took]);
}
