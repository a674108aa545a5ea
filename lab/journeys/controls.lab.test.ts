import { type Control, controls } from "@portcullis/contract/privacy-controls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { attemptsIn } from "../../daemon/src/engines/nftables/steering/attempts.parse.ts";
import { until } from "../../testing/deadline.ts";
import { queryOnce } from "../dns-load.ts";
import { type Site, uplinks } from "../internet.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type JsonScript, startJsonScript } from "../json-script.ts";
import { type Client, openDnsTopology, type DnsTopology } from "../topology-dns.ts";
import { startFlowServer } from "../flow.ts";
import type { Device } from "../topology-devices.ts";

/*
 * Two known devices and an unknown one, all leaving direct, and a host on the Internet that answers everything. Packets
 * are seen on the providers' side of the wire. Each test leaves everything switched off.
 */
let lab: Lab;
let it: DnsTopology;
let far: Site;
let clients: { a: Client; b: Client };
let unknownSender: Device;
const probers = new Map<string, JsonScript>();

/** Each device has its own destinations, so that a packet outside identifies its device. */
const farOf = (who: string) => {
  const index = 2 + ["a", "b", "unknown"].indexOf(who);
  return {
    plain: { v4: `203.0.113.${index}`, v6: `2001:db8:f::${index}` },
    listed: { v4: `194.242.2.${index}`, v6: `2a07:e340::${index}` },
  };
};
const ports = [53, 443, 853, 3478, 7777];

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  const { net, api } = it.topology;
  far = await net.site("far");
  const destinations = ["a", "b", "unknown"].flatMap((who) => Object.values(farOf(who)));
  for (const { v4, v6 } of destinations)
    for (const [address, via] of [
      [`${v4}/32`, far.v4],
      [`${v6}/128`, far.v6],
    ] as const) {
      await far.host.run("ip", "address", "add", address, "dev", "lo", "nodad");
      await net.core.run("ip", "route", "add", address, "via", via);
    }
  for (const port of ports)
    await startFlowServer(
      far.host,
      port,
      destinations.flatMap(({ v4, v6 }) => [v4, v6]),
    );
  clients = { a: await it.client("a", "direct"), b: await it.client("b", "direct") };
  unknownSender = await net.device("unknown", 9);
  await api.ok("POST", "/routing/policies", {
    name: "all devices",
    source_type: "all",
    priority: 900_000,
    hops: [{ type: "interface", target: uplinks[0] }],
    fail_policy: "fail-closed",
  });
  await it.topology.apply();
  for (const [name, host] of [
    ["a", clients.a.device],
    ["b", clients.b.device],
    ["unknown", unknownSender],
  ] as const)
    probers.set(name, await startJsonScript(host, "prober.py"));
  for (const who of probers.keys())
    await until(`the packets of ${who} leave`, async () => (await passing(who)).length === everything.length, 30);
  for (const client of Object.values(clients))
    await until(
      "names are answered",
      async () => (await client.query(`first.${client.domain}`))?.status === "NOERROR",
      30,
    );
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

interface Probe {
  readonly what: string;
  readonly kind: "udp" | "tcp";
  readonly port: number;
  readonly hex: string;
  readonly listed?: boolean;
  readonly stoppedBy?: Control;
}

const plain = Buffer.from("ask").toString("hex");
const stun = "0001000c2112a442000102030405060708090a0b";
/** A cookie that is none: the first two bits are set. */
const noStun = "c001000c2112a442000102030405060708090a0b";
const probes: readonly Probe[] = [
  { what: "DNS over UDP", kind: "udp", port: 53, hex: plain, stoppedBy: "force_dns" },
  { what: "DNS over TCP", kind: "tcp", port: 53, hex: plain, stoppedBy: "force_dns" },
  { what: "DoT", kind: "tcp", port: 853, hex: plain, stoppedBy: "block_doh" },
  { what: "DoQ", kind: "udp", port: 853, hex: plain, stoppedBy: "block_doh" },
  { what: "DoH", kind: "tcp", port: 443, hex: plain, listed: true, stoppedBy: "block_doh" },
  { what: "DoH over QUIC", kind: "udp", port: 443, hex: plain, listed: true, stoppedBy: "block_doh" },
  { what: "STUN", kind: "udp", port: 3478, hex: plain, stoppedBy: "block_webrtc" },
  { what: "STUN over TCP", kind: "tcp", port: 3478, hex: plain, stoppedBy: "block_webrtc" },
  { what: "STUN elsewhere", kind: "udp", port: 7777, hex: stun, stoppedBy: "block_webrtc" },
  { what: "no STUN", kind: "udp", port: 7777, hex: noStun },
  { what: "a web page", kind: "tcp", port: 443, hex: plain },
  { what: "anything", kind: "udp", port: 7777, hex: plain },
];
const families = ["v4", "v6"] as const;
const everything = families.flatMap((family) => probes.map(({ what }) => `${what} by ${family}`));

/** What is not stopped by any of these. */
const remaining = (on: readonly Control[]): string[] =>
  families.flatMap((family) =>
    probes
      .filter(({ stoppedBy }) => stoppedBy === undefined || !on.includes(stoppedBy))
      .filter(() => family === "v4" || !on.includes("block_ipv6"))
      .map(({ what }) => `${what} by ${family}`),
  );

const targetOf = (who: string, { listed }: Probe, family: (typeof families)[number]): string =>
  farOf(who)[listed ? "listed" : "plain"][family];

const send = async (who: string, all: readonly object[]): Promise<readonly string[]> =>
  (await probers.get(who)!.request(JSON.stringify(all))) as readonly string[];

/** What came through and back. Of the rest, nothing was seen outside. */
async function passing(who: string): Promise<string[]> {
  const all = families.flatMap((family) => probes.map((probe) => ({ probe, family })));
  await seenOutside();
  const results = await send(
    who,
    all.map(({ probe, family }) => ({
      kind: probe.kind,
      port: probe.port,
      hex: probe.hex,
      to: targetOf(who, probe, family),
    })),
  );
  const passed = all.filter((_, index) => !["silence", "refused"].includes(results[index]!));
  const seen = await seenOutside();
  const key = (to: string, protocol: string, port: number) => `${protocol} ${to} ${port}`;
  const outside = new Set(seen.map(({ to, protocol, port }) => key(to, protocol, port)));
  const allowed = new Set(passed.map(({ probe, family }) => key(targetOf(who, probe, family), probe.kind, probe.port)));
  const leaked = all
    .map(({ probe, family }) => key(targetOf(who, probe, family), probe.kind, probe.port))
    .filter((it) => outside.has(it) && !allowed.has(it));
  expect(leaked).toEqual([]);
  return passed.map(({ probe, family }) => `${probe.what} by ${family}`);
}

const seenOutside = async () =>
  (await Promise.all(it.topology.net.providers.map((on) => it.topology.net.seen(on)))).flat();

async function put(path: string, body: object): Promise<void> {
  await it.topology.api.ok("PUT", path, body);
  await until(
    "the kernel has it",
    async () => {
      const { revision, applied_revision } = (await it.topology.api.ok("GET", "/status")) as Record<string, number>;
      return applied_revision === revision;
    },
    10,
  );
}
const change = (client: Client, body: object) => put(`/devices/${client.deviceId}`, body);
const off = Object.fromEntries(controls.map((control) => [control, null]));

test("as long as nothing is switched on, everything passes", async () => {
  for (const who of probers.keys()) expect(await passing(who)).toEqual(everything);
});

test("each control stops what it is about, in both families, and for its device only", async () => {
  for (const control of controls) {
    await change(clients.a, { [control]: true });
    expect(await passing("a")).toEqual(remaining([control]));
    expect(await passing("b")).toEqual(everything);
    await change(clients.a, { [control]: null });
    expect(await passing("a")).toEqual(everything);
  }
});

const only = (on: readonly Control[]) => Object.fromEntries(controls.map((control) => [control, on.includes(control)]));
const classOf = async (name: string, on: readonly Control[]) =>
  (await it.topology.api.ok("POST", "/privacy-classes", {
    name,
    require_tunnel: false,
    dns_mode: "device",
    ...only(on),
  })) as { id: string };

test("the same of each control of a class", async () => {
  const { id } = await classOf("one by one", []);
  await change(clients.a, { privacy_class: id });
  expect(await passing("a")).toEqual(everything);
  for (const control of controls) {
    await put(`/privacy-classes/${id}`, only([control]));
    expect(await passing("a")).toEqual(remaining([control]));
    expect(await passing("b")).toEqual(everything);
  }
  await put(`/privacy-classes/${id}`, only([]));
  expect(await passing("a")).toEqual(everything);
  await change(clients.a, { privacy_class: null });
});

test("a class applies to its devices, and two classes do not mix", async () => {
  const names = await classOf("names", ["force_dns", "block_doh"]);
  const calls = await classOf("calls", ["block_ipv6", "block_webrtc"]);
  await change(clients.a, { privacy_class: names.id });
  await change(clients.b, { privacy_class: calls.id });
  expect(await passing("a")).toEqual(remaining(["force_dns", "block_doh"]));
  expect(await passing("b")).toEqual(remaining(["block_ipv6", "block_webrtc"]));
  // The device's own voice is nearer than its class's.
  await change(clients.a, { block_doh: false, block_webrtc: true });
  expect(await passing("a")).toEqual(remaining(["force_dns", "block_webrtc"]));
  await put(`/privacy-classes/${names.id}`, { dns_mode: "off" });
  expect(await passing("a")).toEqual(remaining(["block_webrtc"]));
  await put(`/privacy-classes/${names.id}`, { dns_mode: "system", force_dns: false });
  expect(await passing("a")).toEqual(remaining(["force_dns", "block_webrtc"]));
  await change(clients.a, { privacy_class: null, ...off });
  await change(clients.b, { privacy_class: null });
  expect(await passing("a")).toEqual(everything);
});

test("what applies to all devices applies to unknown ones, but not against a device's own setting", async () => {
  const { api } = it.topology;
  for (const path of ["force-dns", "block-doh", "block-ipv6", "block-webrtc"])
    await api.ok("POST", `/privacy/${path}`, { enabled: true });
  await change(clients.b, Object.fromEntries(controls.map((control) => [control, false])));
  expect(await passing("unknown")).toEqual(remaining(controls));
  expect(await passing("a")).toEqual(remaining(controls));
  expect(await passing("b")).toEqual(everything);
  for (const path of ["force-dns", "block-doh", "block-ipv6", "block-webrtc"])
    await api.ok("POST", `/privacy/${path}`, { enabled: false });
  await change(clients.b, off);
  for (const who of probers.keys()) expect(await passing(who)).toEqual(everything);
});

test("what runs already stops at once, and what may go on goes on afterwards", async () => {
  const running = families.flatMap((family) =>
    probes
      .filter(({ stoppedBy, hex }) => stoppedBy !== undefined && hex === plain)
      .map((probe) => ({
        kind: probe.kind,
        port: probe.port,
        hex: probe.hex,
        to: targetOf("a", probe, family),
        flow: `${probe.what} ${family}`,
      })),
  );
  const isReceived = (results: readonly string[]) => results.map((text) => !["silence", "refused"].includes(text));
  for (const round of ["begin", "go on"])
    expect([round, ...isReceived(await send("a", running))]).toEqual([round, ...running.map(() => true)]);
  await change(clients.a, Object.fromEntries(controls.map((control) => [control, true])));
  await seenOutside();
  expect(isReceived(await send("a", running))).toEqual(running.map(() => false));
  const outside = await seenOutside();
  const mine = new Set(running.map(({ to, port }) => `${to} ${port}`));
  expect(outside.filter(({ to, port }) => mine.has(`${to} ${port}`))).toEqual([]);
  await change(clients.a, off);
  expect(isReceived(await send("a", running))).toEqual(running.map(() => true));
});

test("a redirected query is answered by the gateway, with the address of the intended resolver", async () => {
  const { a, b } = clients;
  const { plain: other, listed } = farOf("a");
  const ask = (client: Client, server: string, ...flags: string[]) =>
    queryOnce(client.device, server, `forced.${client.domain}`, "A", ...flags);
  expect(await ask(b, other.v4)).toBeUndefined(); // The host there is no DNS server.
  await change(a, { force_dns: true });
  for (const server of [other.v4, other.v6, listed.v4])
    for (const flags of [[], ["+tcp"]])
      expect([server, ...flags, (await ask(a, server, ...flags))?.status]).toEqual([server, ...flags, "NOERROR"]);
  expect(await ask(b, other.v4)).toBeUndefined();
  await change(a, off);
});

test("names of foreign resolvers are refused, and answers omit unreachable addresses", async () => {
  const { a, b } = clients;
  await change(a, { block_doh: true, block_ipv6: true });
  const status = async (client: Client, name: string) => (await client.query(name))?.status;
  await until("the filter policy has it", async () => (await status(a, "dns.google")) === "NXDOMAIN", 10);
  for (const name of [
    "cloudflare-dns.com",
    "mozilla.cloudflare-dns.com",
    "use-application-dns.net",
    "_dns.resolver.arpa",
  ])
    expect([name, await status(a, name)]).toEqual([name, "NXDOMAIN"]);
  const causes = async () =>
    ((await it.topology.api.ok("GET", "/dns/log?name=mozilla.cloudflare-dns.com")) as { cause: unknown }[]).map(
      ({ cause }) => cause,
    );
  await until("it is written down", async () => (await causes()).length > 0, 10);
  expect((await causes())[0]).toEqual({
    resource_type: "privacy_control",
    resource_id: "block_doh",
    name: "block_doh",
  });
  expect(await a.query(`six.${a.domain}`, "AAAA")).toMatchObject({ status: "NOERROR", answers: [] });
  expect((await b.query(`six.${b.domain}`, "AAAA"))?.answers).not.toEqual([]);
  await change(a, off);
});

test("every attempt is counted for the device that made it", async () => {
  const { a, b } = clients;
  const { gateway } = it.topology.net;
  const counted = async (set: string, mac: string): Promise<number> =>
    attemptsIn(await gateway.run("nft", "-j", "list", "set", "inet", "portcullis", set)).find((it) => it.mac === mac)
      ?.packets ?? 0;
  const sets = ["tried_resolver", "tried_encrypted", "tried_stun", "tried_ipv6"];
  const all = async (client: Client) => Promise.all(sets.map((set) => counted(set, client.device.mac)));
  await change(a, Object.fromEntries(controls.map((control) => [control, true])));
  const [beforeA, beforeB] = [await all(a), await all(b)];
  await passing("a");
  const afterA = await all(a);
  expect(afterA.map((count, index) => count > beforeA[index]!)).toEqual(sets.map(() => true));
  expect(await all(b)).toEqual(beforeB);
  await change(a, off);
});
