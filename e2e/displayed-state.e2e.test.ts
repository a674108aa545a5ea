import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { queryOnce } from "../lab/dns-load.ts";
import { hopOf, type HopServer } from "../lab/topology-hops.ts";
import { gatewayAddress } from "../lab/topology-dns.ts";
import type { Device } from "../lab/topology-devices.ts";
import { until } from "../testing/deadline.ts";
import { en } from "../web/src/i18n/en/en.ts";
import type { Visit } from "./browser.ts";
import { guestLan, type Testbed, openTestbed } from "./testbed.ts";
import { go, signIn } from "./steps.ts";

/*
 * The interface is compared with a gateway that is really brought into each state: without devices, without internet
 * access, with filtering off, with a shadowed policy, with a tunnel that is down, with a leak, and unreachable.
 */
let testbed: Testbed;
let visit: Visit;
let amsterdam: HopServer;
let device: Device;
let tv: string;
const policies: Record<string, string> = {};

beforeAll(async () => {
  testbed = await openTestbed({ names: true, guests: true });
  amsterdam = await testbed.topology.wireguard("Amsterdam");
  device = await testbed.topology.net.device("tv", 1);
  await device.sendTraffic(20);
  visit = await testbed.browser.visit();
  await signIn(visit.page, testbed.admin);
});
afterAll(async () => {
  await visit?.[Symbol.asyncDispose]();
  await testbed?.[Symbol.asyncDispose]();
});

const ok = (method: string, path: string, body?: object) => testbed.topology.api.ok(method, path, body);
const made = async (path: string, body: object) => ((await ok("POST", path, body)) as { readonly id: string }).id;

async function policy(name: string, body: object): Promise<void> {
  policies[name] = await made("/routing/policies", { name, ...body });
}
const forTv = { source_type: "device", source_value: "Kitchen TV" };

const verdict = (page: Page) => page.getByRole("region", { name: en.home.verdict });
const exits = (page: Page) => page.getByRole("region", { name: en.home.exits });

/** Opens the home page with the paths of the exits, and waits for its verdict. */
async function expectVerdict(title: string): Promise<void> {
  const { page } = visit;
  await page.goto("/?view=paths");
  await verdict(page).getByText(title).waitFor();
}
const isGreen = async (page: Page) => (await page.locator(".verdict.protected").count()) > 0;
const verdictTitle = (kind: string, more: object = {}) => en.home.verdicts({ kind, ...more }).title;

test("home page: not green without devices while unknown devices are blocked, and it gives the reason", async () => {
  const { page } = visit;
  await policy("Everything else", { source_type: "all", priority: 100, hops: [], fail_policy: "fail-closed" });
  await testbed.topology.apply();
  await expectVerdict(verdictTitle("no device"));
  await verdict(page)
    .getByText(en.home.verdicts({ kind: "no device", unknown: "blocked" }).detail)
    .waitFor();
  expect(await isGreen(page)).toBe(false);
  await go(page, "/devices");
  await page.getByText(en.devices.none).waitFor();
  await go(page, "/routing");
  await page.getByText(en.routing.orderHint).waitFor();
});

test("home page: reports that no device has internet access when the only known device is blocked", async () => {
  const { page } = visit;
  await go(page, "/devices");
  const unknown = page.getByRole("listitem").filter({ hasText: "02:00:00:00:00:01" });
  await unknown.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: en.devices.unknown.identify }).click();
  const dialog = page.getByRole("dialog", { name: en.devices.form.add });
  await dialog.getByLabel(en.devices.form.name, { exact: true }).fill("Kitchen TV");
  await dialog.getByRole("button", { name: en.ui.add, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await unknown.waitFor({ state: "detached" });
  const [known] = (await ok("GET", "/devices")) as { readonly id: string; readonly mac: string }[];
  expect(known?.mac).toBe("02:00:00:00:00:01");
  tv = known!.id;
  await ok("PUT", `/devices/${tv}`, { ips: ["10.0.0.2"] });
  await expectVerdict(verdictTitle("no internet"));
  expect(await isGreen(page)).toBe(false);
});

test("home page: green with a raised gate for a device behind a tunnel that is up", async () => {
  const { page } = visit;
  await policy("TV abroad", { ...forTv, priority: 10, hops: [hopOf(amsterdam)], fail_policy: "fail-open" });
  await testbed.topology.apply();
  await until("the tunnel is up", async () => (await statusOf(amsterdam)) === "up", 20);
  await expectVerdict(verdictTitle("protected"));
  expect(await isGreen(page)).toBe(true);
  await exits(page).locator(".ribbon.protected .icon.protected").first().waitFor();
});

test("filtering off: shown on every page, keeps the home page from being green, and Resume ends it", async () => {
  const { page } = visit;
  await ok("PUT", "/dns/options", { filtering_enabled: false });
  await expectVerdict(verdictTitle("filtering off"));
  expect(await isGreen(page)).toBe(false);
  await go(page, "/tunnels");
  const strip = page.getByRole("region", { name: en.shell.filtering.off });
  await strip.getByRole("button", { name: en.shell.filtering.resume }).click();
  await strip.waitFor({ state: "detached" });
  expect(await ok("GET", "/dns/options")).toMatchObject({ filtering_enabled: true });
  await expectVerdict(verdictTitle("protected"));
});

test("DHCP: a range is refused with its reason, served after a correction, and removed", async () => {
  const { page } = visit;
  const { dhcp: t } = en;
  await go(page, "/network");
  const card = page.getByRole("region", { name: t.title, exact: true });
  await card.getByText(t.none).waitFor();
  await card.getByRole("button", { name: t.add }).click();
  const dialog = page.getByRole("dialog", { name: t.add });
  await dialog.getByLabel(t.first, { exact: true }).fill("10.0.0.200");
  await dialog.getByLabel(t.last, { exact: true }).fill("10.0.0.100");
  await dialog.getByRole("button", { name: en.ui.save, exact: true }).click();
  await dialog.getByText(/^Must not be before first/).waitFor();
  await dialog.getByLabel(t.last, { exact: true }).fill("10.0.0.240");
  await dialog.getByRole("button", { name: en.ui.save, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await card.getByText(t.statuses.serving, { exact: true }).waitFor();
  await card.getByText(t.noLeases).waitFor();
  expect(await ok("GET", "/dhcp")).toMatchObject({ ranges: [{ first: "10.0.0.200", status: "serving" }] });
  const [range] = ((await ok("GET", "/dhcp")) as { readonly ranges: readonly { readonly interface: string }[] }).ranges;
  await card.getByRole("button", { name: t.remove(range!.interface) }).click();
  const confirmation = page.getByRole("alertdialog").or(page.getByRole("dialog", { name: t.remove(range!.interface) }));
  await confirmation.getByRole("button", { name: t.remove(range!.interface) }).click();
  await card.getByText(t.none).waitFor();
  expect(await ok("GET", "/dhcp")).toEqual({ ranges: [] });
});

test("router advertisements: an interface is advertised on, a device without a MAC stops that with a reason, and it is removed", async () => {
  const { page } = visit;
  const { routerAdvertisements: t } = en;
  await go(page, "/network");
  const card = page.getByRole("region", { name: t.title, exact: true });
  await card.getByText(t.none).waitFor();
  await card.getByRole("button", { name: t.add }).click();
  const dialog = page.getByRole("dialog", { name: t.add });
  await dialog.getByLabel(t.interface, { exact: true }).selectOption("lan0");
  await dialog.getByLabel(t.lifetime_sec.label, { exact: true }).fill("10");
  await dialog.getByRole("button", { name: en.ui.save, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await card.getByText(t.statuses.advertising, { exact: true }).waitFor();
  const path = "/router-advertisements";
  expect(await ok("GET", path)).toMatchObject({ interfaces: [{ interface: "lan0", lifetime_sec: 600 }] });
  const { id } = (await ok("POST", "/devices", { name: "Old NAS", ips: ["10.0.0.201"] })) as { id: string };
  await card.getByText("The device 10.0.0.201 has no MAC", { exact: false }).waitFor();
  await card.getByText(t.statuses.failed, { exact: true }).waitFor();
  await ok("DELETE", `/devices/${id}`);
  await card.getByText(t.statuses.advertising, { exact: true }).waitFor();
  await card.getByRole("button", { name: t.remove("lan0") }).click();
  const confirmation = page.getByRole("alertdialog").or(page.getByRole("dialog", { name: t.remove("lan0") }));
  await confirmation.getByRole("button", { name: t.remove("lan0") }).click();
  await card.getByText(t.none).waitFor();
  expect(await ok("GET", path)).toEqual({ interfaces: [] });
});

test("segments: a name and what it reaches are saved, shown, and in force", async () => {
  const { page } = visit;
  const { segments: t } = en;
  const pairs = () => testbed.topology.net.gateway.run("nft", "list", "set", "inet", "portcullis_guard", "lan_pairs");
  expect(await pairs()).not.toContain(`"lan0" . "${guestLan}"`);
  await go(page, "/network");
  const card = page.getByRole("region", { name: t.title, exact: true });
  await card.getByText(t.isolated).waitFor();
  for (const [segment, name] of [
    [guestLan, "Guests"],
    ["lan0", "Home"],
  ] as const) {
    await card.getByRole("button", { name: t.edit(segment) }).click();
    const dialog = page.getByRole("dialog", { name: t.edit(segment) });
    await dialog.getByLabel(t.name, { exact: true }).fill(name);
    if (segment === "lan0") await dialog.getByLabel(t.reachesOther("Guests")).check();
    await dialog.getByRole("button", { name: en.ui.save, exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  }
  await card.getByRole("row", { name: /Home.*lan0.*Guests/ }).waitFor();
  expect(await ok("GET", "/segments/Home")).toMatchObject({ interface: "lan0", reaches: ["Guests"] });
  expect(await pairs()).toContain(`"lan0" . "${guestLan}"`);
  expect(await pairs()).not.toContain(`"${guestLan}" . "lan0"`);
});

test("rows with Block buttons: keep their order under the pointer and move when it leaves", async () => {
  const { page } = visit;
  const query = async (name: string, times: number) => {
    for (let left = times; left > 0; left -= 1) await queryOnce(device, gatewayAddress.v4, name);
    await until(`${name} is in the log`, async () => {
      const log = (await ok("GET", `/dns/log?client=${tv}&name=${name}&limit=100`)) as readonly object[];
      return log.length >= times;
    });
  };
  await query("first.fresh.lab", 2);
  await go(page, `/devices/${tv}`);
  const rows = page.getByRole("table", { name: en.device.names.top }).getByRole("row").filter({ hasText: "fresh.lab" });
  const top = async () => (await rows.first().textContent()) ?? "";
  await until("the first domain is on top", async () => (await top()).includes("first.fresh.lab"));
  await rows
    .first()
    .getByRole("button", { name: en.device.names.judge("first.fresh.lab") })
    .hover();
  await query("second.fresh.lab", 5);
  const isAboutTv = (url: string) => url.includes("/dns/log") && url.includes(tv);
  for (let reading = 0; reading < 2; reading += 1) await page.waitForResponse((it) => isAboutTv(it.url()));
  expect(await top()).toContain("first.fresh.lab");
  await page.mouse.move(5, 5);
  await until("the second domain is on top", async () => (await top()).includes("second.fresh.lab"));
});

test("ribbon: a direct path has no gate and mentions no hops", async () => {
  const { page } = visit;
  const printer = { source_type: "device", source_value: "Printer" };
  const id = await made("/devices", { name: "Printer", ips: ["10.0.0.5"] });
  await policy("Printer", { ...printer, priority: 20, hops: [{ type: "interface", target: "wan0" }] });
  await testbed.topology.apply();
  await expectVerdict(verdictTitle("some direct", { exposed: 1, all: 2 }));
  const ribbon = exits(page).locator(".ribbon.direct");
  await ribbon.getByText("Printer").waitFor();
  expect(await ribbon.locator(".ribbon-line .icon").count()).toBe(0);
  expect(await ribbon.locator(".ribbon-line.dotted").count()).toBe(2);
  expect(await page.getByText("every hop is up").count()).toBe(0);
  await ok("DELETE", `/routing/policies/${policies["Printer"]}`);
  await testbed.topology.apply();
  await ok("DELETE", `/devices/${id}`);
});

test("shadowed policy: not used, without ribbon and green state, and can be moved above the other one", async () => {
  const { page } = visit;
  await policy("TV later", { ...forTv, priority: 15, hops: [hopOf(amsterdam)], fail_policy: "fail-closed" });
  await testbed.topology.apply();
  await expectVerdict(verdictTitle("protected"));
  await exits(page).getByText(en.home.notUsed("TV later", "TV abroad")).waitFor();
  expect(await exits(page).locator(".ribbon").getByText("TV later").count()).toBe(0);
  await go(page, "/tunnels");
  await page.getByRole("listitem").filter({ hasText: "TV later" }).getByText(en.tunnels.notUsed).waitFor();
  await go(page, "/routing");
  const row = page.getByRole("listitem").filter({ hasText: en.routing.findings.shadowed("“TV abroad”") });
  await row.getByText(en.routing.unused, { exact: true }).waitFor();
  expect(await row.locator(".state.protected").count()).toBe(0);
  await row.getByRole("button", { name: en.routing.findings.moveAbove("TV abroad") }).click();
  await page.getByText(en.routing.moved("TV later")).waitFor();
  const listed = (await ok("GET", "/routing/policies")) as { readonly name: string; readonly priority: number }[];
  const [first] = listed.toSorted((a, b) => a.priority - b.priority);
  expect(first?.name).toBe("TV later");
  await ok("DELETE", `/routing/policies/${policies["TV later"]}`);
  await ok("PUT", `/routing/policies/${policies["TV abroad"]}`, { priority: 10 });
  await testbed.topology.apply();
});

test("leak: shown first, red, past the tunnel, and the device can be blocked at once", async () => {
  const { page } = visit;
  const { gateway } = testbed.topology.net;
  await gateway.run(
    "nft",
    "table inet other { chain c { type filter hook prerouting priority -100; ip saddr 10.0.0.2 meta mark set 0x80000001; }; }",
  );
  await ok("POST", "/privacy/leak-check", {});
  await expectVerdict(verdictTitle("found leaking", { leaking: 1 }));
  await exits(page).locator("li").first().locator(".ribbon-bypass.leaking").waitFor();
  const matter = page.getByRole("listitem").filter({ hasText: en.home.leaks("Kitchen TV") });
  await matter.getByRole("button", { name: en.home.blockNow }).click();
  await page.getByText(en.home.deviceBlocked("Kitchen TV")).waitFor();
  await until("it is quarantined", async () => (await stateOfTv()) === "quarantined");
  expect(await ok("GET", "/policy/postures")).toMatchObject({ blocked: 1, protected: 0 });
  await gateway.run("nft", "delete table inet other");
  await ok("PUT", `/devices/${tv}`, { state: "known" });
  await ok("POST", "/privacy/leak-check", {});
  await expectVerdict(verdictTitle("protected"));
});

test("fail-open policy with its tunnel down: drawn as direct past the tunnel, and can be blocked", async () => {
  const { page } = visit;
  await amsterdam.kill();
  await expectVerdict(verdictTitle("fallback", { policies: ["TV abroad"] }));
  expect(await isGreen(page)).toBe(false);
  await exits(page).locator("li").first().locator(".ribbon-bypass.dotted").waitFor();
  expect(await page.locator(".verdict.leaking").count()).toBe(0);
  const matter = page.getByRole("listitem").filter({ hasText: en.home.fallsBack("TV abroad") });
  await matter.getByText(en.home.fallsBackDetail("Amsterdam")).waitFor();
  await matter.getByRole("link", { name: en.home.fallsBack("TV abroad") }).click();
  await page.getByRole("dialog", { name: en.routing.editor.editTitle("TV abroad") }).waitFor();
  await expectVerdict(verdictTitle("fallback", { policies: ["TV abroad"] }));
  await matter.getByRole("button", { name: en.home.blockNow }).click();
  await page.getByRole("region", { name: en.shell.pending.waits(1) }).waitFor();
  await verdict(page).getByText(verdictTitle("no internet")).waitFor();
  await page.getByRole("button", { name: en.shell.pending.keep, exact: true }).click();
  await page.getByText(en.shell.pending.kept).waitFor();
  // The network page shows the tunnel's state for its interface.
  await go(page, "/network");
  const row = page
    .getByRole("table", { name: en.network.interfaces })
    .getByRole("row")
    .filter({ hasText: "Amsterdam" });
  await row.locator("span.state.blocked").waitFor();
  expect(await row.getByText(en.network.plugged).count()).toBe(0);
});

test("unreachable gateway: the verdict gives the time, and no state keeps its colour", async () => {
  const { page } = visit;
  await page.goto("/");
  await verdict(page).getByText(verdictTitle("no internet")).waitFor();
  await testbed.topology.stop();
  await verdict(page).getByText("Gateway not reachable since").waitFor();
  await page.getByRole("region", { name: "Gateway not reachable since" }).waitFor();
  expect(await page.locator(".icon.protected, .state.protected, .ribbon.protected, .ribbon-line.open").count()).toBe(0);
  expect(await page.getByText("Failed to fetch").count()).toBe(0);
  await testbed.topology.restart();
  await verdict(page).getByText("Gateway not reachable since").waitFor({ state: "detached" });
});

async function statusOf({ id }: HopServer): Promise<string> {
  return ((await ok("GET", `/tunnels/${id}`)) as { readonly status: string }).status;
}
async function stateOfTv(): Promise<string> {
  return ((await ok("GET", `/devices/${tv}`)) as { readonly state: string }).state;
}
