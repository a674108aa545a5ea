import { afterAll, beforeAll, expect, test } from "vitest";
import { queryOnce } from "../dns-load.ts";
import { pauseMonitors } from "../netlink-monitors.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Client, gatewayAddress, openDnsTopology, type DnsTopology } from "../topology-dns.ts";
import { stolenSec } from "../../testing/clock.ts";
import { expectWithin, repeatable, until } from "../../testing/deadline.ts";

/* Devices are known by their MACs. `DNS_ADDRESSES=50` is the full size. */
const rounds = Number(process.env["DNS_ADDRESSES"] ?? 8);
const limitSec = 0.2;

let lab: Lab;
let it: DnsTopology;
let child: Client;
let other: Client;

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab);
  child = await it.client("d1", "direct");
  other = await it.client("d2", "direct");
  await it.topology.apply();
  for (const one of [child, other])
    await until("names are answered", async () => (await one.query("signed.lab"))?.status === "NOERROR", 20);
  await it.topology.api.ok("POST", "/dns/blocklist", {
    domain: "toys.fresh.lab",
    source_type: "device",
    source_value: child.deviceId,
  });
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const take = (who: Client, address: string) =>
  who.device.run("ip", "address", "add", address, "dev", "eth0", ...(address.includes(":") ? ["nodad"] : []));
const leave = (who: Client, address: string) => who.device.run("ip", "address", "del", address, "dev", "eth0");

const askFrom = (who: Client, address: string, name: string) =>
  queryOnce(who.device, address.includes(":") ? gatewayAddress.v6 : gatewayAddress.v4, name, "A", "-b", address);

/**
 * Seconds from the first query to the first one with this status. One shell on the device sends them: a process per
 * query would be too slow to measure it.
 */
async function untilAnswered(who: Client, address: string, name: string, status: string): Promise<number> {
  const server = address.includes(":") ? gatewayAddress.v6 : gatewayAddress.v4;
  const command = `kdig @${server} ${name} A +timeout=5 +retry=0 +nocrypto -b ${address}`;
  const loop = `for ((left = 6000; left > 0; left--)); do at=$EPOCHREALTIME; [[ $(${command}) == *"status: ${status};"* ]] && exec echo "$first $at"; done; exit 1`;
  const stolen = stolenSec();
  const output = await who.device.run("bash", "-c", `LC_ALL=C; first=$EPOCHREALTIME; ${loop}`);
  const [first, at] = output.split(" ").map(Number);
  return at! - first! - (stolenSec() - stolen);
}

/** No address is used twice, also when the test is repeated: then it would be known. */
let newDevices = 0;

test.each([
  { family: "IPv4", address: (index: number) => `10.0.0.${40 + index}`, bits: 24 },
  { family: "IPv6", address: (index: number) => `fd00::a:${40 + index}`, bits: 64 },
])(
  "a rule for a device holds for a new $family address, a moment after its first query",
  repeatable,
  async ({ family, address, bits }) => {
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const index = (newDevices += 1) % 150;
      await take(child, `${address(index)}/${bits}`);
      seconds.push(await untilAnswered(child, address(index), `r${newDevices}.toys.fresh.lab`, "NXDOMAIN"));
      await leave(child, `${address(index)}/${bits}`);
    }
    const worst = Math.max(...seconds);
    console.log(
      `devices: a new ${family} address has its rules at worst ${(1000 * worst).toFixed(0)} ms after it came`,
    );
    expect(await askFrom(other, bits === 24 ? "10.0.0.3" : "fd00::3", "x.toys.fresh.lab")).toMatchObject({
      status: "NOERROR",
    });
    expectWithin(limitSec, { "the slowest rule of a new address": worst });
  },
);

test("an address has the rules of the device that uses it now", async () => {
  await take(child, "10.0.0.200/24");
  await untilAnswered(child, "10.0.0.200", "a.toys.fresh.lab", "NXDOMAIN");
  await leave(child, "10.0.0.200/24");
  await take(other, "10.0.0.200/24");
  // It resolves the gateway, as a device that joins a network does.
  await other.device.run("ip", "neigh", "flush", "dev", "eth0");
  await untilAnswered(other, "10.0.0.200", "a.toys.fresh.lab", "NOERROR");
  expect(await child.query("a.toys.fresh.lab")).toMatchObject({ status: "NXDOMAIN" });
});

test("the policy tester and the local zone know the addresses of a device", async () => {
  const { ok } = it.topology.api;
  expect(await ok("POST", "/dns/test", { name: "toys.fresh.lab", device_id: child.deviceId })).toMatchObject({
    verdict: "block",
  });
  expect(await ok("POST", "/dns/test", { name: "toys.fresh.lab", device_id: other.deviceId })).toMatchObject({
    verdict: "none",
  });
  await ok("POST", "/dns/zones", { name: "home.lab", fill_from_devices: true });
  await until("the zone has the device", async () => (await other.query("d1.home.lab"))?.status === "NOERROR", 20);
  expect((await other.query("d1.home.lab"))?.answers).toContain("A 10.0.0.2");
});

test("a service is blocked, and a search engine restricted, for the devices of the rule only", async () => {
  const { ok } = it.topology.api;
  // The names do not exist in this lab: a zone has them.
  for (const [zone, records] of [
    ["youtu.be", { "@": "45.64.9.1" }],
    ["duckduckgo.com", { "@": "45.64.9.2", safe: "45.64.9.3" }],
  ] as const) {
    const { id } = (await ok("POST", "/dns/zones", { name: zone })) as { id: string };
    for (const [name, value] of Object.entries(records))
      await ok("POST", "/dns/records", { zone_id: id, name, type: "A", value });
  }
  const answersOf = async (who: Client, name: string) => (await who.query(name))?.answers.toSorted();
  await until("the zones are answered", async () => (await answersOf(other, "duckduckgo.com"))?.length === 1, 20);
  for (const [service, action] of [
    ["youtube", "block"],
    ["search", "safe_search"],
  ])
    await ok("PUT", `/dns/services/${service}`, { action, source_type: "device", source_value: "d1" });

  await until("the service is blocked", async () => (await child.query("youtu.be"))?.status === "NXDOMAIN", 20);
  expect(await answersOf(other, "youtu.be")).toEqual(["A 45.64.9.1"]);
  expect(await answersOf(child, "duckduckgo.com")).toEqual(["A 45.64.9.3", "CNAME safe.duckduckgo.com."]);
  expect(await answersOf(other, "duckduckgo.com")).toEqual(["A 45.64.9.2"]);
  const tested = await ok("POST", "/dns/test", { name: "www.youtube.com", device_id: child.deviceId });
  expect(tested).toMatchObject({ verdict: "block", by: { name: "YouTube: d1" } });

  await ok("PUT", "/dns/services/youtube", { action: "none", source_type: "device", source_value: "d1" });
  await until("it is no longer blocked", async () => (await child.query("youtu.be"))?.status === "NOERROR", 20);
});

const wholeWeek = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/** The time of day, as a schedule has it. */
function timeOfDay(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
}
const hourMs = 3_600_000;

test("a rule with a schedule applies while the schedule is active", async () => {
  const { ok } = it.topology.api;
  const later = { from: timeOfDay(Date.now() + 2 * hourMs), to: timeOfDay(Date.now() + 3 * hourMs) };
  await ok("POST", "/schedules", { name: "Evening", note: "homework", days: wholeWeek, ...later });
  const rule = { name: "No games", action: "block", match: "suffix", pattern: "games.fresh.lab" };
  await ok("POST", "/dns/filter-rules", { ...rule, schedule_id: "Evening" });
  await ok("POST", "/dns/filter-rules", { ...rule, name: "No toys", pattern: "toys2.fresh.lab" });
  // The second rule is newer and in force, so the first one is not waiting for anything.
  await until("the other rule applies", async () => (await child.query("toys2.fresh.lab"))?.status === "NXDOMAIN", 20);
  expect(await child.query("a.games.fresh.lab")).toMatchObject({ status: "NOERROR" });
  await ok("PUT", "/schedules/Evening", { from: timeOfDay(Date.now() - hourMs) });
  await until("it is blocked", async () => (await child.query("b.games.fresh.lab"))?.status === "NXDOMAIN", 20);
  await ok("PUT", "/schedules/Evening", later);
  await until("it is not blocked", async () => (await child.query("c.games.fresh.lab"))?.status === "NOERROR", 20);
});

test("a schedule begins and ends at its minute without a request", { tags: ["proof"] }, async () => {
  const { ok } = it.topology.api;
  const start = Math.ceil((Date.now() + 20_000) / 60_000) * 60_000;
  const times = { days: wholeWeek, from: timeOfDay(start), to: timeOfDay(start + 60_000) };
  await ok("POST", "/schedules", { name: "One minute", ...times });
  const rule = { name: "One minute", action: "block", match: "suffix", pattern: "brief.fresh.lab" };
  await ok("POST", "/dns/filter-rules", { ...rule, schedule_id: "One minute" });
  expect(await child.query("a.brief.fresh.lab")).toMatchObject({ status: "NOERROR" });
  await until("it is blocked", async () => (await child.query("b.brief.fresh.lab"))?.status === "NXDOMAIN", 90);
  const blocked = Date.now();
  await until("it is not blocked", async () => (await child.query("c.brief.fresh.lab"))?.status === "NOERROR", 90);
  expect(blocked).toBeGreaterThanOrEqual(start);
  expect(Date.now()).toBeGreaterThanOrEqual(start + 60_000);
  expectWithin(2, { "a rule after the begin of its schedule": (blocked - start) / 1000 });
});

test("nothing is written down of a private device, not even of its first moment", async () => {
  const { ok } = it.topology.api;
  const logged = async (name: string) =>
    (await ok("GET", `/dns/log?name=${name}`)) as { client: string; device_name: string }[];
  // By default a new device is logged.
  await take(child, "10.0.0.210/24");
  await askFrom(child, "10.0.0.210", "open.fresh.lab");
  await until("it is written down", async () => (await logged("open.fresh.lab")).length > 0, 10);
  const { id } = (await ok("POST", "/privacy-classes", { name: "quiet", log_level: "none" })) as { id: string };
  await ok("PUT", `/devices/${child.deviceId}`, { name: "d1", mac: child.device.mac, privacy_class: id });
  await until("what was written down is gone", async () => (await logged("open.fresh.lab")).length === 0, 10);
  // That moment is short; here it lasts for as long as the daemon gets no neighbour events.
  {
    using _ = await pauseMonitors(it.topology.net.gateway, "neigh");
    for (let round = 0; round < rounds; round += 1) {
      await take(child, `10.0.0.${220 + round}/24`);
      await askFrom(child, `10.0.0.${220 + round}`, "secret.d1.fresh.lab");
      await other.query(`public${round}.fresh.lab`);
    }
    // The log is in order: all queries before the last public one are in it by now, if at all.
    await until("the last is written down", async () => (await logged(`public${rounds - 1}.fresh.lab`)).length > 0, 10);
  }
  expect(await logged("public0.fresh.lab")).toMatchObject([{ client: "10.0.0.3", device_name: "d2" }]);
  expect(await logged("secret.d1.fresh.lab")).toEqual([]);
  const clients = (await ok("GET", "/dns/clients?limit=1000")) as { address: string }[];
  expect(clients.map(({ address }) => address)).toContain("10.0.0.3");
  expect(clients.map(({ address }) => address).filter((it) => it.startsWith("10.0.0.22"))).toEqual([]);
});
