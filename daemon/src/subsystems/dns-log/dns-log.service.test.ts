import { expect, test } from "vitest";
import { dnsLogIn, sampleAnswer } from "../../../../testing/dns-log.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { dnsLogService, type LogLevel, type ReportedAnswer } from "./dns-log.service.ts";
import { rcodeName, typeNumber, typeName } from "./dns-numbers.ts";

const answer = (client: string, more: Partial<ReportedAnswer> = {}): ReportedAnswer => {
  const { keep: _keep, cause: _cause, ...answer } = sampleAnswer(1, { client });
  return { ...answer, by: null, ...more };
};

function service(folder: string, levels: Map<string, LogLevel>, levelNow?: (address: string) => LogLevel) {
  const log = dnsLogIn(folder);
  const levelOf = (address: string) => levels.get(address) ?? "none";
  const it = dnsLogService({
    log,
    levelOf,
    levelNow: levelNow ?? levelOf,
    deviceOf: () => undefined,
    causeOf: (by) =>
      by.kind === "list" ? { resource_type: "dns_list", resource_id: `list ${by.bit}`, name: "" } : undefined,
    droppedBefore: () => 0,
    onLogged: () => {},
    nowMs: () => 1_790_000_000_000,
  });
  return { log, ...it };
}

test("DNS log: of each client as much is written down as its level allows", async () => {
  using folder = temporaryFolder();
  const { log, take } = service(
    folder.path,
    new Map<string, LogLevel>([
      ["a", "full"],
      ["b", "counts"],
      ["c", "none"],
    ]),
  );
  take([...["a", "b", "c"].map((it) => answer(it, { name: `${it}.example` })), answer("a", { side: "up" })]);
  expect((await log.search({ limit: 9 })).map(({ name }) => name)).toEqual(["a.example"]);
  expect(log.clients().map(({ address, queries }) => [address, queries])).toEqual([
    ["a", 1],
    ["b", 1],
  ]);
  log.close();
});

test("DNS log: the queries of an unknown client are logged by the current level, and not deleted later", async () => {
  using folder = temporaryFolder();
  const levels = new Map<string, LogLevel>([["a", "full"]]);
  let now: LogLevel = "full";
  const { log, take, applyLevels } = service(folder.path, levels, () => now);
  take([answer("a", { name: "first.example" })]);
  now = "counts";
  take([answer("a", { name: "second.example" })]);
  await applyLevels();
  expect((await log.search({ limit: 9 })).map(({ name }) => name)).toEqual(["first.example"]);
  expect(log.clients()).toMatchObject([{ address: "a", queries: 2 }]);
  log.close();
});

test("DNS log: the deciding rule is looked up when the answer is reported", async () => {
  using folder = temporaryFolder();
  const { log, take } = service(folder.path, new Map([["a", "full" as const]]));
  take([
    answer("a", { by: { kind: "list", bit: 3, revision: 1 } }),
    answer("a", { by: { kind: "rule", index: 9, revision: 1 } }),
    answer("a"),
  ]);
  const changed = { resource_type: "unknown", resource_id: "", name: "rule since changed" };
  expect((await log.search({ limit: 9 })).map(({ cause }) => cause)).toMatchObject([
    null,
    changed,
    { resource_id: "list 3" },
  ]);
  log.close();
});

test("DNS log: a lower level takes away what was written down before; a higher one brings nothing back and takes nothing", async () => {
  using folder = temporaryFolder();
  const levels = new Map<string, LogLevel>(["a", "b", "c"].map((it) => [it, "full"]));
  const { log, take, applyLevels } = service(folder.path, levels);
  take(["a", "b", "c"].map((it) => answer(it)));
  levels.set("b", "counts").set("c", "none");
  await applyLevels();
  const rows = async () => (await log.search({ limit: 9 })).map(({ client }) => client);
  expect([await rows(), log.clients().map(({ address }) => address)]).toEqual([["a"], ["a", "b"]]);
  levels.set("b", "full").set("c", "full");
  await applyLevels();
  take([answer("b")]);
  expect(await rows()).toEqual(["b", "a"]);
  expect(log.clients().find(({ address }) => address === "b")).toMatchObject({ queries: 2, hasRows: true });
  log.close();
});

test("DNS log: what was begun to be forgotten before a crash is forgotten after it", async () => {
  using folder = temporaryFolder();
  const levels = new Map<string, LogLevel>([["a", "full"]]);
  const before = service(folder.path, levels);
  before.take([answer("a")]);
  levels.set("a", "none");
  void before.applyLevels();
  before.log.close();
  const after = service(folder.path, levels);
  expect(await after.log.search({ limit: 9 })).toHaveLength(1);
  await after.applyLevels();
  expect([await after.log.search({ limit: 9 }), after.log.clients()]).toEqual([[], []]);
  after.log.close();
});

test("DNS log: types and codes have words, and words have numbers", () => {
  expect([1, 65, 300].map(typeName)).toEqual(["A", "HTTPS", "TYPE300"]);
  expect(["aaaa", "TYPE65", "16", "65536", "BOGUS"].map(typeNumber)).toEqual([28, 65, 16, undefined, undefined]);
  expect([0, 3, 23].map(rcodeName)).toEqual(["NOERROR", "NXDOMAIN", "RCODE23"]);
});

test("DNS log: queries are counted since the start, not those of clients with the level none, and not less after the log was cleared", async () => {
  using folder = temporaryFolder();
  const levels = new Map<string, LogLevel>([
    ["a", "full"],
    ["b", "counts"],
    ["c", "none"],
  ]);
  const { log, take, counted, clear } = service(folder.path, levels);
  take([
    answer("a", { verdict: "block", side: "self" }),
    answer("a", { verdict: "none", side: "cache" }),
    answer("b", { verdict: "rebind", side: "front" }),
    answer("c", { verdict: "block", side: "cache" }),
    answer("a", { side: "up" }),
  ]);
  const expected = { queries: 3, blocked: 2, cached: 1 };
  expect(counted()).toEqual(expected);
  expect(log.clients()).toMatchObject([
    { address: "a", queries: 2, blocked: 1, cached: 1 },
    { address: "b", queries: 1, blocked: 1, cached: 0 },
  ]);
  await clear(undefined);
  expect(counted()).toEqual(expected);
  expect(log.clients()).toEqual([]);
  log.close();
});
