import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filterPolicyOf, listsWithBits, wantedLists } from "../../daemon/src/compiler/dns/filter-policy.ts";
import type { FilterPolicy, Verdict } from "../../daemon/src/engines/dnsdist/filter-policy.model.ts";
import { answerVerdict, type Evaluate, evaluator } from "../../daemon/src/engines/dnsdist/verdict.model.ts";
import { type RandomChoices, randomChoices } from "../../testing/random-filter-policies.ts";
import { until } from "../../testing/deadline.ts";
import { recordFigure } from "../../testing/figure.ts";
import { announceSeed, randomFrom } from "../../testing/seed.ts";
import {
  clientAddresses,
  type Contents,
  listedBy,
  randomAliases,
  randomFresh,
  readDocument,
  replaceHalf,
  createDevices,
  textOf,
  upload,
} from "../random-dns-config.ts";
import { type Lab, openLab } from "../namespaces.ts";
import { type Answer, type DnsQuery, type DnsClient, startDnsClient } from "../dns-client.ts";
import { gatewayAddress, openDnsTopology, type DnsTopology } from "../topology-dns.ts";
import { server, type Device } from "../topology-devices.ts";

/*
 * For any rules, entries, rewrites and lists, for any clients: each query is answered as the pure evaluator says, over
 * the wire, from many addresses. `DNS_QUERIES=100000` is the full size.
 */
const queryCount = Number(process.env["DNS_QUERIES"] ?? 4000);
const perRound = Math.min(5000, Math.ceil(queryCount / 4));
const rounds = Math.ceil(queryCount / perRound);
const testedPerRound = 40;
const dice: RandomChoices = randomChoices(randomFrom(announceSeed("dns-never-wrong")));
const aliases = randomAliases(dice);

let lab: Lab;
let it: DnsTopology;
let device: Device;
let dnsClient: DnsClient;
const contents: Contents = new Map();

beforeAll(async () => {
  lab = openLab();
  it = await openDnsTopology(lab, {
    resolvers: ["r1"],
    aliases,
    // No device has a MAC: the address alone identifies the client.
    settings: { network: { lan_iface: "lan0", wan_iface: "wan0", default_egress: "direct" } },
  });
  device = await it.topology.net.device("d1", 1);
  for (const address of clientAddresses)
    await device.run("ip", "address", "add", `${address}/${address.includes(":") ? 64 : 24}`, "dev", "eth0", "nodad");
  dnsClient = await startDnsClient(device);
  await createDevices(it.topology.api, dice);
  await until("names are answered", async () => (await askOne("first.fresh.lab"))?.code === 0, 30);
});
afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const askOne = async (name: string, from = clientAddresses[0]!): Promise<Answer | undefined> =>
  (await dnsClient.query([{ from, to: gatewayOf(from), name, type: "A", protocol: "udp" }]))[0];
const gatewayOf = (address: string) => (address.includes(":") ? gatewayAddress.v6 : gatewayAddress.v4);

test("every query is answered as the evaluator says", { timeout: 900_000 + 20 * queryCount }, async () => {
  const counts: Record<string, number> = {};
  let tested = 0;
  const kinds = ["allow", "block", "rewrite", "none", "cloaked"];
  const isRare = (kind: string) => (counts[kind] ?? 0) <= 20;
  let round = 0;
  // What chance has left out comes in one of the next rounds.
  for (; round < rounds || (kinds.some(isRare) && round < 3 * rounds); round += 1) {
    await replaceHalf(it.topology.api, it.topology.net.gateway, dice, contents);
    await untilInForce();
    const { policy, evaluate } = await readEvaluator();
    const queries = Array.from({ length: perRound }, randomQuery);
    const answers = await dnsClient.query(queries);
    const differing = queries.flatMap((query, index) => {
      const { kind, expected } = expectedOf(evaluate, query);
      counts[kind] = (counts[kind] ?? 0) + 1;
      const actual = answers[index];
      return isSame(actual, expected) ? [] : [{ round, ...query, verdict: kind, expected, actual }];
    });
    recordFigure({ name: "answers that differ from the evaluator", value: differing.length, unit: "answers", most: 0 });
    expect(differing.slice(0, 5)).toEqual([]);
    tested += await compareTests(policy, evaluate, queries.slice(0, testedPerRound));
  }
  console.log(
    `never wrong: ${round * perRound} queries of ${clientAddresses.length} addresses in ${round} rounds, 0 differences; ` +
      `${tested} tests by the API; ${JSON.stringify(counts)}`,
  );
  recordFigure({ name: "answers compared with the evaluator", value: round * perRound, unit: "answers" });
  // All of it did happen.
  expect(kinds.filter(isRare)).toEqual([]);
});

test("an evaluator that knows less is found out: the control differs", async () => {
  const { policy } = await readEvaluator();
  const blind = evaluator({ ...policy, clients: [], lists: [] }, () => undefined);
  const queries = Array.from({ length: 1000 }, randomQuery);
  const answers = await dnsClient.query(queries);
  expect(queries.filter((query, index) => !isSame(answers[index], expectedOf(blind, query).expected))).not.toEqual([]);
});

test("while lists are added and removed, no client gets the answer of another's policy", async () => {
  await deleteAll();
  await untilInForce();
  const { ok } = it.topology.api;
  const [one, other] = [clientAddresses[40]!, clientAddresses[42]!];
  const listFor = async (address: string, name: string) => {
    const source = { source_type: "subnet", source_value: `${address}/32` };
    const { id } = (await ok("POST", "/dns/presets", { name: `of ${name}`, format: "domains", ...source })) as Made;
    await upload(it.topology.net.gateway, id, `${name}\n`);
    return id;
  };
  for (let round = 0; round < 3; round += 1) {
    const [first, second] = [`first${round}.turns.fresh.lab`, `second${round}.turns.fresh.lab`];
    const ids = [await listFor(one, first), await listFor(other, second)] as const;
    for (const [address, name] of [
      [one, first],
      [other, second],
    ] as const)
      await until("both are in force", async () => (await askOne(name, address))?.code === 3, 20);
    const queries = Array.from({ length: 1500 }, (_, index): DnsQuery => {
      const name = index % 2 === 0 ? first : second;
      return { from: other, to: gatewayAddress.v4, name, type: "A", protocol: "udp" };
    });
    const gone = ok("DELETE", `/dns/presets/${ids[0]}`);
    const codes = (await dnsClient.query(queries)).map(
      (answer, index) => `${index % 2 === 0 ? "first" : "second"} ${answer?.code}`,
    );
    await gone;
    expect([...new Set(codes)].toSorted()).toEqual(["first 0", "second 3"]);
    await until("its own is gone", async () => (await askOne(first, one))?.code === 0, 20);
    await ok("DELETE", `/dns/presets/${ids[1]}`);
  }
});

/** What is left of the rounds before, and may speak of any name. */
async function deleteAll(): Promise<void> {
  const { ok } = it.topology.api;
  for (const path of ["/dns/filter-rules", "/dns/allowlist", "/dns/blocklist", "/dns/rewrites"])
    for (let left = (await ok("GET", path)) as Made[]; left.length > 0; left = (await ok("GET", path)) as Made[])
      for (const { id } of left) await ok("DELETE", `${path}/${id}`);
}

let markers = 0;
/**
 * Waits until the last change of rules and of lists is in force. The domains exist, and no random rule is generated for
 * them.
 */
async function untilInForce(): Promise<void> {
  const { ok } = it.topology.api;
  const marker = (markers += 1);
  const list = { name: `marker ${marker}`, format: "domains" };
  const { id } = (await ok("POST", "/dns/presets", list)) as Made;
  const entries = [{ name: `listed${marker}.marker.signed.lab`, scope: "both" as const, isException: false }];
  await upload(it.topology.net.gateway, id, textOf("domains", entries));
  contents.set(id, entries);
  const domain = `ruled${marker}.marker.signed.lab`;
  await ok("POST", "/dns/rewrites", { domain, answer: "A", value: "203.0.113.200" });
  // A client for which no other rule matches the two domains: rules are random, and an expression may match any name.
  const { evaluate } = await readEvaluator();
  const listed = entries[0]!.name;
  const ruledFor = clientAddresses.find((from) => evaluate(from, domain).kind === "rewrite");
  const listedFor = clientAddresses.find((from) => {
    const actual = evaluate(from, listed);
    return actual.kind === "block" && actual.by.kind === "list";
  });
  if (ruledFor)
    await until("rules hold", async () => (await askOne(domain, ruledFor))?.answers[0] === "A 203.0.113.200", 10);
  if (listedFor) await until("lists hold", async () => (await askOne(listed, listedFor))?.code === 3, 20);
  await wait(ruledFor && listedFor ? 100 : 2000);
}

async function readEvaluator(): Promise<{ policy: FilterPolicy; evaluate: Evaluate }> {
  const document = await readDocument(it.topology.api);
  const bits = listsWithBits(document.dns_list ?? []).map((id, bit) => [id, bit] as const);
  const lists = wantedLists(document.dns_list ?? [], new Map(bits));
  const listed = listedBy(lists, contents);
  const policy = filterPolicyOf(document, document, [], lists, true);
  return { policy, evaluate: evaluator(policy, (name) => listed.get(name)) };
}

function randomQuery(): DnsQuery {
  const { among, below } = dice;
  const from = among(clientAddresses);
  const plain = below(4) === 0 ? among(Object.keys(aliases)) : randomFresh(dice);
  const isShouted = below(5) === 0;
  const name = isShouted ? plain.replaceAll(/[a-z]/g, (sign) => (below(2) === 0 ? sign.toUpperCase() : sign)) : plain;
  const type = among(["A", "A", "A", "AAAA", "AAAA", "TXT", "HTTPS", "MX", "CNAME"]);
  return { from, to: gatewayOf(from), name, type, protocol: below(100) === 0 ? "tcp" : "udp" };
}

interface Expected {
  /** Of the verdict; `cloaked` where it is that of an alias' target. */
  readonly kind: string;
  readonly expected: Answer;
}

function expectedOf(evaluate: Evaluate, { from, name: written, type }: DnsQuery): Expected {
  const name = written.toLowerCase();
  const own = evaluate(from, name);
  const cname = own.kind === "rewrite" ? own.action.cname : null;
  // A query for the alias itself returns its target only.
  const targets = (cname === null ? chainOf(name) : [cname]).slice(0, type === "CNAME" ? 1 : undefined);
  const verdict = own.kind === "rewrite" && cname === null ? own : answerVerdict(evaluate, from, name, targets);
  const isCloaked = verdict.kind === "block" && own.kind !== "block";
  return { kind: isCloaked ? "cloaked" : own.kind, expected: answerOf(verdict, type, targets) };
}

function answerOf(verdict: Verdict, type: string, targets: readonly string[]): Answer {
  if (verdict.kind === "block") return { code: 3, answers: [] };
  if (verdict.kind === "rewrite" && verdict.action.cname === null) {
    const { v4, v6 } = verdict.action;
    return { code: 0, answers: addresses(type, v4, v6) };
  }
  const led = targets.map((target) => `CNAME ${target}`);
  return { code: 0, answers: [...led, ...addresses(type, [server.v4], [server.v6])].toSorted() };
}

const addresses = (type: string, v4: readonly string[], v6: readonly string[]): string[] =>
  (type === "A" ? v4 : type === "AAAA" ? v6 : []).map((address) => `${type} ${address}`).toSorted();

function chainOf(name: string): string[] {
  const target = aliases[name];
  return target === undefined ? [] : [target, ...chainOf(target)];
}

const isSame = (actual: Answer | undefined, expected: Answer): boolean =>
  actual?.code === expected.code && actual.answers.join() === expected.answers.join();

/** The same queries to the API, which evaluates the name itself. */
async function compareTests(policy: FilterPolicy, evaluate: Evaluate, queries: readonly DnsQuery[]): Promise<number> {
  const differing: object[] = [];
  for (const { from, name, type } of queries) {
    const actual = (await it.topology.api.ok("POST", "/dns/test", { name, type, address: from })) as Tested;
    const own = evaluate(from, name);
    const values =
      own.kind === "rewrite"
        ? [...own.action.v4, ...own.action.v6, ...(own.action.cname ? [own.action.cname] : [])]
        : [];
    // Of several lists any may be named.
    const decider = own.kind === "none" ? undefined : own.by.kind === "list" ? "list" : own.by.cause.split(" ")[1];
    const expected = { verdict: own.kind, decider, values: values.toSorted() };
    const answered = {
      verdict: actual.verdict,
      decider: actual.by?.kind === "list" ? "list" : actual.by?.resource_id,
      values: actual.answers.map(({ value }) => value).toSorted(),
    };
    if (JSON.stringify(expected) !== JSON.stringify(answered)) differing.push({ from, name, expected, answered });
  }
  expect({ rules: policy.layers.length, differing: differing.slice(0, 5) }).toEqual({
    rules: policy.layers.length,
    differing: [],
  });
  return queries.length;
}

interface Made {
  readonly id: string;
}
interface Tested {
  readonly verdict: string;
  readonly by: { readonly kind: string; readonly resource_id: string } | null;
  readonly answers: readonly { readonly value: string }[];
}
