import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import type { Frontend } from "../../daemon/src/engines/dnsdist/dnsdist.model.ts";
import { until } from "../../testing/deadline.ts";
import { enginesFolder } from "../tunnel-engines.ts";
import {
  filterPolicyOf,
  frontendProcesses,
  openDnsdistTopology,
  plainFrontend,
  untilAnswered,
  upstream,
  identityName,
} from "../topology-dnsdist.ts";
import { openLab } from "../namespaces.ts";

const names = [
  "www.site.example. 60 IN A 198.51.100.1",
  "www.site.example. 60 IN AAAA 2001:db8::1",
  "ads.site.example. 60 IN A 198.51.100.2",
  "cloak.site.example. 60 IN CNAME tracker.bad.example.",
  "tracker.bad.example. 60 IN A 198.51.100.3",
  "listed.example. 60 IN A 198.51.100.4",
];

test("dnsdist: upstreams, rotation and limits change while queries are answered, and nothing is lost", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  await fronts.write(filterPolicyOf([]));
  const driver = await fronts.openDriver();
  const servers = ["11", "12", "13"].map((it) => upstream(`u${it}`, `127.0.0.${it}`));
  const by = (rotation: Frontend["upstreams"]["rotation"], chosen = servers): Frontend => ({
    ...plainFrontend,
    upstreams: { rotation, servers: chosen },
  });
  await driver.want(by("round-robin"));
  await untilAnswered(fronts, "www.site.example");
  const processes = frontendProcesses(folder.path);
  const back = { ...plainFrontend, ports: { ...plainFrontend.ports, frontend: plainFrontend.ports.backend } };
  /** How many of this many queries each upstream received. */
  const shares = async (count: number) => {
    const output = await fronts.gateway.run(
      "sh",
      "-c",
      `for i in $(seq ${count}); do kdig +short +timeout=20 @127.0.0.1 -p ${back.ports.frontend} ${identityName} TXT; done`,
    );
    const all = output.trim().split("\n");
    return servers.map(({ address }) => all.filter((it) => it === `"${address}"`).length);
  };
  expect(await shares(30)).toEqual([10, 10, 10]);
  await driver.want(by("failover"));
  expect(await shares(10)).toEqual([10, 0, 0]);
  await driver.want(by("random"));
  expect((await shares(40)).every((it) => it > 0)).toBe(true);
  await driver.want(by("fastest"));
  expect((await shares(20)).reduce((sum, it) => sum + it)).toBe(20);
  // When all upstreams are dead, the answer is SERVFAIL at once.
  const backStatus = () =>
    fronts.gateway
      .run("kdig", "+timeout=2", "+retry=0", "@127.0.0.1", "-p", String(back.ports.frontend), identityName, "TXT")
      .then(
        (text) => /status: (\w+)/.exec(text)?.[1],
        () => "SILENT",
      );
  await driver.want(by("fastest", [upstream("gone", "127.0.0.99"), upstream("gone too", "127.0.0.98")]));
  await until("names fail", async () => (await backStatus()) === "SERVFAIL", 8);
  for (const _ of [1, 2, 3]) expect(await backStatus()).toBe("SERVFAIL");
  await driver.want(by("fastest"));
  await until("names are answered", async () => (await backStatus()) === "NOERROR", 8);

  // Fresh names, so that each query reaches an upstream.
  const load = async (change: () => Promise<void>) => {
    const made = fronts.device.run(
      "sh",
      "-c",
      `seq 3000 | sed 's/.*/n&-'$$'.site.example A/' | dnsperf -s 10.0.0.1 -p ${plainFrontend.ports.frontend} -Q 500 -n 1 -q 5000 -t 60`,
    );
    await change();
    const text = await made;
    return Number(/Queries lost:\s+(\d+)/.exec(text)?.[1] ?? Number.NaN);
  };
  expect(await load(async () => {})).toBe(0);
  const lost = await load(async () => {
    for (let round = 0; round < 10; round += 1) {
      await driver.want(by("round-robin", [servers[round % 3]!]));
      await driver.want(by("failover", [servers[(round + 1) % 3]!, servers[round % 3]!]));
    }
  });
  expect(lost).toBe(0);

  // A domain of a conditional upstream, and a zone that has no server here.
  const elsewhere = {
    domain: "who.example",
    pool: { rotation: "failover" as const, servers: [upstream("c1", "127.0.0.13")] },
  };
  await driver.want({ ...by("failover"), conditional: [elsewhere] });
  expect(await shares(5)).toEqual([0, 0, 5]);
  await driver.want(by("failover"));
  expect(await shares(5)).toEqual([5, 0, 0]);

  await driver.want({ ...by("failover"), ratePerSec: 20 });
  const flood = await fronts.device.run(
    "sh",
    "-c",
    `seq 400 | sed 's/.*/www.site.example A/' | dnsperf -s 10.0.0.1 -p ${plainFrontend.ports.frontend} -Q 200 -n 1 -t 1`,
  );
  const answered = Number(/Queries completed:\s+(\d+)/.exec(flood)?.[1]);
  expect(answered).toBeGreaterThan(10);
  // Far fewer than were sent; the limit is per second, and a slow machine needs more seconds.
  const runSec = Number(/Run time \(s\):\s+([\d.]+)/.exec(flood)![1]);
  expect(answered).toBeLessThan(50 * (runSec + 1));
  await driver.want(by("failover"));
  expect(await driver.drift()).toEqual([]);
  expect(frontendProcesses(folder.path)).toEqual(processes); // All of it without a new start.

  const { servers: seen } = await driver.statistics(plainFrontend);
  expect(seen.map(({ name }) => name).toSorted()).toEqual(["auth", "u11", "u12", "u13", "unbound"]);
  expect(seen.find(({ name }) => name === "unbound")).toMatchObject({ isUp: true });
  expect(seen.find(({ name }) => name === "unbound")!.queries).toBeGreaterThan(3000);
});

test("what is remembered is listed, and forgotten by pattern", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  await fronts.write(filterPolicyOf([]));
  const driver = await fronts.openDriver();
  await driver.want(plainFrontend);
  await untilAnswered(fronts, "www.site.example");
  const listed = async (pattern?: string) =>
    (await driver.cache(plainFrontend, 100, pattern)).entries.map(({ name, type }) => `${name} ${type}`).toSorted();
  for (const name of ["ads.site.example", "cloak.site.example", "listed.example"]) await fronts.query(name);
  await fronts.query("www.site.example", "AAAA");
  expect(await listed()).toEqual([
    "ads.site.example A",
    "cloak.site.example A",
    "listed.example A",
    "www.site.example A",
    "www.site.example AAAA",
  ]);
  expect(await listed("w*.example")).toEqual(["www.site.example A", "www.site.example AAAA"]);
  expect(await driver.cache(plainFrontend, 1)).toMatchObject({ count: 5, entries: [{ rcode: 0 }] });

  expect(await driver.flush(plainFrontend, "?ds.s*")).toEqual({ kind: "names", names: ["ads.site.example"] });
  expect(await driver.flush(plainFrontend, "listed.example")).toEqual({ kind: "names", names: ["listed.example"] });
  expect(await listed()).toEqual(["cloak.site.example A", "www.site.example A", "www.site.example AAAA"]);
  expect(await driver.flush(plainFrontend, "*.site.example")).toEqual({ kind: "below", name: "site.example" });
  expect(await listed()).toEqual([]);
  await fronts.query("www.site.example");
  expect(await driver.flush(plainFrontend)).toEqual({ kind: "all" });
  expect(await listed()).toEqual([]);
});

test("an upstream that is taken away while it owes an answer is sent nothing more, however young the front is", async () => {
  using folder = enginesFolder();
  await using lab = openLab();
  const fronts = await openDnsdistTopology(lab, folder.path, names);
  await fronts.write(filterPolicyOf([]));
  /** Does not answer, and counts what it receives. */
  const silent = fronts.gateway.start("python3", "-c", countingSocket("127.0.0.99"));
  const lines = createInterface({ input: silent.stdout! });
  await once(lines, "line");
  const counted = async () => {
    const line = once(lines, "line") as Promise<[string]>;
    silent.stdin!.write("count\n");
    return Number((await line)[0]);
  };
  const driver = await fronts.openDriver();
  const by = (...servers: Frontend["upstreams"]["servers"]): Frontend => ({
    ...plainFrontend,
    upstreams: { rotation: "round-robin", servers },
  });
  // A front that has just begun takes its servers for up, without having looked.
  await driver.want(by(upstream("old", "127.0.0.99")));
  const { frontend } = plainFrontend.ports;
  const pendingQuery = fronts.device.run(
    "kdig",
    "@10.0.0.1",
    "-p",
    String(frontend),
    "+timeout=1",
    "+retry=0",
    "x.example",
  );
  await until("a query waits for its answer", async () => (await counted()) > 0, 5);
  await driver.want(by(upstream("new", "127.0.0.11")));
  const before = await counted();
  await pendingQuery.catch(() => "");
  await untilAnswered(fronts, "www.site.example");
  // Longer than a server that owes an answer is kept, with a check in every second of it.
  await until(
    "the old one is forgotten",
    async () => (await driver.statistics(plainFrontend)).servers.every(({ name }) => name !== "old"),
    15,
  );
  const startedMs = performance.now();
  await until("checks would have come", async () => performance.now() - startedMs > 7000, 20);
  expect(await counted()).toBe(before);
  // The control: the same socket counts what it is sent.
  await fronts.gateway.run("kdig", "@127.0.0.99", "+timeout=1", "+retry=0", "x.example").catch(() => "");
  await until("it counts", async () => (await counted()) > before, 5);
});

/** Each line it reads is answered with how many datagrams had come by then. */
const countingSocket = (address: string): string => `
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("${address}", 53))
s.setblocking(False)
count = 0
print("ready", flush=True)
for _ in sys.stdin:
    try:
        while True:
            s.recv(4096)
            count += 1
    except BlockingIOError:
        print(count, flush=True)
`;
