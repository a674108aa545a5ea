import { expect, test } from "vitest";
import { startGateway } from "../../testing/gateway.ts";
import { peerKey } from "../../testing/tunnels.ts";
import { targetOf } from "./address.ts";
import { run } from "./run.ts";
import { followTo, receiveFrom, sendTo } from "./send.ts";

/** The client as it is, against a whole gateway; only files and standard input are made up. */
const clientOf =
  (origin: string, print: (text: string) => void = () => {}) =>
  (...words: string[]) => {
    const target = targetOf(origin, () => false);
    const access = { key: undefined, judge: () => {} };
    return run(words, {
      send: sendTo(target, access),
      follow: followTo(target, access),
      receive: receiveFrom(target, access),
      printBytes: () => {},
      print,
      now: () => new Date(),
      waitForNext: () => Promise.reject(new Error("no list is followed")),
      login: () => Promise.reject(new Error("there is no terminal")),
      logout: () => "",
      setup: async () => ({ out: "" }),
      isFile: () => false,
      readFile: () => Promise.reject(new Error("there are no files")),
      readStdin: async () => Buffer.from('{"notes":"by the window"}'),
    });
  };

test("CLI: a device lives and dies by the command line", async () => {
  await using gateway = await startGateway();
  const portcullis = clientOf(gateway.origin);
  const { id } = JSON.parse((await portcullis("devices", "create", '{"name":"TV"}')).out) as { id: string };
  expect(JSON.parse((await portcullis("devices", "update", id)).out)).toMatchObject({ id, notes: "by the window" });
  expect((await portcullis("devices")).out.split("\n")[1]).toMatch(new RegExp(`^${id}\tTV\t`));
  expect(JSON.parse((await portcullis("devices", "delete", id)).out)).toEqual({ id, deleted: true });
  expect(await portcullis("devices", "get", id)).toMatchObject({ out: "", complaint: { status: 1 } });
});

test("CLI: a device is called by its name, and a misspelt name gets the right one", async () => {
  await using gateway = await startGateway();
  const portcullis = clientOf(gateway.origin);
  const { id } = JSON.parse((await portcullis("devices", "create", '{"name":"Kitchen TV"}')).out) as { id: string };
  expect(JSON.parse((await portcullis("devices", "get", "kitchen tv")).out)).toMatchObject({ id });
  expect((await portcullis("devices", "get", "Kitchn TV")).complaint?.text).toBe(
    'not_found: No device has the name "Kitchn TV"; did you mean "Kitchen TV"?\n',
  );
  expect((await portcullis("audit", "--resource-type", "tunnel")).out.split("\n")).toHaveLength(2);
  expect((await portcullis("audit", "--resource-type", "device")).out.split("\n")).toHaveLength(3);
  expect(JSON.parse((await portcullis("devices", "delete", "Kitchen TV")).out)).toEqual({ id, deleted: true });
});

test("CLI: a mistyped field comes back with the right one", async () => {
  await using gateway = await startGateway();
  const { complaint } = await clientOf(gateway.origin)("devices", "create", '{"name":"TV","ntoes":"x"}');
  expect(complaint?.text).toBe('invalid_request: body.ntoes: is not a known field; did you mean "notes"?\n');
});

test("CLI: a list of several pages is printed whole and once", async () => {
  await using gateway = await startGateway();
  const names = Array.from({ length: 1002 }, (_, at) => `n${at}.example`);
  for (const domains of [names.slice(0, 600), names.slice(600)]) await gateway.client.dns.block({ body: { domains } });
  const { out } = await clientOf(gateway.origin)("blocklist");
  const printed = out
    .split("\n")
    .slice(1, -1)
    .map((line) => line.split("\t")[1]!);
  expect(printed.toSorted()).toEqual(names.toSorted());
});

test("CLI: rolling back brings an older state again", async () => {
  await using gateway = await startGateway();
  const portcullis = clientOf(gateway.origin);
  const [, newest = ""] = (await portcullis("snapshots")).out.split("\n");
  await portcullis("devices", "create", '{"name":"TV"}');
  expect((await portcullis("rollback", newest.split("\t")[0]!)).complaint).toBeUndefined();
  expect((await portcullis("devices")).out.split("\n")).toHaveLength(2);
});

test("CLI: every command that only reads is answered", async () => {
  await using gateway = await startGateway();
  const portcullis = clientOf(gateway.origin);
  for (const words of [
    "health",
    "status",
    "observer",
    "platform",
    "version",
    "changes",
    "settings",
    "audit",
    "secrets",
  ])
    expect(await portcullis(words)).toEqual({ out: expect.stringContaining("\n") });
});

test("CLI: without a credential the client says how to send one", async () => {
  await using gateway = await startGateway({ config: { auth: { enabled: true, local_net: "192.0.2.0/24" } } });
  const portcullis = clientOf(gateway.origin);
  expect((await portcullis("devices")).complaint?.text).toMatch(
    /^unauthorized: .+\n {2}Send an API key with PORTCULLIS_KEY/,
  );
  expect(JSON.parse((await portcullis("health")).out)).toMatchObject({
    status: "degraded", // There is no admin account yet.
    components: { error: { code: "unauthorized" } },
  });
});

test("CLI: tunnels are listed and switched, proxies come and go, by the command line", async () => {
  await using gateway = await startGateway();
  const portcullis = clientOf(gateway.origin);
  const config = { addresses: ["10.2.0.2/32"], peers: [{ public_key: peerKey }] };
  const { id } = await gateway.client.tunnels.create({ body: { name: "Amsterdam", type: "wireguard", config } });
  expect((await portcullis("tunnels")).out.split("\n").slice(0, 2)).toEqual([
    "id\tname\ttype\tstatus\tinterface\thealthy",
    `${id}\tAmsterdam\twireguard\tdown\twg-amsterdam\tfalse`,
  ]);
  expect(JSON.parse((await portcullis("tunnels", "down", id)).out)).toMatchObject({ id, enabled: false });
  expect(JSON.parse((await portcullis("tunnels", "up", id)).out)).toMatchObject({ id, enabled: true });
  for (const verb of ["create", "update", "delete"])
    expect((await portcullis("tunnels", verb, id)).complaint).toBeDefined();

  const body = '{"name":"Desk","kind":"local","listen":"192.168.1.1:1080","tunnel_id":"Amsterdam"}';
  const proxy = JSON.parse((await portcullis("proxy", "create", body)).out) as { id: string };
  expect((await portcullis("proxy")).out.split("\n").slice(0, 2)).toEqual([
    "id\tname\tlisten\tstatus\tconnections\ttx\trx",
    `${proxy.id}\tDesk\t192.168.1.1:1080\tdown\t0\t0\t0`,
  ]);
  expect(JSON.parse((await portcullis("proxy", "delete", proxy.id)).out)).toEqual({ id: proxy.id, deleted: true });
});

test("CLI: names are blocked, unblocked and filtered by the command line", async () => {
  await using gateway = await startGateway();
  const portcullis = clientOf(gateway.origin);
  const said = async (...words: string[]) => JSON.parse((await portcullis(...words)).out) as Record<string, unknown>;
  expect(await said("dns")).toMatchObject({ status: "off", backend: "integrated" });
  expect(await said("dns", "block", "ads.example", "tracker.example")).toMatchObject({
    changed: ["ads.example", "tracker.example"],
  });
  expect((await portcullis("blocklist")).out).toContain("\tads.example\teveryone\t");
  expect(await said("dns", "unblock", "ads.example")).toMatchObject({ changed: ["ads.example"] });
  expect((await portcullis("dns", "block")).complaint?.text).toContain("portcullis dns block <domain>...");
  expect(await said("rotation", "set", "random")).toEqual({ mode: "random" });
  expect(await said("rotation")).toEqual({ mode: "random" });
  expect(await said("extfilter")).toMatchObject({ configured: false });
  expect(await said("extfilter", "disable")).toMatchObject({ enabled: false });
  expect((await portcullis("extfilter", "enable")).complaint?.text).toMatch(/^conflict: /);
  expect(await said("dns", "flush")).toEqual({ flushed: 0 });
  expect(await said("dns", "configure", '{"rate_limit_qps":50}')).toMatchObject({ rate_limit_qps: 50 });
  expect(await said("dns", "options")).toMatchObject({ rate_limit_qps: 50 });
  await gateway.client.devices.create({ body: { name: "TV", ips: ["192.168.1.7"] } });
  expect(await said("dns", "test", "ads.example", "TV")).toMatchObject({ verdict: "none" });
  const list = await said("presets", "create", '{"name":"Ads","category":"ads"}');
  expect(await said("presets", "refresh", String(list["id"]))).toMatchObject({ name: "Ads" });
  for (const word of ["filter-rules", "allowlist", "rewrites", "zones", "records", "forwarders", "threat-feeds"])
    expect(await portcullis(word)).toEqual({ out: expect.stringMatching(/^id\t/) });
  expect((await portcullis("dns", "cache")).out).toBe("egress\tname\ttype\trcode\tttl_sec\n");
});

test("CLI: what protects a device is switched and shown", async () => {
  await using gateway = await startGateway();
  const portcullis = clientOf(gateway.origin);
  const printed = async (...words: string[]) => JSON.parse((await portcullis(...words)).out);
  await portcullis("devices", "create", '{"name":"phone"}');
  expect(await printed("privacy", "block-doh")).toMatchObject({ scope: "system", enabled: true, on: true });
  expect(await printed("privacy", "force-dns", '{"device_id":"phone","enabled":true}')).toMatchObject({ on: true });
  expect(await printed("privacy", "set-dns-mode", "off")).toEqual({ mode: "off", enforced: false });
  expect(await printed("privacy", "dns-mode")).toEqual({ mode: "off" });
  const { devices } = await printed("privacy");
  expect(devices).toMatchObject([
    { name: "phone", controls: { force_dns: { from: "device" }, block_doh: { on: true, from: "system" } } },
  ]);
  expect((await portcullis("privacy", "set-dns-mode", "none")).complaint?.text).toContain("mode");
});

test("CLI: events are printed as they happen, until the gateway stops", async () => {
  const gateway = await startGateway();
  const lines: string[] = [];
  const following = clientOf(gateway.origin, (text) => void lines.push(text))("events");
  // What happens before the stream is open is not in it.
  await expect
    .poll(async () => {
      const name = `device ${crypto.randomUUID()}`;
      await gateway.client.devices.create({ body: { name } });
      return lines.map((line) => (JSON.parse(line) as { event: string }).event);
    })
    .toContain("revision.published");
  await gateway[Symbol.asyncDispose]();
  expect(await following).toMatchObject({
    out: "",
    complaint: { status: 3, text: expect.stringContaining("closed") as string },
  });
  expect(lines.at(-1)).toContain('"event":"daemon.stopping"');
});

test("CLI: a refused stream says why", async () => {
  await using gateway = await startGateway({ config: { auth: { enabled: true, local_net: "" } } });
  expect(await clientOf(gateway.origin)("events")).toMatchObject({
    complaint: { status: 1, text: expect.stringContaining("unauthorized") as string },
  });
});

test("CLI: a key for Prometheus is made in one command, listed without the key, and revoked", async () => {
  await using gateway = await startGateway();
  const portcullis = clientOf(gateway.origin);
  const { id, key, role } = JSON.parse((await portcullis("keys", "create", "prometheus", "metrics")).out) as {
    readonly [field: string]: string;
  };
  expect([role, (key ?? "").length > 20]).toEqual(["metrics", true]);
  const { out } = await portcullis("keys", "list");
  expect(out).toContain(`${id}\tprometheus\tmetrics\t`);
  expect(out).not.toContain(key);
  expect(JSON.parse((await portcullis("keys", "revoke", id!)).out)).toEqual({ id, deleted: true });
  expect((await portcullis("keys", "list")).out).not.toContain(id);
});

test("CLI: metrics are printed as they are, and a refusal as any other", async () => {
  await using gateway = await startGateway();
  const { out } = await clientOf(gateway.origin)("metrics");
  expect(out).toMatch(/^# HELP portcullis_build_info Version of the daemon\n# TYPE portcullis_build_info gauge\n/);
  expect(out.endsWith("\nportcullis_metrics_omitted_series 0\n")).toBe(true);
  await using guarded = await startGateway({ config: { auth: { enabled: true, local_net: "" } } });
  expect((await clientOf(guarded.origin)("metrics")).complaint?.text).toMatch(/^unauthorized: /);
});
