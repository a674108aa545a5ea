import { expect, test } from "vitest";
import type { Rule } from "../../daemon/src/engines/dnsdist/filter-policy.model.ts";
import { type Frontend, portsOf } from "../../daemon/src/engines/dnsdist/dnsdist.model.ts";
import { linux } from "../../daemon/src/system/system.ts";
import { soon } from "../dns.ts";
import { until } from "../../testing/deadline.ts";
import { enginesFolder } from "../tunnel-engines.ts";
import {
  filterPolicyOf,
  devices,
  frontendProcesses,
  openDnsdistTopology,
  plainFrontend,
  untilAnswered,
} from "../topology-dnsdist.ts";
import { openLab } from "../namespaces.ts";

const names = [
  "www.site.example. 60 IN A 198.51.100.1",
  "www.site.example. 60 IN AAAA 2001:db8::1",
  "ads.site.example. 60 IN A 198.51.100.2",
  "cloak.site.example. 60 IN CNAME tracker.bad.example.",
  "tracker.bad.example. 60 IN A 198.51.100.3",
  "listed.example. 60 IN A 198.51.100.4",
  "inside.site.example. 60 IN A 192.168.1.1",
  "home.site.example. 60 IN A 192.168.1.2",
  "home.site.example. 60 IN A 198.51.100.9",
  "hint.site.example. 60 IN HTTPS 1 . ipv4hint=10.0.0.1",
  "hinted.site.example. 60 IN HTTPS 1 . ipv4hint=198.51.100.1",
  "policy.example. 60 IN A 203.0.113.1",
  "policy.example. 60 IN A 203.0.113.2",
  "policy.example. 60 IN AAAA 2001:db8::5",
  "policy.example. 60 IN HTTPS 1 . ipv4hint=203.0.113.1",
  "shared.strong.example. 60 IN A 203.0.113.9",
  "shared.weak.example. 60 IN A 203.0.113.9",
];

const rule = (match: Rule["match"], action: Rule["action"]): Rule => ({ cause: "lab", match, action });
const rewritten = (v4: readonly string[], v6: readonly string[], cname: string | null = null): Rule["action"] => ({
  kind: "rewrite",
  v4,
  v6,
  cname,
});
const rules: readonly Rule[] = [
  rule({ kind: "exact", name: "ads.site.example" }, { kind: "block" }),
  rule({ kind: "suffix", name: "bad.example" }, { kind: "block" }),
  rule({ kind: "exact", name: "printer.example" }, rewritten(["192.0.2.7", "192.0.2.8"], ["2001:db8::7"])),
  rule({ kind: "exact", name: "alias.example" }, rewritten([], [], "www.site.example")),
  rule({ kind: "exact", name: "old.example" }, rewritten(["192.0.2.9"], [])),
];
const lists = [["listed.example", { exact: 1, below: 1, allowExact: 0, allowBelow: 0 }]] as const;

test("dnsdist: the filter policy decides each device's answers: allowed, blocked or rewritten", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  await fronts.write(filterPolicyOf(rules), lists);
  const driver = await fronts.openDriver();
  await driver.want(plainFrontend);
  await untilAnswered(fronts, "www.site.example");
  const { query } = fronts;
  const other = { from: devices[1] };
  const refused = { status: "NXDOMAIN", records: [] };
  const empty = { status: "NOERROR", records: [] };

  expect(await query("www.site.example")).toEqual({ status: "NOERROR", records: ["A 198.51.100.1"] });
  expect(await query("www.site.example", "AAAA")).toEqual({ status: "NOERROR", records: ["AAAA 2001:db8::1"] });
  expect(await query("www.site.example", "A", { flags: ["+tcp"] })).toMatchObject({ status: "NOERROR" });
  const bySix = ["+short", "@::1", "-p", String(plainFrontend.ports.frontend), "www.site.example"];
  expect(await fronts.gateway.run("kdig", ...bySix)).toBe("198.51.100.1\n");
  expect(await query("www.site.example", "ANY")).toEqual({ status: "REFUSED", records: [] });
  expect(await query("ads.site.example")).toEqual(refused);
  expect(await query("ADS.Site.example")).toEqual(refused);
  expect(await query("ads.site.example", "A", other)).toMatchObject({ status: "NOERROR" });
  expect(await query("ads.site.example")).toEqual(refused); // Also now that it is known.
  // How long that may be remembered lies where it belongs, if dnsdist is new enough to know where that is.
  const version = await fronts.gateway.run("dnsdist", "--version");
  const target = ["-p", String(plainFrontend.ports.frontend), "@127.0.0.1"];
  expect(await fronts.gateway.run("kdig", ...target, "ads.site.example")).toMatch(
    version.startsWith("dnsdist 1.7.")
      ? /ADDITIONAL SECTION:\nblocked\.invalid\.\s+30\s+IN\s+SOA/
      : /AUTHORITY SECTION:\nblocked\.invalid\.\s+30\s+IN\s+SOA/,
  );
  expect(await query("listed.example")).toEqual(refused);
  expect(await query("listed.example", "A", other)).toMatchObject({ status: "NOERROR" });

  expect(await query("printer.example")).toEqual({
    status: "NOERROR",
    records: expect.toSatisfy((it: string[]) => it.toSorted().join() === "A 192.0.2.7,A 192.0.2.8"),
  });
  expect(await query("printer.example", "AAAA")).toEqual({ status: "NOERROR", records: ["AAAA 2001:db8::7"] });
  expect(await query("old.example", "AAAA")).toEqual(empty);
  expect(await query("printer.example", "TXT")).toEqual(empty);
  expect(await query("alias.example")).toEqual({
    status: "NOERROR",
    records: ["CNAME www.site.example.", "A 198.51.100.1"],
  });
  expect(await query("alias.example", "TXT")).toEqual({ status: "NOERROR", records: ["CNAME www.site.example."] });

  // Cloaked: fresh for the one, known for the other, and neither spoils the cache for the other.
  for (const _ of [1, 2]) {
    expect(await query("cloak.site.example")).toEqual(refused);
    expect(await query("cloak.site.example", "A", other)).toEqual({
      status: "NOERROR",
      records: ["CNAME tracker.bad.example.", "A 198.51.100.3"],
    });
  }
  // The filter policy holds from the next query on.
  await fronts.write(filterPolicyOf([]), lists);
  expect(await query("ads.site.example")).toMatchObject({ status: "NOERROR", records: ["A 198.51.100.2"] });
  await fronts.write(filterPolicyOf(rules, { isFiltering: false }), lists);
  expect(await query("listed.example")).toMatchObject({ status: "NOERROR" });

  expect(await query("inside.site.example")).toEqual(empty);
  expect(await query("hint.site.example", "HTTPS")).toEqual(empty);
  expect((await query("hinted.site.example", "HTTPS")).records).toHaveLength(1);
  await driver.want({ ...plainFrontend, rebindable: ["site.example"] });
  expect((await query("home.site.example")).records).toHaveLength(2);
  expect(await driver.drift()).toEqual([]);
});

test("one that is killed comes back, and one whose daemon was killed is found again", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  await fronts.write(filterPolicyOf([]));
  const first = await fronts.openDriver();
  await first.want(plainFrontend);
  await untilAnswered(fronts, "www.site.example");
  const [processId] = frontendProcesses(folder.path);
  await first.kill();
  expect(await fronts.query("www.site.example")).toMatchObject({ status: "NOERROR" });

  const second = await fronts.openDriver();
  await second.want({ ...plainFrontend, ratePerSec: 1000 });
  expect(frontendProcesses(folder.path)).toEqual([processId]);
  expect(await second.drift()).toEqual([]);
  linux.signal(-processId!, "SIGKILL");
  await untilAnswered(fronts, "www.site.example");
  expect(frontendProcesses(folder.path)).not.toEqual([processId]);
  await until("the driver finds no difference", async () => (await second.drift()).length === 0, 5);

  // A front that cannot start hinders no other.
  const broken = { ...plainFrontend, number: 4, ports: { ...portsOf(4), frontend: 99_999 } };
  await second.want(plainFrontend, broken);
  // Each time it is tried again it runs for a moment.
  const kinds = async () => (await second.states()).map(({ kind }) => kind).join();
  await until("the frontend that cannot start is reported", async () => (await kinds()) === "running,broken", 5);
  expect(await fronts.query("www.site.example")).toMatchObject({ status: "NOERROR" });
  await second.want();
  expect(frontendProcesses(folder.path)).toEqual([]);
});

const maps = `table inet portcullis {
  map domain4 { type ipv4_addr : classid; flags timeout; }
  map domain6 { type ipv6_addr : classid; flags timeout; }
}
`;

test("dnsdist: addresses of a policy's names are in the kernel before the client gets them, or it gets none", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  const [strong, weak] = [0x4000_0001, 0x4000_0002];
  const rules = [rule({ kind: "exact", name: "made.policy.example" }, rewritten(["203.0.113.77"], []))];
  await fronts.write(
    filterPolicyOf(rules, {
      routes: [
        { domain: "policy.example", number: strong, rank: 5 },
        { domain: "strong.example", number: strong, rank: 5 },
        { domain: "weak.example", number: weak, rank: 9 },
      ],
    }),
  );
  const { gateway, query } = fronts;
  const load = (text: string) =>
    linux.run("ip", ["netns", "exec", gateway.namespace, "nft", "-f", "-"], { stdin: text });
  const flush = () => load("flush map inet portcullis domain4\nflush map inet portcullis domain6\n");
  const held = async () => {
    const text = await gateway.run("nft", "list", "table", "inet", "portcullis");
    return [...text.matchAll(/([0-9a-f.:]+) timeout [^:]* : (\S+?),? /g)]
      .map(([, key, data]) => `${key} ${data}`)
      .toSorted();
  };
  await load(maps);
  const driver = await fronts.openDriver();
  const front = { ...plainFrontend, isMapping: true };
  await driver.want(front);
  await untilAnswered(fronts, "www.site.example");

  const both = ["203.0.113.1 4000:1", "203.0.113.2 4000:1"];
  expect(await held()).toEqual([]);
  for (const _ of ["fresh", "known", "known, and the map was emptied"]) {
    expect((await query("policy.example")).records).toHaveLength(2);
    expect(await held()).toEqual(both);
    await flush();
  }
  await query("policy.example", "AAAA");
  expect(await held()).toEqual(["2001:db8::5 4000:1"]);
  expect(await query("policy.example", "HTTPS")).toEqual({ status: "NOERROR", records: [] });
  await flush();
  expect((await query("made.policy.example")).records).toEqual(["A 203.0.113.77"]);
  expect(await held()).toEqual(["203.0.113.77 4000:1"]);
  await flush();

  // An address of two policies belongs to the stronger one, in either order.
  await query("shared.weak.example");
  expect(await held()).toEqual(["203.0.113.9 4000:2"]);
  await query("shared.strong.example");
  expect(await held()).toEqual(["203.0.113.9 4000:1"]);
  expect((await query("shared.weak.example")).records).toHaveLength(1);
  expect(await held()).toEqual(["203.0.113.9 4000:1"]);

  await load("delete table inet portcullis\n");
  for (const name of ["policy.example", "shared.weak.example", "made.policy.example"])
    expect(await query(name)).toEqual({ status: "SERVFAIL", records: [] });
  expect((await query("www.site.example")).records).toHaveLength(1); // A client without a policy is not delayed.
  await load(maps);
  expect((await query("policy.example")).records).toHaveLength(2);
  expect(await held()).toEqual(both);
});

test("dnsdist: clients without an egress get answers from local zones only", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  await fronts.write(filterPolicyOf([]));
  const noEgress: Frontend = {
    ...plainFrontend,
    number: 0,
    ports: portsOf(0),
    isResolving: false,
    zones: ["home.example"],
    upstreams: { rotation: "failover", servers: [] },
  };
  const driver = await fronts.openDriver();
  await driver.want(plainFrontend, noEgress);
  await untilAnswered(fronts, "www.site.example");
  expect(await fronts.query("www.site.example", "A", { front: noEgress })).toEqual({ status: "SERVFAIL", records: [] });
  // In place of NSD.
  fronts.startZoneServer("home.example", "nas.home.example. 60 IN A 192.168.7.7");
  await until(
    "the zone is answered",
    async () => (await fronts.query("nas.home.example", "A", { front: noEgress, flags: [soon] })).status === "NOERROR",
    8,
  );
  expect(await fronts.query("www.site.example", "A", { front: noEgress })).toEqual({ status: "SERVFAIL", records: [] });
  await driver.want({ ...plainFrontend, zones: ["home.example"] }, { ...noEgress, zones: [] });
  expect(await fronts.query("nas.home.example", "A", { front: noEgress })).toMatchObject({ status: "SERVFAIL" });
  const isUp = async () => (await driver.statistics(plainFrontend)).servers.some((it) => it.name === "auth" && it.isUp);
  await until("the zone's server is up", isUp, 8);
  expect(await fronts.query("nas.home.example")).toMatchObject({ records: ["A 192.168.7.7"] });
});

test("dnsdist: queries are logged with their verdicts, and those of some clients are not", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  const quiet = { network: devices[1], layers: [0], lists: 1, log: "none" as const };
  await fronts.write(filterPolicyOf(rules, { clients: [quiet] }), lists);
  const log = fronts.openLog();
  const driver = await fronts.openDriver();
  await driver.want(plainFrontend);
  await untilAnswered(fronts, "www.site.example");
  const queried = ["www.site.example", "ads.site.example", "listed.example", "printer.example", "cloak.site.example"];
  for (const name of ["hinted.site.example", "bad.example"]) await fronts.query(name, "A", { from: devices[1] });
  for (const name of queried) await fronts.query(name);
  await fronts.query("inside.site.example");
  const words = [
    "3:front",
    "3:cache",
    "3:self",
    "3:up",
    "v:block",
    "r:0",
    "l:0",
    "v:rewrite",
    "r:2",
    "v:cname",
    "v:rebind",
  ];
  await until("every word is in the log", async () => words.every((word) => log().some((it) => it.includes(word))), 8);
  // An upstream was queried for it, but the log names no client.
  const logged = log().filter((it) => !it.includes("3:up"));
  expect(queried.every((name) => logged.some((it) => it.includes(name)))).toBe(true);
  expect(logged.filter((it) => it.includes("hinted.site.example"))).toEqual([]);
  expect(log().filter((it) => it.includes("hinted.site.example"))).not.toEqual([]);
  expect(logged.filter((it) => it.includes("ads.site.example"))).toEqual([
    expect.stringMatching(/v:block.*r:0|r:0.*v:block/), // Its labels come in no order.
  ]);
});

test("dnsdist: failing scripts and a missing filter policy lead to SERVFAIL", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  const driver = await fronts.openDriver();
  await driver.want(plainFrontend);
  const failing = { status: "SERVFAIL", records: [] };
  const restart = async () => {
    const before = frontendProcesses(folder.path);
    linux.signal(-before[0]!, "SIGKILL");
    await until("another front runs", async () => frontendProcesses(folder.path).some((it) => !before.includes(it)), 8);
    await until("the driver finds no difference", async () => (await driver.drift()).length === 0, 8);
    await until(
      "the resolver is up",
      async () => (await driver.statistics(plainFrontend)).servers.some(({ name, isUp }) => name === "unbound" && isUp),
      8,
    );
  };
  expect(await fronts.query("www.site.example")).toEqual(failing);
  await fronts.write(filterPolicyOf([]));
  await untilAnswered(fronts, "www.site.example"); // It is seen as soon as it is there.

  const scripts = `${folder.path}/dnsdist/${linux.list(`${folder.path}/dnsdist`).find((it) => it.startsWith("lua-"))!}`;
  for (const file of ["query.lua", "answer.lua", "verdict.lua"]) {
    const text = linux.readText(`${scripts}/${file}`)!;
    linux.writeAtomically(`${scripts}/${file}`, "error('broken')", 0o644);
    await restart();
    expect(await fronts.query("www.site.example")).toEqual(failing);
    linux.writeAtomically(`${scripts}/${file}`, text, 0o644);
  }
  await restart();
  expect(await fronts.query("www.site.example")).toMatchObject({ status: "NOERROR" });
});

test("dnsdist: an external filter is queried first and may query the gateway; no other host may", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  await fronts.write(filterPolicyOf([]));
  const driver = await fronts.openDriver();
  await driver.want(plainFrontend);
  await untilAnswered(fronts, "www.site.example");
  const returning = { ...plainFrontend, ports: { ...plainFrontend.ports, frontend: plainFrontend.ports.filtered } };
  expect(await fronts.query("www.site.example", "A", { front: returning })).toMatchObject({ status: "SILENT" });

  // It lives on the device's second address, and has an opinion of one name.
  fronts.startFilter(devices[1], "ads.site.example. 60 IN A 0.0.0.0");
  await driver.want({ ...plainFrontend, external: { address: devices[1], port: 5353 } });
  await until(
    "the rule is in force",
    async () => (await fronts.query("ads.site.example", "A", { flags: [soon] })).records[0] === "A 0.0.0.0",
    8,
  );
  expect((await fronts.query("listed.example")).records).toEqual(["A 198.51.100.4"]);
  expect(await fronts.query("www.site.example", "A", { front: returning })).toMatchObject({ status: "SILENT" });
  await driver.want(plainFrontend);
  expect((await fronts.query("ads.site.example")).records).toEqual(["A 198.51.100.2"]);
});
