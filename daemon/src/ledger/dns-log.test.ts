import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dnsLogIn, sampleAnswer, sampleAnswers } from "../../../testing/dns-log.ts";
import { temporaryFolder } from "../../../testing/folder.ts";
import { announceSeed } from "../../../testing/seed.ts";
import type { DnsLog, DnsSearch } from "./dns-log.ts";
import { type DnsRow, verdicts, type LoggedAnswer } from "./dns-log-pages.ts";

announceSeed("DNS log");

function fill(log: DnsLog, answers: readonly LoggedAnswer[], turn = 400): void {
  for (let first = 0; first < answers.length; first += turn) log.write(answers.slice(first, first + turn));
}

const idsOf = (rows: readonly DnsRow[]): number[] => rows.map(({ id }) => id);

test("DNS log: an answer is read back as it was written, newest first, also after a restart", async () => {
  using folder = temporaryFolder();
  const answers = [sampleAnswer(0), sampleAnswer(1), sampleAnswer(2, { client: "fd00::1", verdict: "cname" })];
  let log = dnsLogIn(folder.path);
  log.write(answers);
  log.close();
  log = dnsLogIn(folder.path);
  const wanted = answers.map(({ keep: _keep, ...rest }, n) => ({ ...rest, id: n + 1 })).toReversed();
  expect(await log.search({ limit: 10 })).toEqual(wanted);
  log.close();
});

test("DNS log: a page has what a look at every row would find, whatever is looked for", async () => {
  using folder = temporaryFolder();
  const answers = sampleAnswers(20_000).map((it, n) => ({ ...it, atMs: it.atMs + ((n * 7) % 1000) - 500 }));
  const log = dnsLogIn(folder.path);
  fill(log, answers);
  const maybe = <T>(it: fc.Arbitrary<T>) => fc.option(it, { nil: undefined });
  const time = maybe(fc.nat(20_000).map((n) => answers[0]!.atMs + n * 40));
  const searches: fc.Arbitrary<DnsSearch> = fc.record({
    clients: maybe(fc.subarray(["10.0.1.1", "10.0.0.3", "10.0.2.7", "10.9.9.9"])),
    name: maybe(fc.constantFrom("host-7919", "example-1.com", ".example-1.com", ".cdn.example-7.com", "HOST", ".com")),
    type: maybe(fc.constantFrom(1, 28, 65)),
    verdict: maybe(fc.constantFrom("none", "block", "allow")),
    sinceMs: time,
    untilMs: time,
    before: maybe(fc.nat(21_000)),
    after: maybe(fc.nat(21_000)),
    limit: fc.integer({ min: 1, max: 50 }),
  });
  await fc.assert(
    fc.asyncProperty(searches, async (search) => {
      const expected = answers.flatMap((it, n) => (isFound(it, n + 1, search) ? [n + 1] : []));
      const inOrder = search.after === undefined ? expected.toReversed() : expected;
      expect(idsOf(await log.search(search))).toEqual(inOrder.slice(0, search.limit));
    }),
    { numRuns: 100 },
  );
  log.close();
});

function isFound(it: LoggedAnswer, id: number, search: DnsSearch): boolean {
  const { clients, name, type, verdict, sinceMs = 0, untilMs = Infinity, before = Infinity, after = 0 } = search;
  const isNamed = name?.startsWith(".") ? `.${it.name}`.endsWith(name) : it.name.includes(name ?? "");
  const isMeant = clients === undefined || clients.includes(it.client);
  const isOfKind = [type ?? it.type, verdict ?? it.verdict].join() === [it.type, it.verdict].join();
  return isNamed && isMeant && isOfKind && it.atMs >= sinceMs && it.atMs < untilMs && id < before && id > after;
}

test("DNS log: at most the configured number of rows is kept, the newest ones", async () => {
  using folder = temporaryFolder();
  const log = dnsLogIn(folder.path, { rowsKept: 10_000 });
  fill(log, sampleAnswers(30_000));
  expect(log.size()).toEqual({ rows: 10_000, rowsKept: 10_000, lost: 0 });
  expect(idsOf(await log.search({ after: 0, limit: 2 }))).toEqual([20_001, 20_002]);
  log.keepRows(100);
  await expect.poll(() => log.size().rows).toBe(100);
  expect(idsOf(await log.search({ limit: 1000 })).at(-1)).toBe(29_901);
  log.close();
});

test("DNS log: clients and minutes are counted, also without a row", async () => {
  using folder = temporaryFolder();
  const nowMs = 1_790_000_000_000;
  const one = (more: Partial<LoggedAnswer>) => sampleAnswer(1, { atMs: nowMs, client: "10.0.0.1", ...more });
  let log = dnsLogIn(folder.path, { nowMs: () => nowMs });
  log.write([
    one({ keep: "counts", side: "cache" }),
    one({ keep: "counts", verdict: "rebind" }),
    one({ keep: "full", atMs: nowMs + 60_000 }),
    one({ client: "10.0.0.2", verdict: "block" }),
  ]);
  log.close();
  log = dnsLogIn(folder.path, { nowMs: () => nowMs });
  expect(log.clients()).toMatchObject([
    { address: "10.0.0.1", queries: 3, blocked: 1, cached: 1, firstMs: nowMs, lastMs: nowMs + 60_000 },
    { address: "10.0.0.2", queries: 1, blocked: 1, cached: 0 },
  ]);
  expect(log.minutes().map(({ queries, blocked, cached }) => [queries, blocked, cached])).toEqual([
    [3, 2, 1],
    [1, 0, 0],
  ]);
  expect(await log.search({ limit: 10 })).toHaveLength(2);
  log.close();
});

test("DNS log: minutes of yesterday, and of a clock that was wrong, are dropped", () => {
  using folder = temporaryFolder();
  let nowMs = 1_790_000_000_000;
  const log = dnsLogIn(folder.path, { nowMs: () => nowMs });
  const dayMs = 86_400_000;
  log.write([sampleAnswer(1, { atMs: nowMs }), sampleAnswer(1, { atMs: nowMs + 9 * dayMs })]);
  nowMs += dayMs + 60_000;
  log.write([sampleAnswer(1, { atMs: nowMs })]);
  expect(log.minutes().map(({ atMs }) => atMs)).toEqual([Math.floor(nowMs / 60_000) * 60_000]);
  log.close();
});

test("DNS log: of a client that is forgotten nothing is shown from then on, and nothing is on disk afterwards", async () => {
  using folder = temporaryFolder();
  const log = dnsLogIn(folder.path);
  const secret = (n: number) => sampleAnswer(n, { client: "10.7.7.7", name: `secret-${n}.example` });
  fill(
    log,
    sampleAnswers(30_000).map((it, n) => (n % 10 === 0 ? secret(n) : it)),
  );
  expect(await log.search({ name: "secret", limit: 5 })).toHaveLength(5);
  expect(onDisk(folder.path, "secret-")).toBe(true);
  const forgotten = log.forget(["10.7.7.7"], "rows");
  expect(await log.search({ name: "secret", limit: 5 })).toEqual([]);
  await forgotten;
  expect(onDisk(folder.path, "secret-")).toBe(false);
  expect(log.clients().find(({ address }) => address === "10.7.7.7")).toMatchObject({ queries: 3000, hasRows: false });
  expect((await log.search({ limit: 1000 })).length).toBe(1000);
  await log.forget(["10.7.7.7"], "everything");
  expect(log.clients().find(({ address }) => address === "10.7.7.7")).toBeUndefined();
  log.close();
  expect(onDisk(folder.path, "10.7.7.7")).toBe(false);
});

const onDisk = (folder: string, text: string): boolean =>
  readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text));

test("DNS log: a file says that a client has rows until the last of them is gone", async () => {
  using folder = temporaryFolder();
  let log = dnsLogIn(folder.path);
  fill(
    log,
    sampleAnswers(20_000).map((it) => ({ ...it, client: "10.7.7.7" })),
  );
  void log.forget(["10.7.7.7"], "rows");
  await nextTurn();
  log.close(); // In the middle of it.
  log = dnsLogIn(folder.path);
  expect(log.clients()).toMatchObject([{ hasRows: true }]);
  expect((await log.search({ limit: 1 })).length).toBe(1);
  log.close();
});

test.each([
  ["is no database", (path: string) => writeFileSync(path, "no database ".repeat(2000))],
  ["is broken in the middle", (path: string) => writeFileSync(path, damaged(readFileSync(path)))],
])("DNS log: a file that %s is set aside, and the log goes on", async (_, damage) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "dns-log.db");
  let log = dnsLogIn(folder.path);
  fill(log, sampleAnswers(20_000));
  log.close();
  damage(path);
  const warnings: string[] = [];
  log = dnsLogIn(folder.path, { warn: (sentence) => warnings.push(sentence) });
  await log.search({ name: "nothing-like-it", limit: 1 });
  log.write([sampleAnswer(5)]);
  expect(warnings).toHaveLength(1);
  expect(await log.search({ limit: 10 })).toHaveLength(1);
  expect(existsSync(`${path}.broken`)).toBe(true);
  await log.forget(["10.0.2.5"], "rows");
  expect(existsSync(`${path}.broken`)).toBe(false);
  log.close();
});

function damaged(bytes: Buffer): Buffer {
  for (let at = 200_000; at < bytes.length; at += 16_384) bytes.fill(0xee, at, at + 4000);
  return bytes;
}

test("DNS log: a daemon that is killed loses at most the rows that wait, and the file is whole", async () => {
  using folder = temporaryFolder();
  const program = `
    import { dnsLogIn, sampleAnswers } from ${JSON.stringify(join(process.cwd(), "testing", "dns-log.ts"))};
    const log = dnsLogIn(${JSON.stringify(folder.path)});
    for (let n = 0; ; n += 100) { log.write(sampleAnswers(100, n)); process.stdout.write(\`\${n + 100}\\n\`); }`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.length > 2000) break;
  }
  child.kill("SIGKILL");
  const acknowledged = Number(said.split("\n").at(-2));
  const warnings: string[] = [];
  await expect.poll(() => child.signalCode).toBe("SIGKILL");
  const log = dnsLogIn(folder.path, { warn: (sentence) => warnings.push(sentence) });
  const [newest] = await log.search({ limit: 1 });
  expect(newest!.id).toBeGreaterThan(acknowledged - 3000);
  expect(newest!.id % 100).toBe(0);
  expect(log.clients().reduce((sum, { queries }) => sum + queries, 0)).toBe(newest!.id);
  expect(warnings).toEqual([]);
  log.close();
});

test("DNS log: rows that wait to be written are counted and found, are written with others or after a time, and one that is forgotten is not left", async () => {
  using folder = temporaryFolder();
  let nowMs = 1_790_000_000_000;
  const log = dnsLogIn(folder.path, { nowMs: () => nowMs });
  const name = (n: number) => sampleAnswer(n, { name: `waiting-${n}.example`, client: "10.7.7.7" });
  log.write([name(1)]);
  expect([log.size().rows, log.clients()[0]?.queries, onDisk(folder.path, "waiting-1")]).toEqual([1, 1, false]);
  nowMs += 1_200_000;
  log.write([name(2)]);
  expect(onDisk(folder.path, "waiting-2")).toBe(true);
  log.write([name(3)]);
  expect(idsOf(await log.search({ name: "waiting-3", limit: 5 }))).toEqual([3]);
  fill(log, sampleAnswers(2999));
  log.write([name(4)]);
  expect(onDisk(folder.path, "waiting-4")).toBe(true);
  log.write([name(5)]);
  await log.forget(["10.7.7.7"], "everything");
  expect([onDisk(folder.path, "waiting-"), (await log.search({ name: "waiting", limit: 5 })).length]).toEqual([
    false,
    0,
  ]);
  log.write([name(6)]);
  log.close();
  expect(onDisk(folder.path, "waiting-6")).toBe(true);
});

test("DNS log: where there can be no file, a little is kept in memory", async () => {
  using folder = temporaryFolder();
  const warnings: string[] = [];
  const log = dnsLogIn(join(folder.path, "missing"), { warn: (sentence) => warnings.push(sentence) });
  fill(log, sampleAnswers(21_000));
  expect([warnings.length, log.size().rows]).toEqual([1, 20_000]);
  expect(await log.search({ limit: 9 })).toHaveLength(9);
  await log.forget(["10.0.0.0"], "everything");
  log.close();
});

test("DNS log: ids are never reused, not even after a clear", async () => {
  using folder = temporaryFolder();
  let log = dnsLogIn(folder.path);
  fill(log, sampleAnswers(1000));
  log.clear();
  expect([log.clients(), await log.search({ limit: 1 })]).toEqual([[], []]);
  log.close();
  log = dnsLogIn(folder.path);
  log.write([sampleAnswer(1)]);
  expect(idsOf(await log.search({ after: 1000, limit: 5 }))).toEqual([1001]);
  log.close();
});

test("DNS log: beyond the limit of clients the least recent ones are removed", async () => {
  using folder = temporaryFolder();
  const log = dnsLogIn(folder.path);
  const address = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  fill(
    log,
    Array.from({ length: 10_500 }, (_, n) => sampleAnswer(n, { client: address(n) })),
  );
  await expect.poll(() => log.clients().length).toBe(9000);
  expect(log.size().lost).toBe(500);
  const newClient = address(10_400);
  const isActive = async () => {
    log.write([sampleAnswer(20_000, { client: newClient })]);
    return (await log.search({ clients: [newClient], limit: 1 })).length;
  };
  await expect.poll(isActive).toBe(1);
  expect(await log.search({ clients: [address(3)], limit: 5 })).toEqual([]);
  log.close();
});

test("DNS log: names are counted with any bytes, unchanged", async () => {
  using folder = temporaryFolder();
  const warnings: string[] = [];
  const log = dnsLogIn(folder.path, { warn: (sentence) => void warnings.push(sentence) });
  const strange = [
    'a"b',
    "a\\b",
    "a\\000b",
    "a\u0000b",
    "\u0001\n\t",
    "[]",
    "null",
    "",
    "\u{1f600}.example",
    "\ufffd",
    "'; --",
    "é",
  ];
  log.write(strange.flatMap((name, place) => Array<LoggedAnswer>(place + 1).fill(sampleAnswer(place, { name }))));
  log.write([sampleAnswer(0, { name: "plain.example", verdict: "block" })]);
  const { names, rows } = await log.names(1000);
  const expected = strange.map((name, place) => [name, place + 1] as const);
  expect(new Map(names.map(({ name, queries }) => [name, queries]))).toEqual(
    new Map([...expected, ["plain.example", 1]]),
  );
  expect(names.find(({ name }) => name === "plain.example")).toMatchObject({ blocked: 1 });
  expect(rows).toBe(expected.reduce((sum, [, queries]) => sum + queries, 1));
  expect(warnings).toEqual([]);
  log.close();
});

test("DNS log: names of whom is to be forgotten are not counted, from that moment on", async () => {
  using folder = temporaryFolder();
  const log = dnsLogIn(folder.path);
  log.write([
    sampleAnswer(0, { name: "theirs.example", client: "10.0.0.7" }),
    sampleAnswer(1, { name: "ours.example", client: "10.0.0.8" }),
  ]);
  expect((await log.names(10)).names.map(({ name }) => name).toSorted()).toEqual(["ours.example", "theirs.example"]);
  const forgotten = log.forget(["10.0.0.7"], "everything");
  expect((await log.names(10)).names.map(({ name }) => name)).toEqual(["ours.example"]);
  await forgotten;
  log.close();
});

test("DNS log: names are counted over the newest rows", async () => {
  using folder = temporaryFolder();
  const log = dnsLogIn(folder.path);
  fill(log, sampleAnswers(1000));
  log.write(verdicts.map((verdict) => sampleAnswer(0, { name: "often.example", verdict })));
  expect(await log.names(6)).toEqual({ rows: 6, names: [{ name: "often.example", queries: 6, blocked: 3 }] });
  log.close();
});
