import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FilterPolicy } from "../daemon/src/engines/dnsdist/filter-policy.model.ts";
import { renderFilterPolicy } from "../daemon/src/engines/dnsdist/filter-policy.render.ts";
import { listsDraft } from "../daemon/src/engines/dnsdist/lists.render.ts";
import { ownMs } from "../testing/clock.ts";
import type { Figure } from "../testing/figure.ts";

const clients = Array.from({ length: 1000 }, (_, at) => at + 1);
const rulesEach = Array.from({ length: 20 }, (_, at) => at);
const names = 1_000_000;

/** CPU of a verdict: 1,000 clients with 20 rules each, 100 rules for all clients, 1,000,000 listed names. */
export function verdicts(): readonly Figure[] {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  try {
    const startedAt = ownMs();
    const lists = renderedLists();
    const listsMs = ownMs() - startedAt;
    writeFileSync(join(folder, "lists.cdb"), lists);
    writeFileSync(join(folder, "policy.cdb"), renderFilterPolicy(policy));
    const state = new Uint8Array(4096);
    state.set([1, 0, 0, 0, 1]);
    writeFileSync(join(folder, "state"), state);
    const scripts = join(import.meta.dirname, "../daemon/src/engines/dnsdist/lua");
    const output = execFileSync("luajit", [join(import.meta.dirname, "verdicts.lua"), scripts, folder], {
      encoding: "utf8",
    });
    const lines = output.trimEnd().split("\n");
    return [
      { name: "building one list file", value: listsMs, unit: "ms", most: 10_000, note: "1,000,000 names" },
      ...lines.map((line) => measured(line.split("\t"))),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const measured = ([title, nanoseconds, garbage]: readonly string[]): Figure => ({
  name: `DNS verdict, ${title}`,
  value: Number(nanoseconds),
  unit: "ns",
  most: 10_000,
  note: `client, route and verdict in the resolver's script; ${garbage} bytes of garbage`,
});

function renderedLists(): Uint8Array {
  const draft = listsDraft();
  for (let at = 0; at < names; at += 1) draft.add(`host${at}.example${at % 1000}.com`, 1, 1, 0, 0);
  return draft.finish();
}

const blocked = (kind: "exact" | "suffix", name: string) =>
  ({ cause: name, match: { kind, name }, action: { kind: "block" } }) as const;

const policy: FilterPolicy = {
  isFiltering: true,
  clients: clients.map((number) => ({
    network: `10.77.${number >> 8}.${number & 255}`,
    layers: [number, 0],
    lists: 1,
    log: "full",
  })),
  others: { layers: [0], lists: 1, log: "full" },
  layers: [
    { number: 0, rules: Array.from({ length: 100 }, (_, at) => blocked("suffix", `global${at}.test`)) },
    ...clients.map((number) => ({
      number,
      rules: rulesEach.map((at) => blocked(at % 2 === 0 ? "exact" : "suffix", `c${number}-r${at}.own.test`)),
    })),
  ],
  lists: [{ id: "list", name: "list", bit: 0 }],
  routes: [{ domain: "policy.test", number: 7, rank: 0 }],
};
