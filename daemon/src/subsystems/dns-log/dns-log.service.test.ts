import { expect, test } from "vitest";
import { dnsLogIn, sampleAnswer } from "../../../../testing/dns-log.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { dnsLogService, type LogLevel, type ReportedAnswer } from "./dns-log.service.ts";
import { rcodeName, typeNumber, typeName } from "./dns-numbers.ts";

const told = (client: string, more: Partial<ReportedAnswer> = {}): ReportedAnswer => {
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
    nowMs: () => 1_790_000_000_000,
  });
  return { log, ...it };
}

test("of each client as much is written down as its level allows", async () => {
  using folder = temporaryFolder();
  const { log, take } = service(
    folder.path,
    new Map<string, LogLevel>([
      ["a", "full"],
      ["b", "counts"],
      ["c", "none"],
    ]),
  );
  take([...["a", "b", "c"].map((it) => told(it, { name: `${it}.example` })), told("a", { side: "up" })]);
  expect((await log.search({ limit: 9 })).map(({ name }) => name)).toEqual(["a.example"]);
  expect(log.clients().map(({ address, queries }) => [address, queries])).toEqual([
    ["a", 1],
    ["b", 1],
  ]);
  log.close();
});

test("whoever is not known yet is written down as its caution has it, and not forgotten for it later", async () => {
  using folder = temporaryFolder();
  const levels = new Map<string, LogLevel>([["a", "full"]]);
  let now: LogLevel = "full";
  const { log, take, applyLevels } = service(folder.path, levels, () => now);
  take([told("a", { name: "first.example" })]);
  now = "counts";
  take([told("a", { name: "second.example" })]);
  await applyLevels();
  expect((await log.search({ limit: 9 })).map(({ name }) => name)).toEqual(["first.example"]);
  expect(log.clients()).toMatchObject([{ address: "a", queries: 2 }]);
  log.close();
});

test("who decided is found out when the answer is told of", async () => {
  using folder = temporaryFolder();
  const { log, take } = service(folder.path, new Map([["a", "full" as const]]));
  take([
    told("a", { by: { kind: "list", bit: 3, revision: 1 } }),
    told("a", { by: { kind: "rule", index: 9, revision: 1 } }),
    told("a"),
  ]);
  const changed = { resource_type: "unknown", resource_id: "", name: "rule since changed" };
  expect((await log.search({ limit: 9 })).map(({ cause }) => cause)).toMatchObject([
    null,
    changed,
    { resource_id: "list 3" },
  ]);
  log.close();
});

test("a lower level takes away what was written down before; a higher one brings nothing back and takes nothing", async () => {
  using folder = temporaryFolder();
  const levels = new Map<string, LogLevel>(["a", "b", "c"].map((it) => [it, "full"]));
  const { log, take, applyLevels } = service(folder.path, levels);
  take(["a", "b", "c"].map((it) => told(it)));
  levels.set("b", "counts").set("c", "none");
  await applyLevels();
  const rows = async () => (await log.search({ limit: 9 })).map(({ client }) => client);
  expect([await rows(), log.clients().map(({ address }) => address)]).toEqual([["a"], ["a", "b"]]);
  levels.set("b", "full").set("c", "full");
  await applyLevels();
  take([told("b")]);
  expect(await rows()).toEqual(["b", "a"]);
  expect(log.clients().find(({ address }) => address === "b")).toMatchObject({ queries: 2, hasRows: true });
  log.close();
});

test("what was begun to be forgotten before a crash is forgotten after it", async () => {
  using folder = temporaryFolder();
  const levels = new Map<string, LogLevel>([["a", "full"]]);
  const before = service(folder.path, levels);
  before.take([told("a")]);
  levels.set("a", "none");
  void before.applyLevels();
  before.log.close();
  const after = service(folder.path, levels);
  expect(await after.log.search({ limit: 9 })).toHaveLength(1);
  await after.applyLevels();
  expect([await after.log.search({ limit: 9 }), after.log.clients()]).toEqual([[], []]);
  after.log.close();
});

test("types and codes have words, and words have numbers", () => {
  expect([1, 65, 300].map(typeName)).toEqual(["A", "HTTPS", "TYPE300"]);
  expect(["aaaa", "TYPE65", "16", "65536", "BOGUS"].map(typeNumber)).toEqual([28, 65, 16, undefined, undefined]);
  expect([0, 3, 23].map(rcodeName)).toEqual(["NOERROR", "NXDOMAIN", "RCODE23"]);
});
