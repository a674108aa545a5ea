import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "../../../../testing/gateway.ts";

const refused = async (call: Promise<unknown>) =>
  call.then(
    () => "accepted",
    (problem: { code: string; message: string }) => `${problem.code}: ${problem.message}`,
  );

const nothing = { force_dns: false, block_doh: false, block_ipv6: false, block_webrtc: false };
const switches = [
  ["forceDns", "force_dns"],
  ["blockDoh", "block_doh"],
  ["blockIpv6", "block_ipv6"],
  ["blockWebrtc", "block_webrtc"],
] as const;

/** A phone with a class of its own, a lamp that has one by its trust class, and a printer that has none. */
async function fixture({ client }: TestGateway) {
  const lenient = { dns_mode: "device", ...nothing } as const;
  const strict = await client.privacyClasses.create({ body: { name: "Strict", ...lenient, block_ipv6: true } });
  const loose = await client.privacyClasses.create({ body: { name: "Loose", ...lenient } });
  const guest = await client.trustClasses.create({ body: { name: "Guest", default_privacy_class: loose.id } });
  const phone = await client.devices.create({ body: { name: "Phone", privacy_class: strict.id } });
  const lamp = await client.devices.create({ body: { name: "Lamp", trust_class: guest.id } });
  const printer = await client.devices.create({ body: { name: "Printer" } });
  return { strict, loose, phone, lamp, printer };
}

describe.each(switches)("privacy: %s", (call, control) => {
  test("of the system is inverted without a body, set with one, and audited", async () => {
    await using gateway = await startGateway();
    const { privacy, audit } = gateway.client;
    const systemDefaults = { control, scope: "system", device_id: null, privacy_class: null, enforced: false };
    expect(await privacy[call]()).toEqual({ ...systemDefaults, enabled: true, on: true });
    expect(await privacy[call]()).toEqual({ ...systemDefaults, enabled: false, on: false });
    expect(await privacy[call]({ body: { enabled: true } })).toEqual({ ...systemDefaults, enabled: true, on: true });
    expect(await privacy.status()).toMatchObject({ ...nothing, [control]: true });
    const { items } = await audit.list();
    expect(items.map(({ action, resource_id, details }) => [action, resource_id, details["fields"]])).toEqual(
      [
        [false, true],
        [true, false],
        [null, true],
      ].map(([before, after]) => [`switch_${control}`, "privacy", [{ field: control, before, after }]]),
    );
  });

  test("for a class holds for its devices, however they came by it, and for no other", async () => {
    await using gateway = await startGateway();
    const { privacy, privacyClasses, audit } = gateway.client;
    const { loose, phone, lamp } = await fixture(gateway);
    const own = (await privacy.status({ query: { device_id: phone.id } })).devices[0]!.controls;
    expect(await privacy[call]({ body: { privacy_class: "Loose", enabled: true } })).toEqual({
      control,
      scope: "class",
      device_id: null,
      privacy_class: loose.id,
      enforced: false,
      enabled: true,
      on: true,
    });
    const held = Object.fromEntries((await privacy.status()).devices.map(({ name, controls }) => [name, controls]));
    expect(held["Lamp"]![control]).toEqual({ on: true, from: "class" });
    expect(held["Printer"]![control]).toEqual({ on: false, from: "system" });
    expect(held["Phone"]).toEqual(own);
    expect((await privacyClasses.get({ params: { id: loose.id } }))[control]).toBe(true);
    expect((await privacy[call]({ body: { privacy_class: loose.id } })).enabled).toBe(false);
    expect((await audit.list({ query: { resource_id: loose.id, limit: 1 } })).items).toMatchObject([
      { action: `switch_${control}`, resource_type: control, details: { name: "Loose" } },
    ]);
    expect((await privacy.status({ query: { device_id: lamp.id } })).devices[0]!.controls[control].on).toBe(false);
  });

  test("of a device takes precedence over its class and the system, until it is removed", async () => {
    await using gateway = await startGateway();
    const { privacy, devices, audit } = gateway.client;
    const { phone } = await fixture(gateway);
    const held = async () => (await privacy.status({ query: { device_id: "Phone" } })).devices[0]!.controls[control];
    const before = await held();
    const device = { control, scope: "device", device_id: phone.id, privacy_class: null, enforced: false };
    const over = !before.on;
    expect(await privacy[call]({ body: { device_id: "Phone" } })).toEqual({ ...device, enabled: over, on: over });
    expect(await held()).toEqual({ on: over, from: "device" });
    expect((await devices.get({ params: { id: phone.id } }))[control]).toBe(over);
    await privacy[call]({ body: { enabled: !over } });
    expect(await held()).toEqual({ on: over, from: "device" });
    expect(await privacy[call]({ body: { device_id: phone.id, enabled: null } })).toEqual({
      ...device,
      enabled: null,
      on: before.on,
    });
    expect(await held()).toEqual(before);
    expect(await devices.get({ params: { id: phone.id } })).toEqual(phone);
    expect((await audit.list({ query: { resource_id: phone.id } })).items).toMatchObject([
      { action: `switch_${control}`, details: { name: "Phone", fields: [{ field: control, before: over }] } },
      { action: `switch_${control}`, details: { name: "Phone", fields: [{ field: control, after: over }] } },
      { action: "create_device" },
    ]);
  });

  test("says what it cannot do, and changes nothing then", async () => {
    await using gateway = await startGateway();
    const { privacy, status } = gateway.client;
    const { phone, strict } = await fixture(gateway);
    const { revision } = await status.status();
    const wrong = (body: object) => refused(privacy[call]({ body }));
    expect(await wrong({ device_id: phone.id, privacy_class: strict.id, enabled: true })).toContain(
      "invalid_request: body.privacy_class: and device_id exclude each other",
    );
    expect(await wrong({ enabled: null })).toContain("invalid_request: body.enabled: can be null for a device only");
    expect(await wrong({ privacy_class: "Strict", enabled: null })).toContain("invalid_request: body.enabled");
    expect(await wrong({ device_id: "unknown", enabled: true })).toContain("invalid_request");
    expect(await wrong({ privacy_class: "nothing", enabled: true })).toContain("invalid_request");
    expect(await wrong({ enabled: "yes" })).toContain("invalid_request");
    expect(await wrong({ device: phone.id })).toContain("invalid_request");
    expect((await status.status()).revision).toBe(revision);
    expect(await wrong({ device_id: phone.id, enabled: true })).toBe("accepted");
  });

  test("said again changes nothing, and writes nothing down", async () => {
    await using gateway = await startGateway();
    const { privacy, audit } = gateway.client;
    await fixture(gateway);
    for (const body of [{ enabled: true }, { device_id: "Lamp", enabled: true }, { device_id: "Phone", enabled: null }])
      await privacy[call]({ body });
    const { total } = await audit.list();
    for (const body of [{ enabled: true }, { device_id: "Lamp", enabled: true }, { device_id: "Phone", enabled: null }])
      expect(await privacy[call]({ body })).toMatchObject({ enabled: body.enabled });
    expect((await audit.list()).total).toBe(total);
  });
});

describe("privacy: who decides which resolver answers", () => {
  test("is device by default, and is restored by a rollback", async () => {
    await using gateway = await startGateway();
    const { privacy, audit, changes, snapshots } = gateway.client;
    expect(await privacy.getDnsMode()).toEqual({ mode: "device" });
    await privacy.blockDoh();
    const { id } = (await changes.show()).applied;
    expect(await privacy.putDnsMode({ body: { mode: "system" } })).toEqual({ mode: "system", enforced: false });
    expect(await privacy.getDnsMode()).toEqual({ mode: "system" });
    expect((await audit.list({ query: { limit: 1 } })).items).toMatchObject([
      { action: "update_dns_mode", resource_id: "privacy", resource_type: "dns_mode" },
    ]);
    expect(await refused(privacy.putDnsMode({ body: { mode: "unknown" as "off" } }))).toContain("invalid_request");
    await snapshots.rollback({ body: { snapshot: id } });
    expect(await privacy.status()).toMatchObject({ dns_mode: "device", block_doh: true });
  });

  test.each([
    ["system", true],
    ["off", false],
  ] as const)("when it is %s, forced DNS rests, and switching it over is refused", async (mode, on) => {
    await using gateway = await startGateway();
    const { privacy } = gateway.client;
    const { printer } = await fixture(gateway);
    await privacy.putDnsMode({ body: { mode } });
    const conflict = `conflict: dns_mode is ${mode}`;
    expect(await refused(privacy.forceDns())).toContain(conflict);
    expect(await privacy.forceDns({ body: { enabled: !on } })).toMatchObject({ enabled: !on, on });
    const row = async () => (await privacy.status({ query: { device_id: printer.id } })).devices[0]!.controls;
    expect((await row()).force_dns).toEqual({ on, from: "system" });
    expect(await privacy.forceDns({ body: { device_id: printer.id } })).toMatchObject({ enabled: !on, on: !on });
    expect((await row()).force_dns).toEqual({ on: !on, from: "device" });
    await gateway.client.privacyClasses.create({ body: { name: "Other", dns_mode: mode } });
    expect(await refused(privacy.forceDns({ body: { privacy_class: "Other" } }))).toContain(conflict);
    expect(await privacy.blockDoh({ body: { privacy_class: "Other" } })).toMatchObject({ on: false });
  });
});

test("privacy status: each device has its posture, the reason and its controls", async () => {
  await using gateway = await startGateway({ config: { network: { default_egress: "block" } } });
  const { client } = gateway;
  const { strict, loose, phone, lamp, printer } = await fixture(gateway);
  await client.devices.update({ params: { id: lamp.id }, body: { mac: "02:00:00:00:00:07" } });
  const bypass = await client.exceptions.create({ body: { type: "emergency-bypass", device_id: lamp.id } });
  await client.privacy.blockWebrtc({ body: { device_id: printer.id, enabled: true } });
  const { devices, ...rest } = await client.privacy.status();
  expect(rest).toEqual({
    dns_mode: "device",
    ...nothing,
    not_enforced: null,
    coded_not_enforced: null,
    last_check: null,
    last_verdict: null,
    no_leak_since: null,
    passed_checks: 0,
    unknown_device: "blocked",
    leaking: 0,
    protected: 0,
    blocked: 2,
    exposed: 1,
  });
  const off = (from: string) => ({ on: false, from });
  const shared = { attempts: 0, verdict: "unchecked", exception_id: null, policy_id: null };
  const controls = (from: string) => ({
    force_dns: off(from),
    block_doh: off(from),
    block_ipv6: off(from),
    block_webrtc: off(from),
  });
  const blocked = {
    posture: "blocked",
    reason: "No policy matched, and network.default_egress is block",
    coded_reason: { code: "default_egress", params: { egress: "block" } },
  };
  expect(devices).toEqual([
    {
      device_id: phone.id,
      name: "Phone",
      privacy_class: strict.id,
      ...shared,
      ...blocked,
      controls: { ...controls("class"), block_ipv6: { on: true, from: "class" } },
    },
    {
      device_id: lamp.id,
      name: "Lamp",
      privacy_class: loose.id,
      ...shared,
      controls: controls("class"),
      posture: "exposed",
      exception_id: bypass.id,
      reason: expect.stringContaining("An exception (emergency-bypass) lets it out"),
      coded_reason: expect.objectContaining({ code: "exception_direct_until" }),
    },
    {
      device_id: printer.id,
      name: "Printer",
      privacy_class: null,
      ...shared,
      ...blocked,
      controls: { ...controls("system"), block_webrtc: { on: true, from: "device" } },
    },
  ]);
  const one = await client.privacy.status({ query: { device_id: "Printer" } });
  expect(one).toEqual({ ...rest, devices: [devices[2]] });
  expect(await refused(client.privacy.status({ query: { device_id: "unknown" } }))).toBe(
    'not_found: No device has the name "unknown"',
  );
});

test("privacy: a policy that decides is named", async () => {
  await using gateway = await startGateway({ config: { network: { lan_iface: "eth1", wan_iface: "eth0" } } });
  const { client } = gateway;
  const { phone } = await fixture(gateway);
  const policy = await client.routing.create({
    body: {
      name: "Home by NL",
      source_type: "all",
      fail_policy: "fail-closed",
      hops: [{ type: "interface", target: "wg-nl" }],
    },
  });
  await client.routing.apply();
  const [row] = (await client.privacy.status({ query: { device_id: phone.id } })).devices;
  expect(row).toMatchObject({ posture: "blocked", policy_id: policy.id });
  expect(row!.reason).toMatch(/^The policy Home by NL decides: hop 1 \(wg-nl\) is .+, and it fails closed$/);
});

test("privacy: while a rollback waits for its confirmation nothing is switched", async () => {
  await using gateway = await startGateway();
  const { client } = gateway;
  const { phone } = await fixture(gateway);
  await client.privacy.blockDoh();
  const { id } = (await client.changes.show()).applied;
  await client.privacy.blockDoh();
  await client.snapshots.rollback({ query: { confirm_within: 600 }, body: { snapshot: id } });
  for (const [call] of switches)
    for (const body of [{}, { device_id: phone.id, enabled: true }, { privacy_class: "Loose", enabled: true }])
      expect(await refused(client.privacy[call]({ body }))).toMatch(/^change_pending/);
  expect(await refused(client.privacy.putDnsMode({ body: { mode: "off" } }))).toMatch(/^change_pending/);
  expect(await refused(client.privacy.putLeakMonitor({ body: { delay_sec: 9 } }))).toMatch(/^change_pending/);
  await client.changes.confirm();
  expect(await client.privacy.blockDoh()).toMatchObject({ enabled: false });
});

describe("privacy: a device that was written down before there were controls", () => {
  test("has none of its own, and stays the same row until it gets one", async () => {
    await using first = await startGateway();
    const { id } = await first.client.devices.create({ body: { name: "Old" } });
    await using gateway = await first.restart((folder) => {
      using database = new DatabaseSync(join(folder, "portcullis.db"));
      const [row] = database.prepare("SELECT body FROM staged WHERE kind = 'device'").all();
      expect(Object.keys(JSON.parse(String(row!["body"])))).not.toContain("force_dns");
    });
    const { devices, privacy, status } = gateway.client;
    const old = await devices.get({ params: { id } });
    expect(old).toMatchObject({ force_dns: null, block_doh: null, block_ipv6: null, block_webrtc: null });
    const { revision } = await status.status();
    const silent = { force_dns: null, block_doh: null, block_ipv6: null, block_webrtc: null };
    expect(await devices.update({ params: { id }, body: { ...silent, name: "Old" } })).toEqual(old);
    await privacy.forceDns({ body: { device_id: id, enabled: null } });
    expect((await status.status()).revision).toBe(revision);
    expect(await privacy.blockDoh({ body: { device_id: id } })).toMatchObject({ enabled: true, on: true });
    expect((await devices.list({ query: { name: "old" } })).items).toEqual([{ ...old, block_doh: true }]);
  });

  test("takes them from where devices are made and changed, too", async () => {
    await using gateway = await startGateway();
    const { devices, privacy } = gateway.client;
    const tv = await devices.create({ body: { name: "TV", force_dns: true, block_ipv6: false } });
    expect(tv).toMatchObject({ force_dns: true, block_doh: null, block_ipv6: false, block_webrtc: null });
    const changed = await devices.update({ params: { id: tv.id }, body: { force_dns: null, block_doh: false } });
    expect(changed).toEqual({ ...tv, force_dns: null, block_doh: false });
    expect((await privacy.status()).devices[0]!.controls).toEqual({
      force_dns: { on: false, from: "system" },
      block_doh: { on: false, from: "device" },
      block_ipv6: { on: false, from: "device" },
      block_webrtc: { on: false, from: "system" },
    });
  });
});

describe("privacy: a caller who may", () => {
  const roles = ["viewer", "operator", "diagnostics"] as const;
  const api_keys = roles.map((role) => ({ key: `the-key-of-a-${role}`, role, name: role }));
  const config = { auth: { enabled: true, local_net: "10.99.0.0/16", api_keys } };

  test("look is no caller who may switch", async () => {
    await using gateway = await startGateway({ config });
    const ask = async (role: string, method: string, path: string, body?: unknown) =>
      (
        await gateway.request(method, `/privacy/${path}`, {
          headers: { authorization: `Bearer the-key-of-a-${role}` },
          ...(body !== undefined && { body }),
        })
      ).status;
    const calls = [
      ["GET", "status", undefined],
      ["GET", "dns-mode", undefined],
      ["PUT", "dns-mode", { mode: "off" }],
      ...["force-dns", "block-doh", "block-ipv6", "block-webrtc"].map(
        (path) => ["POST", path, { enabled: true }] as const,
      ),
    ] as const;
    const answers = (role: string) => Promise.all(calls.map(([method, path, body]) => ask(role, method, path, body)));
    expect(await answers("viewer")).toEqual([200, 200, 403, 403, 403, 403, 403]);
    expect(await answers("diagnostics")).toEqual([403, 403, 403, 403, 403, 403, 403]);
    expect(await answers("operator")).toEqual([200, 200, 200, 200, 200, 200, 200]);
  });
});

test("leak monitor: contacts no foreign server by default", async () => {
  await using before = await startGateway();
  const defaults = { enabled: true, delay_sec: 5, address_echo_url: null, resolver_echo_name: null };
  expect(await before.client.privacy.leakMonitor()).toMatchObject(defaults);
  const set = { delay_sec: 0, address_echo_url: "https://echo.example/ip" };
  expect(await before.client.privacy.putLeakMonitor({ body: set })).toMatchObject({ ...defaults, ...set });
  await using gateway = await before.restart();
  const { privacy, audit } = gateway.client;
  expect(await privacy.putLeakMonitor({ body: { address_echo_url: null } })).toMatchObject({
    ...defaults,
    delay_sec: 0,
  });
  for (const wrong of [{ delay_sec: -1 }, { address_echo_url: "ftp://x" }, { address_echo_url: "http://[::1" }])
    expect(await refused(privacy.putLeakMonitor({ body: wrong }))).toContain("invalid_request");
  expect((await audit.list()).items.map(({ action, resource_id }) => `${action} ${resource_id}`)).toEqual([
    "update_leak_monitor leak_monitor",
    "update_leak_monitor leak_monitor",
  ]);
});
