import type { FilterPolicy } from "../daemon/src/engines/dnsdist/filter-policy.model.ts";
import { listsDraft } from "../daemon/src/engines/dnsdist/lists.render.ts";

export const clientCount = 1000;
export const clientAddress = (number: number): string => `10.77.${number >> 8}.${number & 255}`;

const listedCount = 1_000_000;
/** Of 1,000 names, the first 100 belong to a policy, and the last 200 are aliases (CNAME), as for large sites. */
const [siteCount, policySites, aliasSites] = [1000, 100, 200];

const siteName = (at: number): string => `www.site${at}.${at < policySites ? "policy" : "other"}.example`;
const listedName = (at: number): string => `host${at}.tracker${at % 1000}.example`;

/** The records of the upstream. */
export const sampleRecords: readonly string[] = Array.from({ length: siteCount }, (_, at) => {
  const [name, address] = [siteName(at), `198.51.${at >> 8}.${at & 255}`];
  if (at < siteCount - aliasSites) return [`${name}. 3600 IN A ${address}`];
  return [`${name}. 3600 IN CNAME edge${at}.cdn.example.`, `edge${at}.cdn.example. 3600 IN A ${address}`];
}).flat();

/** Nine of ten names exist; the tenth is in a block list. */
export function sampleQueries(count: number): string {
  const random = numbers(7);
  return queries(count, () =>
    random() < 0.9 ? siteName(Math.floor(random() * siteCount)) : listedName(Math.floor(random() * 2000)),
  );
}

/** Every name below this domain exists. */
export const freshDomain = "fresh.example";

/** Names that no earlier round has used. */
export const freshQueries = (count: number, round: number): string =>
  queries(count, (at) => `name${at}-${round}.${freshDomain}`);

const queries = (count: number, name: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${name(at)} A\n`).join("");

function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function sampleLists(): Uint8Array {
  const draft = listsDraft();
  for (let at = 0; at < listedCount; at += 1) draft.add(listedName(at), 1, 1, 0, 0);
  return draft.finish();
}

/** 20 rules for each client and 100 for all clients. Like most rules, they match none of the queried names. */
const policyWith = (log: "full" | "none", routes: FilterPolicy["routes"]): FilterPolicy => ({
  isFiltering: true,
  clients: Array.from({ length: clientCount }, (_, at) => ({
    network: clientAddress(at + 1),
    layers: [at + 1, 0],
    lists: 1,
    log,
  })),
  others: { layers: [0], lists: 1, log },
  layers: [
    { number: 0, rules: Array.from({ length: 100 }, (_, at) => blocked("suffix", `global${at}.example`)) },
    ...Array.from({ length: clientCount }, (_, client) => ({
      number: client + 1,
      rules: Array.from({ length: 20 }, (__, at) =>
        blocked(at % 2 === 0 ? "exact" : "suffix", `rule${at}.client${client}.example`),
      ),
    })),
  ],
  lists: [{ id: "list", name: "list", bit: 0 }],
  routes,
});

const blocked = (kind: "exact" | "suffix", name: string) =>
  ({ cause: name, match: { kind, name }, action: { kind: "block" } }) as const;

export const samplePolicies = {
  filtering: policyWith("none", []),
  everything: policyWith("full", [{ domain: "policy.example", number: 0x40000001, rank: 1 }]),
} as const;
