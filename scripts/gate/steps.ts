/** One step of the gate: commands that run at the same time, or suites of `vitest.config.ts`, and files where only some of a suite run. */
export interface Step {
  readonly name: string;
  readonly commands?: readonly (readonly string[])[];
  readonly tests?: { readonly projects: readonly string[]; readonly files?: readonly string[] };
  readonly env?: Readonly<Record<string, string>>;
}

/** Steps that run at the same time, because neither uses both processors. */
type Stage = readonly Step[];

const build: Step = { name: "build", commands: [["npm", "run", "build"]] };

/** Tests that start a program take the built one. */
const built = { PORTCULLIS_BUILT: "1" };

/** Type checker and linter use one processor each for most of their time. */
const check: Step = {
  name: "check",
  commands: [
    ["npm", "run", "typecheck"],
    ["npm", "run", "check:style"],
  ],
};

const fuzzAndCrash: Stage = [
  {
    name: "fuzz",
    commands: [
      ["npm", "run", "fuzz"],
      // Each format takes its seconds, one after the other.
      ["npm", "run", "fuzz:lists", "--", "auto", "hosts"],
      ["npm", "run", "fuzz:lists", "--", "domains", "adblock", "rpz"],
    ],
    env: { SECONDS: "10" },
  },
  { name: "crash", tests: { projects: ["crash"] }, env: built },
];

/**
 * The gate: what every change must pass. It checks invariants, at any load. Everything at full size, and everything that
 * measures time or cost, is in `npm run proof`.
 */
export const stages: readonly Stage[] = [
  [build],
  [check],
  [{ name: "unit", tests: { projects: ["unit"] }, env: built }],
  [{ name: "api", tests: { projects: ["api"] }, env: built }],
  fuzzAndCrash,
  [{ name: "lab", tests: { projects: ["gate-lab"] } }],
  [{ name: "browser", tests: { projects: ["e2e"], files: ["e2e/first-enforcement", "e2e/journey", "e2e/lockout"] } }],
  [{ name: "records", commands: [["npm", "run", "proof:status"]] }],
];

/** Sizes of the gate. Each test reads its own; the defaults are those of a run by hand, full sizes are in the proof. */
export const gateEnv: Readonly<Record<string, string>> = {
  PROPERTY_MS: "2000",
  STRANGE_REQUESTS: "3000",
  // Six kills missed a planted loss of one write in 33 in one of two runs.
  CRASHES: "15",
  ROTATION_CRASHES: "2",
  SECRETS: "30",
  ROUNDS: "5",
  APPLIES: "4",
  SETS: "30",
  SETS_BY_API: "4",
  COMMITS: "300",
  FLOWS: "900",
  DNS_NAMES: "300",
  DNS_EARLY: "300",
  DNS_QUERIES: "3000",
  PROBES_PER_SECOND: "400",
  MATRIX: "families",
  SEQUENCES: "2",
  SEQUENCE_FAULTS: "6",
};
