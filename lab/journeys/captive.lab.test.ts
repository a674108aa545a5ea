import type { LeakCheck } from "@portcullis/contract/subsystems/privacy";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../testing/deadline.ts";
import { type DnsSniffer, startDnsSniffer } from "../sniffer.ts";
import { type HopServer, type HopTopology, hopOf, openHopTopology } from "../topology-hops.ts";
import { type Site, uplinkAddress } from "../internet.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type JsonScript, startJsonScript } from "../json-script.ts";
import { systemOn } from "../system.ts";
import { type Device, server } from "../topology-devices.ts";

/*
 * A travel router in a hotel. The hotel's router, which is the provider of the first uplink, answers every DNS query
 * and every HTTP request itself, and forwards nothing except to the payment page. A phone and a tablet behind the
 * gateway may leave through a tunnel only, which cannot come up. Each test continues where the previous one left off.
 */
const hotel = uplinkAddress(0, 2);
const elsewhere = { v4: "203.0.113.77", v6: "2001:db8:77::1" };
const probeUrl = "http://probe.lab/words.txt";
const start = "http://gate.hotel.lab/start?id=7";
const kinds = 16;
/**
 * The tunnel's server, whose address the hotel claims as its own: a phone that trusted it would be seen talking to it.
 */
const tunnelServer = "198.51.100.18";

let lab: Lab;
let topology: HopTopology;
let paying: Site;
let tunnel: HopServer;
let phone: Device;
let tablet: Device;
let portal: JsonScript;
let pay: JsonScript;
let web: JsonScript;
let wire: DnsSniffer;
let knocks: JsonScript;
const folders: string[] = [];

beforeAll(async () => {
  lab = openLab();
  topology = await openHopTopology(lab, async (net) => {
    paying = await net.site("pay");
    pay = await startJsonScript(paying.host, "portal.py", JSON.stringify({ pages: { "*": [200, null, "Thank you"] } }));
    web = await startJsonScript(net.web, "portal.py", JSON.stringify({ pages: { "*": [200, null, "these words\n"] } }));
    const [isp] = net.providers;
    portal = await startJsonScript(isp, "portal.py", JSON.stringify(hotelConfig()));
    await close(isp, paying);
    resolverOf(net.gateway.namespace, hotel.v4);
    return {
      dns: { upstream_servers: ["203.0.113.53"] },
      captive: { check_url: probeUrl, check_answer: "these words" },
    };
  });
  tunnel = await topology.wireguard("home");
  [phone, tablet] = [await guest("phone", 1), await guest("tablet", 2)];
  await topology.apply();
  wire = await startDnsSniffer(topology.net.providers[0]);
  knocks = await startJsonScript(phone, "protocol-probes.py");
});
afterAll(async () => {
  await topology?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const hotelConfig = () => ({
  pages: {
    "gate.hotel.lab": [302, "http://pay.hotel.lab/", ""],
    "*": [302, start, "<html>Please sign in</html>"],
  },
  names: {
    "probe.lab": [server.v4],
    "gate.hotel.lab": [hotel.v4, hotel.v6],
    "pay.hotel.lab": [paying.v4, tunnelServer],
  },
});

/** What every hotel does until one has paid. */
const close = (isp: HopTopology["net"]["core"], { v4, v6 }: Site) =>
  systemOn(isp).run("nft", ["-f", "-"], {
    stdin: `table inet portal {
	chain led {
		type nat hook prerouting priority dstnat;
		iifname != "from-gw" accept
		ip daddr ${v4} accept
		ip6 daddr ${v6} accept
		udp dport 53 redirect to :53
		tcp dport 80 redirect to :80
	}
	chain held {
		type filter hook forward priority filter; policy accept;
		iifname "from-gw" ip daddr ${v4} accept
		iifname "from-gw" drop
	}
}
`,
  });
const openUp = () => topology.net.providers[0].run("nft", "delete", "table", "inet", "portal");

/** The resolver of a host, as DHCP would set it. */
function resolverOf(namespace: string, address: string): void {
  const folder = `/etc/netns/${namespace}`;
  folders.push(folder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/resolv.conf`, `nameserver ${address}\noptions timeout:5 attempts:1\n`);
}

async function guest(name: string, index: number): Promise<Device> {
  const device = await topology.net.device(name, index);
  resolverOf(device.namespace, "10.0.0.1");
  await topology.api.ok("POST", "/devices", { name, mac: device.mac });
  await topology.api.ok("POST", "/routing/policies", {
    name,
    source_type: "device",
    source_value: name,
    hops: [hopOf(tunnel)],
    fail_policy: "fail-closed",
  });
  return device;
}

interface Check {
  readonly state: string;
  readonly uplink: string;
  readonly portal_url: string | null;
  readonly portal_addresses: readonly string[];
  readonly evidence: readonly string[];
  readonly exception_id: string | null;
  readonly expires_at: string | null;
}
const check = async (body: object = {}) => (await topology.api.ok("POST", "/captive/check", body)) as Check;

/** What a browser on a device would show, or why it shows nothing. */
const browse = (device: Device, url: string): Promise<string> =>
  device
    .run("curl", "--silent", "--show-error", "--location", "--max-time", "15", url)
    .catch((error: { stderr?: string }) => (error.stderr ?? "").trim());

interface Received {
  readonly pages: readonly { readonly host: string; readonly path: string; readonly from: string }[];
  readonly names: readonly string[];
}
const received = async (script: JsonScript) => (await script.request("report")) as Received;

/**
 * Which kinds of packets to these addresses came out of the gateway when the phone sent all of them. So many that are expected
 * are waited for.
 */
async function seenOf(addresses: readonly string[], expected = 0): Promise<string[]> {
  const [isp] = topology.net.providers;
  await topology.net.seen(isp);
  expect((await knocks.request(addresses.join(" "))) as number).toBe(kinds / 2);
  const all = new Set<string>();
  const areThere = async () => {
    await sleep(300);
    const seen = (await topology.net.seen(isp)).filter(({ to }) => addresses.includes(to));
    for (const { to, protocol, port } of seen) all.add(`${to} ${protocol} ${port}`);
    return all.size >= expected;
  };
  await until(`${expected} kinds of packets are seen outside`, areThere);
  return [...all].toSorted();
}
const seenElsewhere = (expected?: number) => seenOf(Object.values(elsewhere), expected);

/** Names queried on the uplink, without those the gateway itself needs. */
const namesOnTheWire = async (domain: string) => (await wire.sniffed()).filter((it) => it.domain === domain);

test("before a check the gateway sends no request, and the phone reaches no host", async () => {
  expect((await received(portal)).pages).toEqual([]);
  expect(await browse(phone, start)).toMatch(/resolve host/);
  expect(await seenElsewhere()).toEqual([]);
  expect(await seenOf([hotel.v4, hotel.v6])).toEqual([]);
});

test("control: every kind of packet is seen outside when the phone is let out", async () => {
  const { id } = (await topology.api.ok("POST", "/exceptions", { type: "temporary-direct", device_id: "phone" })) as {
    id: string;
  };
  expect(await seenElsewhere(kinds)).toHaveLength(kinds);
  // The kernel lets it out when the exception is answered; its resolver may need a moment more.
  const isReceived = async () => {
    await phone.run("kdig", "@10.0.0.1", "seen.phone.lab", "+retry=0", "+timeout=2").catch(() => {});
    return (await namesOnTheWire("seen.phone.lab")).length > 0;
  };
  await until("its queries are seen outside", isReceived, 10);
  await topology.api.ok("DELETE", `/exceptions/${id}`);
  expect(await seenElsewhere()).toEqual([]);
  await received(portal);
});

test("the portal is found by the uplink's own address: where it leads, and where that is", async () => {
  const found = await check();
  expect(found).toMatchObject({
    state: "captive",
    uplink: "wan0",
    portal_url: start,
    portal_addresses: [hotel.v4, hotel.v6, paying.v4],
    exception_id: null,
    expires_at: null,
  });
  expect(found.evidence).toContain(`${hotel.v4} resolves gate.hotel.lab to ${hotel.v4}, ${hotel.v6}`);
  expect(tunnel.site.v4).toBe(tunnelServer);
  expect(found.evidence.at(-1)).toMatch(`pay.hotel.lab resolves to ${tunnelServer}`);
  const { pages } = await received(portal);
  expect(pages.map(({ host }) => host)).toEqual(["probe.lab", "gate.hotel.lab"]);
  expect(pages.every(({ from }) => Object.values(uplinkAddress(0, 1)).includes(from))).toBe(true);
  // It was a look, and nothing else.
  expect(await browse(phone, start)).toMatch(/resolve host/);
  expect(await seenOf([hotel.v4, hotel.v6])).toEqual([]);
});

test("opened for the phone, it reads the portal by name; nothing else of it leaves, and the tablet notices nothing", async () => {
  const found = await check({ open_for: "phone", duration_min: 5 });
  expect(found).toMatchObject({ state: "captive", exception_id: expect.any(String) as string });
  const [exception] = (await topology.api.ok("GET", "/exceptions/active")) as { destinations: string[] }[];
  expect(exception).toMatchObject({
    id: found.exception_id,
    type: "captive-portal",
    destinations: [hotel.v4, hotel.v6, paying.v4],
    answers: [
      { name: "gate.hotel.lab", addresses: [hotel.v4, hotel.v6] },
      { name: "pay.hotel.lab", addresses: [paying.v4] },
    ],
  });
  await wire.sniffed();
  await received(portal);
  expect(await browse(phone, start)).toBe("Thank you");
  expect((await received(pay)).pages.at(-1)).toMatchObject({ host: "pay.hotel.lab", path: "/" });

  expect(await seenElsewhere()).toEqual([]);
  expect(await seenOf([server.v4, server.v6])).toEqual([]);
  // Not even the server of its own tunnel, which the gateway itself keeps calling.
  expect((await seenOf([tunnel.site.v4])).filter((it) => !it.endsWith("udp 51820"))).toEqual([]);
  // The gateway answers its queries for names of the portal; all others get no answer, and none is seen outside.
  for (const server of ["10.0.0.1", "fd00::1"])
    for (const egress of ["+notcp", "+tcp"])
      await phone.run("kdig", `@${server}`, "other.phone.lab", egress, "+retry=0", "+timeout=1").catch(() => {});
  expect((await received(portal)).names.filter((it) => it.endsWith("phone.lab") || it.endsWith("hotel.lab"))).toEqual(
    [],
  );
  expect(await namesOnTheWire("other.phone.lab")).toEqual([]);
  expect(await namesOnTheWire("gate.hotel.lab")).toEqual([]);

  expect(await browse(tablet, start)).toMatch(/resolve host/);
  expect(await browse(tablet, `http://${hotel.v4}/`)).not.toBe("Thank you");

  // An exception that an operator opened is reported as such, also while the phone uses it.
  expect(await browse(phone, start)).toBe("Thank you");
  const { devices } = (await topology.api.ok("POST", "/privacy/leak-check", { device_id: "phone" })) as LeakCheck;
  const findings = devices[0]!.findings.map(({ cause, severity }) => [cause, severity]);
  expect(findings).toContainEqual(["exposed-by-exception", "intended"]);
  expect(findings.filter(([, severity]) => severity === "leak")).toEqual([]);
});

test("once the hotel forwards, the check reports it, the tunnel comes up, and nothing is opened any more", async () => {
  expect(await browse(phone, "http://pay.hotel.lab/login")).toBe("Thank you");
  await openUp();
  const found = await check();
  expect(found).toMatchObject({ state: "open", portal_url: null, portal_addresses: [] });
  await until(
    "the phone leaves by the tunnel",
    async () => (await browse(phone, `http://${server.v4}/`)) === "these words\n",
    30,
  );
  expect((await received(web)).pages.at(-1)!.from).toBe(tunnel.site.v4);

  expect(await topology.api.request("POST", "/captive/check", { open_for: "phone" })).toMatchObject({ status: 409 });
  const [exception] = (await topology.api.ok("GET", "/exceptions/active")) as { id: string }[];
  expect(await topology.api.ok("DELETE", `/exceptions/${exception!.id}`)).toMatchObject({ enforced: true });
  expect(await seenOf([hotel.v4, hotel.v6])).toEqual([]);
  expect(await topology.api.ok("GET", "/exceptions/active")).toEqual([]);
});

test("an uplink without any answer is offline", async () => {
  const [isp] = topology.net.providers;
  await isp.run(
    "nft",
    "add table inet silence; add chain inet silence in { type filter hook prerouting priority -250; }",
  );
  await isp.run("nft", "add rule inet silence in iifname from-gw drop");
  const found = await check();
  await isp.run("nft", "delete", "table", "inet", "silence");
  expect(found).toMatchObject({ state: "offline", portal_url: null, portal_addresses: [] });
  expect(found.evidence.at(-1)).toMatch(/no answer/);
});

// The gate does this with an exception of a whole device: lab/journeys/exceptions.
test("the portal exception ends in the kernel while the daemon is dead", { tags: ["proof"] }, async () => {
  await close(topology.net.providers[0], paying);
  const { exception_id } = await check({ open_for: "phone", duration_min: 1 });
  expect(await seenOf([hotel.v4, hotel.v6], kinds)).toHaveLength(kinds);
  await topology.kill();
  const endsAt = Date.now() + 30_000; // Until then a slow machine has started a daemon and looked.
  shorten(exception_id!, endsAt);
  await topology.restart(); // What is left is counted from the ledger's end.
  await topology.kill();
  expect(await seenOf([hotel.v4, hotel.v6], kinds)).toHaveLength(kinds);
  expect(await seenElsewhere()).toEqual([]);
  await sleep(Math.max(0, endsAt + 1000 - Date.now()));
  expect(await seenOf([hotel.v4, hotel.v6])).toEqual([]);
  expect(await seenElsewhere()).toEqual([]);
  // The resolvers may still answer for the portal; no device reaches it.
  expect(await browse(phone, start)).not.toBe("Thank you");
  await topology.restart();
  expect(await topology.api.ok("GET", "/exceptions/active")).toEqual([]);
  await until("the portal is not resolved any more", async () => /resolve host/.test(await browse(phone, start)), 10);
});

function shorten(id: string, endsAtMs: number): void {
  const database = new DatabaseSync(join(topology.folders.state, "portcullis.db"));
  database.prepare("UPDATE exception SET expires_at = ? WHERE id = ?").run(new Date(endsAtMs).toISOString(), id);
  database.close();
}
