import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type RandomChoices,
  randomChoices,
  type RandomFilterPolicy,
  randomAddress,
  randomFilterPolicy,
  randomName,
} from "../../../../testing/random-filter-policies.ts";
import { temporaryFolder } from "../../../../testing/folder.ts";
import { sinceBootMs } from "../../system/clock.ts";
import { announceSeed, randomFrom } from "../../../../testing/seed.ts";
import type { FilterPolicy, Verdict } from "./filter-policy.model.ts";
import { answers, renderFilterPolicy } from "./filter-policy.render.ts";
import { renderLists } from "./lists.render.ts";
import { labelsOf, wireOf } from "./name.model.ts";
import { addressBytes, parseLiteral } from "../../net/addresses.ts";
import { clientFinder, evaluator, policyAt } from "./verdict.model.ts";

const dice = randomChoices(randomFrom(announceSeed("verdicts of the script")));
const policyCount = Number(process.env["FILTER_POLICIES"] ?? 4);
const damagedCount = Number(process.env["DAMAGED_POLICIES"] ?? 15);
const queryCount = 2500;

interface Query {
  readonly address: string;
  readonly name: string;
}

test("the resolvers' script and the evaluator never differ", () => {
  using folder = temporaryFolder();
  const kinds: Record<string, number> = {};
  const frequent = () => Object.values(kinds).filter((count) => count > policyCount);
  let policies = 0;
  // A few policies may not rewrite or allow any queried name: then there are more of them.
  for (; policies < policyCount || (frequent().length < 4 && policies < 5 * policyCount); policies += 1) {
    const it = randomFilterPolicy(dice);
    const queries = Array.from({ length: queryCount }, () => randomQuery(dice));
    writeFiles(folder.path, it.policy.isFiltering, renderFilterPolicy(it.policy), renderLists(it.listed));
    const expected = expectedOf(it, queries);
    const said = run(folder.path, queries);
    expect(said).toHaveLength(expected.length);
    const different = queries.map((query, at) => ({ ...query, said: said[at], expected: expected[at] }));
    expect(different.filter((one) => one.said !== one.expected).slice(0, 5)).toEqual([]);
    for (const line of expected) kinds[line[0]!] = (kinds[line[0]!] ?? 0) + 1;
  }
  console.log(`${policies * queryCount} queries; none, allow, block, rewrite: ${Object.values(kinds).join(", ")}`);
  expect(frequent()).toHaveLength(4);
});

test("a file that is cut short or has other bytes than were written never ends the reader", () => {
  using folder = temporaryFolder();
  const { policy, listed } = randomFilterPolicy(dice);
  const queries = Array.from({ length: 500 }, () => randomQuery(dice));
  const whole = [renderFilterPolicy({ ...policy, isFiltering: true }), renderLists(listed)] as const;
  let refused = 0;
  for (let round = 0; round < damagedCount; round += 1) {
    const [rules, lists] = whole.map((bytes) => (round % 3 === 0 ? shortened(bytes) : flipped(bytes)));
    writeFiles(folder.path, true, rules!, lists!);
    const said = run(folder.path, queries);
    expect(said).toHaveLength(queries.length);
    if (said[0] === "not ready") refused += 1;
  }
  // Every third file is cut short, and none of those is usable.
  expect(refused).toBeGreaterThanOrEqual(Math.floor(damagedCount / 3));
});

const randomQuery = (it: RandomChoices): Query => ({ address: randomAddress(it), name: randomName(it) });

const logNumbers = { full: 0, counts: 1, none: 2 } as const;
const kindNumbers = { none: 0, allow: 1, block: 2, rewrite: 3 } as const;

function expectedOf({ policy, listed }: RandomFilterPolicy, queries: readonly Query[]): readonly string[] {
  const evaluate = evaluator(policyAt(policy, sinceBootMs() / 1000), (name) => listed.get(name));
  const clientOf = clientFinder(policy);
  return queries.map(({ address, name }) => {
    const verdict = evaluate(address, name);
    return `${kindNumbers[verdict.kind]} ${deciderOf(verdict)} ${answersOf(verdict)} ${routeOf(policy, name)} ${logNumbers[clientOf(address).log]}`;
  });
}

function deciderOf(verdict: Verdict): string {
  if (verdict.kind === "none") return "0 false";
  const { by } = verdict;
  return by.kind === "list" ? `${by.id.slice("list ".length)} true` : `${by.cause.slice("rule ".length)} false`;
}

const answersOf = (verdict: Verdict): string => (verdict.kind === "rewrite" ? hex(answers(verdict.action)) : "-");

function routeOf({ routes }: FilterPolicy, name: string): string {
  const labels = labelsOf(wireOf(name)!);
  const suffixes = labels.map((_, at) => labels.slice(at).join("."));
  const written = (domain: string): string => labelsOf(wireOf(domain)!).join(".");
  const strongestFirst = routes.toSorted((one, other) => one.rank - other.rank);
  for (const suffix of suffixes) {
    const found = strongestFirst.find(({ domain }) => written(domain) === suffix);
    const ofNumber = strongestFirst.find(({ number }) => number === found?.number);
    if (found) return `${found.number} ${found.rank} ${ofNumber?.rank}`;
  }
  return "null null null";
}

function writeFiles(folder: string, isFiltering: boolean, rules: Uint8Array, lists: Uint8Array): void {
  const state = new Uint8Array(4096);
  state[0] = 1;
  state[4] = isFiltering ? 1 : 0;
  writeFileSync(join(folder, "state"), state);
  writeFileSync(join(folder, "policy.cdb"), rules);
  writeFileSync(join(folder, "lists.cdb"), lists);
}

function run(folder: string, queries: readonly Query[]): readonly string[] {
  const lines = queries.map(
    ({ address, name }) => `${hex(addressBytes(parseLiteral(address)!))} ${hex(spelled(name))}`,
  );
  const scripts = join(import.meta.dirname, "lua");
  const driver = join(import.meta.dirname, "../../../../testing/dns-queries.lua");
  const input = `${lines.join("\n")}\n`;
  const said = execFileSync("luajit", [driver, scripts, folder], { encoding: "utf8", input });
  return said.trimEnd().replaceAll("nil", "null").split("\n");
}

/** Clients write letters in either case, often at random. */
function spelled(name: string): Uint8Array {
  const wire = wireOf(name)!;
  for (let at = 0; wire[at] !== 0; ) {
    const next = at + 1 + wire[at]!;
    for (at += 1; at < next; at += 1) if (wire[at]! >= 97 && wire[at]! <= 122) wire[at]! -= dice.among([0, 32]);
  }
  return wire;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const shortened = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, dice.below(bytes.length));

/** Half of them where lengths and offsets are more frequent than letters. */
function flipped(bytes: Uint8Array): Uint8Array {
  const other = bytes.slice();
  for (let count = 1 + dice.below(40); count > 0; count -= 1) {
    other[dice.below(dice.among([2048, other.length]))] = dice.among([0, 1, 255, dice.below(256)]);
  }
  return other;
}
