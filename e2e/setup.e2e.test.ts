import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import { until } from "../testing/deadline.ts";
import { en } from "../web/src/i18n/en/en.ts";
import { barriers } from "./axe.ts";
import { phone, desk, type Visit } from "./browser.ts";
import { isTooWide } from "./layout.ts";
import { openTestbed, type Testbed } from "./testbed.ts";

/*
 * A machine on which nothing is enforced becomes a gateway, in the browser of a laptop on its LAN: ports, plan, trial, undo, trial again,
 * confirmation, tunnel, block lists, devices, leak check. Once with the mouse, once by keyboard alone.
 */
const t = en.setup;

test("first start: a machine is set up with the mouse, undone once, and measured at the end", async () => {
  await using testbed = await openTestbed({ configured: false, enforced: false, confirmFirstSec: 600 });
  await using visit = await testbed.browser.visit();
  await setUp(testbed, visit, mouse(visit.page), () => Promise.resolve());
  expect(new URL(visit.page.url()).pathname).toBe("/");
});

test("first start: the same by keyboard alone, and axe finds no violation at any step", async () => {
  await using testbed = await openTestbed({ configured: false, enforced: false, confirmFirstSec: 600 });
  // axe measures with styles that the page's policy refuses.
  await using visit = await testbed.browser.visit({ bypassCSP: true });
  const { page } = visit;
  const faults: string[] = [];
  await setUp(
    testbed,
    visit,
    keyboard(page),
    async (step) => {
      for (const viewport of [phone, desk]) {
        await page.setViewportSize(viewport);
        if (await isTooWide(page)) faults.push(`${step} is wider than ${viewport.width} pixels`);
        for (const colorScheme of ["dark", "light"] as const) {
          await page.emulateMedia({ colorScheme });
          for (const barrier of await barriers(page)) faults.push(`${step} ${colorScheme}: ${barrier}`);
        }
      }
    },
    true,
  );
  expect(faults).toEqual([]);
});

/** How the user operates controls. */
interface Hand {
  press(control: Locator): Promise<void>;
  enter(field: Locator, text: string): Promise<void>;
  /** A radio button, in the group of the one that is chosen now. */
  choose(wanted: Locator, chosen: Locator): Promise<void>;
}

const mouse = (page: Page): Hand => ({
  press: (control) => control.click(),
  enter: async (field, text) => {
    await field.click();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.insertText(text);
  },
  choose: (wanted) => wanted.click(),
});

function keyboard(page: Page): Hand {
  const isFocused = (control: Locator) => control.evaluate((it) => it === document.activeElement);
  async function reach(control: Locator): Promise<void> {
    await control.waitFor();
    // Of tabs and radio buttons Tab reaches the chosen one; the arrow keys lead to the others.
    const group = control.locator("xpath=ancestor::*[@role='tablist']");
    const isTab = (await control.getAttribute("role")) === "tab";
    const entry = isTab ? group.locator("[aria-selected=true]") : control;
    for (let step = 0; !(await isFocused(entry)); step += 1) {
      if (step > 80) throw new Error(`Tab does not reach ${String(control)}`);
      await page.keyboard.press("Tab");
    }
    for (let step = 0; isTab && !(await isFocused(control)); step += 1) {
      if (step > 10) throw new Error(`The arrow keys do not reach ${String(control)}`);
      await page.keyboard.press("ArrowRight");
    }
  }
  return {
    press: async (control) => {
      // A busy button accepts no key. The mouse waits for it by itself.
      await control.and(page.locator(":not([aria-disabled=true]):not([disabled])")).waitFor();
      await reach(control);
      const isSwitch = (await control.getAttribute("role")) === "switch";
      await page.keyboard.press(isSwitch ? "Space" : "Enter");
    },
    enter: async (field, text) => {
      await reach(field);
      await page.keyboard.press("ControlOrMeta+A");
      await page.keyboard.insertText(text);
    },
    choose: async (wanted, chosen) => {
      await reach(chosen);
      for (let step = 0; step < 3 && !(await wanted.isChecked()); step += 1) await page.keyboard.press("ArrowLeft");
    },
  };
}

async function setUp(
  { topology, admin }: Testbed,
  { page, guard }: Visit,
  hand: Hand,
  inspect: (step: string) => Promise<void>,
  isTvKnown = false,
): Promise<void> {
  const { start, tunnels } = en;
  const isAt = (step: keyof typeof start.titles) => page.getByRole("heading", { name: start.titles[step] }).waitFor();
  const press = (name: string | RegExp) => hand.press(page.getByRole("button", { name, exact: true }));
  const configuration = join(dirname(topology.folders.state), "portcullis.yaml");
  const { gateway } = topology.net;
  /** What an undone setup leaves as it was. */
  const stateOfMachine = async () => [
    readFileSync(configuration, "utf8"),
    await gateway.run("nft", "list", "tables"),
    await gateway.run("ip", "-brief", "address"),
    await gateway.run("ip", "rule"),
    await gateway.run("sysctl", "net.ipv4.ip_forward"),
  ];
  const amsterdam = await topology.wireguardServer("Amsterdam");
  const tv = await topology.net.device("tv", 1);
  if (isTvKnown) await topology.api.ok("POST", "/devices", { name: "Kitchen TV", mac: tv.mac });

  const code = readFileSync(join(topology.folders.state, "setup-code"), "utf8").trim();
  await page.goto(`/start#setup=${code}`);
  await isAt("account");
  await hand.enter(page.getByLabel(start.username, { exact: true }), admin.username);
  await hand.enter(page.getByLabel(start.password, { exact: true }), admin.password);
  await hand.enter(page.getByLabel(start.again, { exact: true }), admin.password);
  await press(start.makeAccount);

  await isAt("network");
  const untouched = await stateOfMachine();
  const plan = page.getByRole("region", { name: t.plan });
  await plan.getByText("network.wan_iface: eth0 → wan0").waitFor();
  await plan.getByText(t.keepsAddress("10.0.0.1/24", "lan0")).waitFor();
  await plan.getByText(t.noLeases("lan0")).waitFor();
  // A port of the default route is refused as LAN, with those that are possible.
  const role = (port: string, name: string) =>
    page.getByRole("group", { name: port }).getByLabel(name, { exact: true });
  await hand.choose(role("wan1", t.roles.lan), role("wan1", t.roles.unused));
  await page.getByText("must not be the interface of the default route").first().waitFor();
  await hand.choose(role("lan0", t.roles.lan), role("lan0", t.roles.unused));
  await hand.press(page.getByRole("switch", { name: t.dhcp }));
  await plan.getByText(/DHCP leases 10\.0\.0\.\d+ to/).waitFor();
  await inspect("ports");
  expect(await stateOfMachine()).toEqual(untouched);

  const tryIt = /^Try for/;
  await press(tryIt);
  await page.getByRole("region", { name: t.trial }).waitFor();
  await inspect("trial");
  expect(await gateway.run("nft", "list", "tables")).toContain("portcullis_guard");
  await press(t.undo);
  await plan.getByText("network.wan_iface: eth0 → wan0").waitFor();
  await until("the machine is as it was", async () => (await stateOfMachine()).join() === untouched.join());

  await press(tryIt);
  await page.getByRole("region", { name: t.trial }).waitFor();
  // Requests of a page fail while the daemon starts again.
  guard.complaints();
  await press(t.confirm);
  await page.getByText(t.isConfirmed).waitFor();
  expect(await topology.api.ok("GET", "/enforcement")).toMatchObject({
    state: "confirmed",
    confirmed_by: admin.username,
    confirmed_how: expect.stringContaining("10.0.0.10"),
  });
  await inspect("confirmed");
  expect(guard.complaints().filter((it) => !it.includes("409 (Conflict)"))).toEqual([]);
  await press(start.next);

  await isAt("tunnel");
  await press(start.importTunnel);
  const dialog = page.getByRole("dialog", { name: tunnels.importOne });
  await hand.press(dialog.getByRole("tab", { name: tunnels.byPaste }));
  await hand.enter(dialog.getByLabel(tunnels.pasteHere), amsterdam.file);
  await hand.enter(dialog.getByLabel(tunnels.name), "Amsterdam");
  await hand.press(dialog.getByRole("button", { name: tunnels.importMany(1), exact: true }));
  await hand.press(dialog.getByRole("button", { name: tunnels.switchItOn }));
  await dialog.getByText(tunnels.isConnected).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await press(start.next);

  await isAt("filters");
  await inspect("filters");
  await press(start.addLists(2));
  await page.getByRole("button", { name: start.next, exact: true }).waitFor();
  const lists = (await topology.api.ok("GET", "/dns/presets")) as readonly { readonly name: string }[];
  expect(lists.map(({ name }) => name).toSorted()).toEqual(["OISD small", "URLhaus"]);
  await press(start.next);

  await isAt("classes");
  await press(start.tryIt);
  await isAt("proof");
  await page.getByText(start.inForce(true)).waitFor();
  await page.getByRole("region", { name: start.leakCheck }).getByRole("button", { name: start.checkAgain }).waitFor();
  await until("the leak check has run", async () => (await page.getByText(start.leakRuns).count()) === 0);
  // A check of no device is not shown as passed.
  const { verdicts, check } = en.privacy;
  await page.getByText(isTvKnown ? check.sentences["no-leak"](1) : check.noDevices).waitFor();
  expect(await page.getByText(verdicts["no-leak"], { exact: true }).count()).toBe(isTvKnown ? 1 : 0);
  await inspect("proof");
  await press(start.keepAndFinish);
  await page.getByRole("region", { name: en.home.verdict }).waitFor();

  await tv.sendTraffic(50);
  await until("the TV leaves in Amsterdam", async () => {
    const { udp } = await topology.net.webReport();
    return Object.keys(udp["tv-4"]?.egresses ?? {}).join() === amsterdam.site.v4;
  });
}
