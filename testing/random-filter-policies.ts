import type {
  Action,
  FilterPolicy,
  Client,
  Layer,
  Listed,
  Match,
  Phase,
} from "../daemon/src/engines/dnsdist/filter-policy.model.ts";
import { labelsOf, wireOf } from "../daemon/src/engines/dnsdist/name.model.ts";

export interface RandomChoices {
  readonly below: (limit: number) => number;
  readonly among: <T>(choices: readonly T[]) => T;
  readonly many: <T>(max: number, make: () => T) => T[];
}

export const randomChoices = (random: () => number): RandomChoices => {
  const below = (limit: number): number => Math.floor(random() * limit);
  return {
    below,
    among: (choices) => choices[below(choices.length)]!,
    many: (max, make) => Array.from({ length: below(max + 1) }, make),
  };
};

/** Few labels, so that names, rules and lists overlap often; some never occur in queries of browsers. */
const words = ["a", "b", "ab", "ads", "x1", "a-b", "cdn", "A", "Ads", "a\\.b", "\\000", "\\255\\092", "*"];

export const randomName = ({ among, many }: RandomChoices): string =>
  [...many(3, () => among(words)), among(["a", "b", "com", "net", "Com"])].join(".") + among(["", "", "."]);

/** Regular expressions of the accepted syntax over the same few characters. */
export function randomPattern(dice: RandomChoices, depth = 3): string {
  const { among, below } = dice;
  const deeper = (): string => randomPattern(dice, depth - 1);
  const part = (): string => {
    switch (depth > 0 ? below(9) : below(3)) {
      case 0:
        return among(["a", "b", "d", "s", "x", "1", "A", "\\.", "-", "com", "ads"]);
      case 1:
        return among([".", "\\d", "\\w", "\\D", "\\W", "[ab]", "[^a.]", "[a-d1-3]", "[^\\w]", "[\\d-]", "[.-]"]);
      case 2:
        return among(["a", "^", "$", "b", "", "s"]);
      case 3:
        return `(${deeper()})`;
      case 4:
        return `(?:${deeper()})`;
      case 5:
        return `(?:${deeper()}|${deeper()})`;
      case 6:
        return `(?:${deeper()})${among(["*", "+", "?", "*?", "{2}", "{1,}", "{0,2}", "{2,3}?"])}`;
      default:
        return among(["a", "b", "."]) + among(["*", "+", "?", "{1,3}"]);
    }
  };
  const run = (): string => Array.from({ length: 1 + below(3) }, part).join("");
  return below(4) === 0 ? `${run()}|${run()}` : run();
}

const networks = ["10.0.0.1", "10.0.0.2/32", "10.0.0.0/30", "10.0.0.0/24", "10.0.0.77/9", "0.0.0.0/0"].concat([
  "fd00::1",
  "fd00::/64",
  "fd00::/61",
  "::/0",
  "fd00:0:0:8::/62",
  "::ffff:10.0.0.3",
  "::ffff:10.0.1.0/120",
  "nonsense",
]);
const addresses = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.9", "10.0.1.1", "10.200.0.1", "192.0.2.1"].concat([
  "fd00::1",
  "fd00::2",
  "fd00:0:0:7::1",
  "fd00:0:0:9::1",
  "2001:db8::1",
  "::ffff:10.0.0.1",
  "::ffff:10.0.0.200",
]);

export const randomAddress = ({ among }: RandomChoices): string => among(addresses);

export interface RandomFilterPolicy {
  readonly policy: FilterPolicy;
  /** By name in lower case, without a trailing dot. */
  readonly listed: ReadonlyMap<string, Listed>;
}

export function randomFilterPolicy(dice: RandomChoices): RandomFilterPolicy {
  const { among, below, many } = dice;
  const numbers = Array.from({ length: 1 + below(5) }, (_, at) => at * 257 + below(250));
  let causes = 0;
  const layers = numbers.map(
    (number): Layer => ({
      number,
      rules: many(12, () => ({ cause: `rule ${causes++}`, match: randomMatch(dice), action: randomAction(dice) })),
    }),
  );
  /** Over for long, or for long not. */
  const randomPhase = (): Phase => ({
    untilSec: among([0, 1, 4_000_000_000, 4_294_967_295]),
    layers: many(4, () => among([...numbers, 9999])),
    lists: among([0, 1, 0x8000_0000, 6]),
  });
  const settings = (): Omit<Client, "network"> => ({
    layers: many(4, () => among([...numbers, 9999])),
    lists: among([0, 1, 0x8000_0000, 0xffff_ffff, 6, 0x8000_0001]),
    log: among(["full", "counts", "none"]),
    ...(below(3) === 0 && { phases: many(3, randomPhase).toSorted((a, b) => a.untilSec - b.untilSec) }),
  });
  return {
    policy: {
      isFiltering: below(20) > 0,
      clients: many(10, () => ({ network: among(networks), ...settings() })),
      others: settings(),
      layers,
      lists: Array.from({ length: 32 }, (_, bit) => ({ id: `list ${bit}`, name: "", bit })),
      routes: many(4, () => ({
        domain: randomName(dice),
        number: among([7, 0x0100_0001, 0xffff_0000]),
        rank: below(9),
      })),
    },
    listed: new Map(many(25, () => [inOneForm(randomName(dice)), randomBits(dice)])),
  };
}

const inOneForm = (name: string): string => labelsOf(wireOf(name)!).join(".");

function randomMatch(dice: RandomChoices): Match {
  const kind = dice.among(["exact", "suffix", "suffix", "wildcard", "wildcard", "regex"] as const);
  if (kind === "regex") return { kind, pattern: randomPattern(dice, 2) };
  return {
    kind,
    name: dice.below(30) === 0 ? dice.among(["", ".", "a..b", "ä.com", "x".repeat(64)]) : randomName(dice),
  };
}

function randomAction({ among, below, many }: RandomChoices): Action {
  const kind = among(["allow", "block", "rewrite"] as const);
  if (kind !== "rewrite") return { kind };
  const v4 = many(2, () => `192.0.2.${below(4)}`);
  const v6 = many(2, () => `2001:db8::${below(4)}`);
  return { kind, v4, v6, cname: among([null, null, "target.example", "a.b.com."]) };
}

function randomBits({ among }: RandomChoices): Listed {
  const bits = (): number => among([0, 0, 1, 2, 0x8000_0000, 0xffff_ffff]);
  const hasExceptions = among([true, false, false]);
  return {
    exact: bits(),
    below: bits(),
    allowExact: hasExceptions ? bits() : 0,
    allowBelow: hasExceptions ? bits() : 0,
  };
}
