import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import { wireguardConfig } from "../testing/tunnels.ts";
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
const ok = (...call: Parameters<typeof testbed.topology.api.ok>) => testbed.topology.api.ok(...call);

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

const texts = { belongings: en.devices.belongings, rules: en.dns.rules, resolvers: en.dns.resolvers };
type Fields = readonly (readonly [label: string, text: string])[];

test.each<[what: string, path: string, fields: Fields, action: string, list: string, expected: object]>([
  [
    "a privacy class",
    "/devices?tab=groups&do=privacy-class",
    [[texts.belongings.name, "Strict"]],
    en.ui.add,
    "/privacy-classes",
    {
      name: "Strict",
      require_tunnel: true,
      force_dns: true,
      block_ipv6: false,
      dns_mode: "system",
      log_level: "counts",
    },
  ],
  [
    "a trust class",
    "/devices?tab=groups&do=trust-class",
    [
      [texts.belongings.name, "Guests"],
      [texts.belongings.trust.level, "20"],
    ],
    en.ui.add,
    "/trust-classes",
    { name: "Guests", level: 20, default_privacy_class: null },
  ],
  [
    "a filter rule",
    "/dns?tab=rules&do=rule",
    [
      [texts.rules.name, "Ads"],
      [texts.rules.pattern, "ads.example"],
    ],
    en.ui.add,
    "/dns/filter-rules",
    { name: "Ads", action: "block", match: "suffix", source_type: "everyone", enabled: true },
  ],
  [
    "a rewrite",
    "/dns?tab=rules&do=rewrite",
    [
      [texts.rules.domain, "nas.example"],
      [texts.rules.values.A, "192.0.2.7"],
    ],
    en.ui.add,
    "/dns/rewrites",
    { domain: "nas.example", match: "exact", answer: "A", value: "192.0.2.7", enabled: true },
  ],
  [
    "a forwarder",
    "/dns?tab=resolvers&do=add",
    [
      [texts.resolvers.name, "Office"],
      [texts.resolvers.address, "192.0.2.9"],
      [`${texts.resolvers.domains} (${en.ui.optional})`, "corp.example, lab.example"],
    ],
    en.ui.add,
    "/dns/forwarders",
    { name: "Office", protocol: "plain", port: null, priority: 100, domains: ["corp.example", "lab.example"] },
  ],
  [
    "a secret",
    "/settings?do=secret",
    [
      [en.settings.name, "Token"],
      [en.settings.value, "only for this test"],
    ],
    en.settings.keep,
    "/secrets",
    { name: "Token" },
  ],
  [
    "a bridge",
    "/bridges?do=add",
    [
      [en.bridges.name, "Ports"],
      [en.bridges.members, "eth8, eth9"],
    ],
    en.ui.add,
    "/bridges",
    { name: "Ports", members: ["eth8", "eth9"], stp: false, enabled: true },
  ],
  [
    "a device",
    "/devices?do=add",
    [
      [en.devices.form.name, "Printer"],
      [`${en.devices.form.mac} (${en.ui.optional})`, "02:00:00:00:77:01"],
      [`${en.devices.form.addresses} (${en.ui.optional})`, "192.0.2.77, 192.0.2.78"],
    ],
    en.ui.add,
    "/devices",
    { name: "Printer", mac: "02:00:00:00:77:01", hostname: null, ips: ["192.0.2.77", "192.0.2.78"], notes: "" },
  ],
  [
    "a local proxy",
    "/proxies?do=add",
    [
      [en.proxies.name, "Desk"],
      [en.proxies.listen, "127.0.0.1:1080"],
      [en.proxies.username, "me"],
      [en.proxies.password, "only for this test"],
    ],
    en.ui.add,
    "/proxies",
    { name: "Desk", kind: "local", listen: "127.0.0.1:1080", address: null, username: "me", has_password: true },
  ],
])(
  "generated form: %s is saved with the values that its dialog shows",
  async (_, path, fields, action, list, expected) => {
    const dialog = await openDialog(path);
    for (const [label, text] of fields) await field(dialog, label).fill(text);
    expect(await barriers(page)).toEqual([]);
    await press(dialog, action);
    await dialog.waitFor({ state: "detached" });
    expect(await ok("GET", list)).toContainEqual(expect.objectContaining(expected));
  },
);

test("generated form: fields of one choice are shown with it, and a scope is chosen by kind and name", async () => {
  const dialog = await openDialog("/dns?tab=rules&do=rewrite");
  await field(dialog, texts.rules.domain).fill("gone.example");
  await field(dialog, texts.rules.answer).selectOption({ label: texts.rules.answers.NXDOMAIN });
  await field(dialog, texts.rules.values.A).waitFor({ state: "detached" });
  await field(dialog, en.dns.scope.label).selectOption({ label: en.dns.scope.types.subnet });
  await field(dialog, en.dns.scope.types.subnet).fill("10.0.20.0/24");
  await press(dialog, en.ui.add);
  await dialog.waitFor({ state: "detached" });
  expect(await ok("GET", "/dns/rewrites")).toContainEqual(
    expect.objectContaining({ domain: "gone.example", answer: "NXDOMAIN", value: "", source_value: "10.0.20.0/24" }),
  );
});

test("generated form: what was typed into a field that another choice hides is not sent", async () => {
  const sent = requests("POST");
  const dialog = await openDialog("/proxies?do=add");
  await field(dialog, en.proxies.name).fill("Elsewhere");
  await field(dialog, en.proxies.listen).fill("127.0.0.1:1081");
  await field(dialog, en.proxies.kind).selectOption({ label: en.proxies.kinds.upstream });
  await field(dialog, en.proxies.address).fill("203.0.113.9:1080");
  await press(dialog, en.ui.add);
  await dialog.waitFor({ state: "detached" });
  expect(sent).toEqual([
    { kind: "upstream", name: "Elsewhere", address: "203.0.113.9:1080", username: null, enabled: true },
  ]);
});

test("generated form: a proxy that loses its user loses its password, and keeps it with any other change", async () => {
  const [proxy] = (await ok("GET", "/proxies?kind=local")) as readonly { readonly id: string }[];
  const sent = requests("PUT");
  const change = async (label: string, text: string) => {
    const dialog = await openDialog(`/proxies?do=edit:${proxy!.id}`);
    await field(dialog, label).fill(text);
    await press(dialog, en.ui.save);
    return dialog;
  };
  await (await change(en.proxies.listen, "127.0.0.1:1082")).waitFor({ state: "detached" });
  expect(await ok("GET", `/proxies/${proxy!.id}`)).toMatchObject({ listen: "127.0.0.1:1082", has_password: true });
  await (await change(en.proxies.username, "")).waitFor({ state: "detached" });
  expect(sent).toEqual([{ listen: "127.0.0.1:1082" }, { username: null, password: null }]);
  // It has no tunnel: without a password it is not opened to the uplink.
  // It is healthy until its program is stopped.
  await expect
    .poll(() => ok("GET", `/proxies/${proxy!.id}`), { timeout: 20_000 })
    .toMatchObject({ username: null, has_password: false, healthy: false });
});

test("generated form: a key is created with the name, role and expiry of its dialog, and shown once", async () => {
  const dialog = await openDialog("/access?do=add");
  await field(dialog, en.access.name).fill("Backup");
  await field(dialog, en.access.role).selectOption({ label: en.shell.roles.operator });
  await field(dialog, en.access.lasts).selectOption({ label: en.access.lasting.forever });
  await press(dialog, en.access.make);
  await dialog.getByText(en.access.once).waitFor();
  await press(dialog, en.access.done);
  await dialog.waitFor({ state: "detached" });
  expect(await ok("GET", "/auth/keys")).toContainEqual(
    expect.objectContaining({ name: "Backup", role: "operator", expires_at: null }),
  );
});

test("generated form: an exception takes effect for the device and the time of its dialog", async () => {
  const [device] = (await ok("GET", "/devices")) as readonly { readonly id: string }[];
  const dialog = await openDialog(`/devices/${device!.id}?do=exception`);
  const { exceptions: text } = en.device;
  await field(dialog, text.type).selectOption({ label: text.types["service-allowlist"] });
  await field(dialog, text.destinations).fill("203.0.113.0/24, 198.51.100.7");
  await field(dialog, text.lasts).selectOption({ label: text.durations[15] });
  expect(await barriers(page)).toEqual([]);
  await press(dialog, text.actions["service-allowlist"]);
  await dialog.waitFor({ state: "detached" });
  expect(await ok("GET", "/exceptions/active")).toMatchObject([
    {
      device_id: device!.id,
      type: "service-allowlist",
      duration_min: 15,
      destinations: ["203.0.113.0/24", "198.51.100.7"],
    },
  ]);
});

test("generated form: identifying a device without a change marks it as known", async () => {
  const { id } = (await ok("POST", "/devices", { name: "Found", mac: "02:00:00:00:77:02", state: "new" })) as {
    readonly id: string;
  };
  const dialog = await openDialog(`/devices/${id}?do=who`);
  await press(dialog, en.devices.form.known);
  await dialog.waitFor({ state: "detached" });
  expect(await ok("GET", `/devices/${id}`)).toMatchObject({ name: "Found", state: "known" });
});

test("generated form: cover traffic is added to the pool with its target, and switched off", async () => {
  const config = wireguardConfig();
  const tunnel = (await ok("POST", "/tunnels", { name: "Amsterdam", type: "wireguard", enabled: false, config })) as {
    readonly id: string;
  };
  const dialog = await openDialog("/splitting?do=add");
  const { splitting: text } = en;
  await field(dialog, text.tunnel).selectOption({ label: "Amsterdam" });
  await field(dialog, text.role).selectOption({ label: text.roles.cover });
  await field(dialog, text.target).fill("192.0.2.1");
  await press(dialog, en.ui.add);
  await dialog.waitFor({ state: "detached" });
  expect(await ok("GET", "/splitting/endpoints")).toMatchObject([
    { tunnel_id: tunnel.id, role: "cover", target: "192.0.2.1", bytes_per_second: 1024, enabled: false },
  ]);
});

test("generated form: settings of a tunnel are changed, with an address, a word and nothing as the target of its probes", async () => {
  const config = wireguardConfig();
  const { id } = (await ok("POST", "/tunnels", { name: "Oslo", type: "wireguard", enabled: false, config })) as {
    readonly id: string;
  };
  for (const [typed, stored] of [
    ["203.0.113.9", "203.0.113.9"],
    ["none", "none"],
    ["", null],
  ] as const) {
    const dialog = await openDialog(`/tunnels?do=edit:${id}`);
    await dialog.getByLabel(en.tunnels.probeTarget).fill(typed);
    await press(dialog, en.ui.save);
    await dialog.waitFor({ state: "detached" });
    expect(await ok("GET", `/tunnels/${id}`)).toMatchObject({ name: "Oslo", probe_target: stored });
  }
});

test("generated form: a monitor without echo services is saved with one changed field", async () => {
  const sent = requests("PUT");
  const dialog = await openDialog("/privacy?do=monitor");
  await field(dialog, en.privacy.monitor.settle).fill("12");
  await press(dialog, en.ui.save);
  await dialog.waitFor({ state: "detached" });
  expect(sent).toEqual([{ delay_sec: 12 }]);
});

test("services: one choice makes the rule of a service, and the rule of a category is shown at its services", async () => {
  await go(page, "/dns?tab=services");
  const rule = (name: string) => page.getByLabel(en.dns.services.actionFor(name), { exact: true });
  await rule("YouTube").selectOption("safe_search");
  await expect
    .poll(() => ok("GET", "/dns/filter-rules?name=youtube"))
    .toMatchObject([{ name: "YouTube: everyone", action: "safe_search", pattern: "youtube" }]);
  const { services } = en.dns;
  await rule(services.wholeCategory(services.categories.video)).selectOption("block");
  const netflix = page.getByRole("listitem").filter({ has: rule("Netflix") });
  await netflix.getByText(services.byCategory(services.actions.block), { exact: true }).waitFor();
  expect(await rule("Netflix").inputValue()).toBe("none");
  expect(await rule("YouTube").inputValue()).toBe("safe_search");
  expect(await barriers(page)).toEqual([]);
  await rule("YouTube").selectOption("none");
  await expect.poll(async () => ((await ok("GET", "/dns/filter-rules?name=youtube")) as unknown[]).length).toBe(0);
});
