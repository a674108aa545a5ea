import type { Part } from "./part.ts";

/** What the built daemon consists of. */
const daemon = ["contract/src/**", "daemon/src/**", "package-lock.json", "rolldown.config.ts"];
/**
 * Used by the DNS plane alone. Parts that do not send DNS queries leave it out: a change there is proved by the parts that
 * do, and the others stay valid.
 */
const withoutDns = [
  ...["dnsdist", "dns-proxy", "lists", "nsd", "unbound"].map((engine) => `!daemon/src/engines/${engine}/**`),
  "!daemon/src/dns-proxy/**",
  "!daemon/src/subsystems/dns/**",
  "!daemon/src/subsystems/dns-log/**",
  "!daemon/src/ledger/dns-log*",
];
const labSupport = ["lab/*", "testing/**"];
const leakSupport = [...daemon, ...labSupport, "lab/leaks/**", "scripts/leak-*.ts"];
const browserSupport = [...daemon, ...labSupport, "web/**", "e2e/*", "scripts/documentation/**"];

const engines = (...names: readonly string[]): string[] => names.map((name) => `lab/engines/${name}.lab.test.ts`);
const journeys = (...names: readonly string[]): string[] => names.map((name) => `lab/journeys/${name}.lab.test.ts`);

function lab(
  name: string,
  promise: string,
  tests: readonly string[],
  { covers = [...daemon, ...labSupport], sizes = {} }: Partial<Pick<Part, "covers" | "sizes">> = {},
): Part {
  const steps = [{ kind: "tests", project: "lab*", files: tests }] as const;
  return { name, promise, kind: "lab", covers, tests, sizes, steps, needsBuild: true, needsRoot: true };
}

function benchmark(group: string, promise: string, covers: readonly string[]): Part {
  return {
    name: `bench-${group}`,
    promise,
    kind: "benchmark",
    covers: [...covers, "bench/**", "testing/**"],
    tests: [],
    sizes: { BENCH_RUNS: 3 },
    steps: [{ kind: "script", script: "bench/run.ts", words: [group] }],
    needsBuild: true,
    needsRoot: true,
  };
}

/**
 * All parts, in the order in which they run: first what shows leaks, losses and wrong answers in the shortest time, then
 * load and measurements. The random sequences of faults come last: they take hours, and continue after an interruption.
 */
export const parts: readonly Part[] = [
  {
    name: "unit",
    promise:
      "Every function, property and document does what its test says, with properties tried at their full count.",
    kind: "suite",
    covers: ["contract", "daemon", "cli", "web", "architecture", "scripts", "testing", "packaging"].map(
      (it) => `${it}/**`,
    ),
    tests: ["**/*.test.ts", "!**/*.api.test.ts", "!**/*.crash.test.ts", "!**/*.lab.test.ts", "!**/*.e2e.test.ts"],
    sizes: { FILTER_POLICIES: 12, DAMAGED_POLICIES: 60, ANOMALY_SITES: 12 },
    steps: [{ kind: "tests", project: "unit" }],
    needsBuild: false,
    needsRoot: false,
  },
  {
    name: "api",
    promise:
      "The API answers as its contract says, also to 20,000 malformed and random requests, and exposes no secret.",
    kind: "suite",
    covers: [...daemon, "cli/**", "testing/**"],
    tests: ["**/*.api.test.ts"],
    sizes: { STRANGE_REQUESTS: 20_000 },
    steps: [{ kind: "tests", project: "api" }],
    needsBuild: false,
    needsRoot: false,
  },
  {
    name: "crash",
    promise:
      "A daemon killed at any moment loses no acknowledged write and no message about an alert, and no rotation of secrets stays half done.",
    kind: "suite",
    covers: [...daemon, "testing/**"],
    tests: ["**/*.crash.test.ts"],
    sizes: { CRASHES: 200, DELIVERY_CRASHES: 60, ROTATION_CRASHES: 50, SECRETS: 1000, PORTCULLIS_BUILT: 1 },
    steps: [{ kind: "tests", project: "crash" }],
    needsBuild: true,
    needsRoot: false,
  },
  {
    name: "fuzz",
    promise: "No random tunnel file or block list makes a parser throw, hang, or accept what it must refuse.",
    kind: "suite",
    covers: [
      "contract/src/**",
      "daemon/src/subsystems/tunnels/**",
      "daemon/src/engines/lists/**",
      "scripts/fuzz-*.ts",
    ].concat(["tunnel", "list"].flatMap((it) => [`testing/${it}-files.ts`, `testing/${it}-fuzz.ts`])),
    tests: [],
    sizes: { SECONDS: 60 },
    steps: [
      { kind: "script", script: "scripts/fuzz-tunnel-files.ts" },
      { kind: "script", script: "scripts/fuzz-lists.ts" },
    ],
    needsBuild: false,
    needsRoot: false,
  },
  lab(
    "lab-guard",
    "No packet of a protected device leaves outside its egress while rules, routes, daemon and policies change or fail.",
    journeys(
      "captive",
      "controls",
      "guard",
      "guard-boot",
      "guard-servers",
      "lan-destinations",
      "leak-check",
      "leak-monitor",
    ).concat(journeys("leaks", "protected-sources", "refused", "segments", "senders", "vlans")),
    { covers: [...daemon, ...labSupport, "packaging/**"], sizes: { ROUNDS: 100 } },
  ),
  lab(
    "lab-policies",
    "An apply, a rollback or an exception takes effect in time, loses no packet of other flows, and leaks none meanwhile.",
    journeys(
      "reverse-path",
      "confirm",
      "enforcement",
      "epochs",
      "exceptions",
      "flows",
      "hits",
      "traffic",
      "iproute",
      "odd-links",
      "pause-protection",
      "splitting",
      "ruleset-update",
    ),
    { covers: [...daemon, ...withoutDns, ...labSupport], sizes: { APPLIES: 100, FLOWS: 12_000, COMMITS: 5000 } },
  ),
  lab(
    "lab-evaluator",
    "For random policies, exceptions and LANs every packet leaves where the evaluator says, or is blocked where it says so.",
    journeys("evaluate", "evaluator"),
    { covers: [...daemon, ...withoutDns, ...labSupport], sizes: { SETS: 2000, SETS_BY_API: 12 } },
  ),
  lab(
    "lab-tunnels",
    "A failed hop or uplink is detected and replaced in time, a killed daemon interrupts no connection, and clients keep their leases and their router.",
    journeys(
      "alerts",
      "alert-resources",
      "chains",
      "dhcp",
      "discovery",
      "fallbacks",
      "listeners",
      "mqtt",
      "openvpn-certificates",
      "pool",
      "port-scans",
    ).concat(journeys("router-advertisements", "survival", "uplinks")),
    { covers: [...daemon, ...withoutDns, ...labSupport], sizes: { LOSS_SEC: 180, PINNED_SEC: 40, CALLS: 400 } },
  ),
  lab(
    "lab-engines",
    "WireGuard, OpenVPN, proxies, bridges and health checks do what their engines report, and recover after a kill.",
    engines(
      "bridge",
      "cover",
      "health",
      "interfaces",
      "openvpn",
      "proxies",
      "sandbox",
      "supervisor",
      "wireguard",
    ).concat("lab/leftovers.lab.test.ts"),
    { covers: [...daemon, ...withoutDns, ...labSupport], sizes: { LOSS_SEC: 25 } },
  ),
  lab(
    "lab-installation",
    "The packaged units and every command of the README and the guide work, and a missing program is reported instead of ignored.",
    journeys(
      "first-enforcement",
      "api-access",
      "demo",
      "guide",
      "interfaces-gone",
      "lockout",
      "missing-programs",
      "package",
      "package-debian13",
      "packaging",
      "readme",
      "release",
      "tear-down",
    ),
    { covers: [...daemon, ...labSupport, "cli/src/**", "packaging/**", "README.md", "docs/guide/**"] },
  ),
  lab(
    "image",
    "The disk image has no password, key or identity that two machines would share; it boots by UEFI and BIOS, and is set up and restarted as its operator does it.",
    journeys("image"),
    { covers: [...daemon, ...labSupport, "cli/src/**", "packaging/**", "scripts/image/**", "scripts/package/**"] },
  ),
  lab(
    "container",
    "The container forwards by its tunnel and resolves with the capabilities of its recipe, and nothing leaves in the clear while it is stopped.",
    journeys("container"),
    { covers: [...daemon, ...labSupport, "packaging/**", "scripts/package/**"] },
  ),
  lab(
    "lab-dns-engines",
    "dnsdist, Unbound, NSD and the DNS proxy answer, validate, log and recover as configured.",
    engines(
      "dns-log",
      "dnsdist",
      "dnsdist-kernel",
      "dnsdist-live",
      "dnsdist-phases",
      "dnsdist-encrypted",
      "dns-proxy",
      "nsd",
      "resolvers",
    ).concat(engines("unbound")),
  ),
  lab(
    "lab-dns-answers",
    "Every DNS query leaves by the egress of its device, gets the answer the evaluator gives, and no call precedes its rule.",
    journeys(
      "anomalies",
      "dns-devices",
      "dns-never-early",
      "dns-never-wrong",
      "dns-egress",
      "dns-per-egress",
      "pause",
      "status",
    ),
    {
      covers: [...daemon, ...labSupport, "cli/src/**"],
      sizes: { DNS_EARLY: 10_000, DNS_QUERIES: 100_000, DNS_NAMES: 10_000, DNS_ADDRESSES: 8 },
    },
  ),
  lab(
    "lab-dns-load",
    "No DNS query is lost while lists, rules, upstreams and the daemon change under load, or while all upstreams are dead.",
    journeys("alert-dns", "dns-dead-upstreams", "dns-never-stops", "dns-quiet", "dns-rule-latency"),
    { sizes: { DNS_RATE: 5000, DNS_LIST: 1_000_000, DNS_DEAD_SEC: 60, DNS_RULES: 200 } },
  ),
  lab(
    "lab-dns-scale",
    "A hostile client takes no answers from others, and lists of 2,000,000 names and 1,000,000 log rows stay within limits.",
    journeys("dns-hostile", "dns-large"),
    { sizes: { DNS_HOSTILE_SEC: 30, DNS_LARGE_LIST: 2_000_000, DNS_LARGE_ROUNDS: 3, DNS_LOG_ROWS: 1_000_000 } },
  ),
  {
    name: "leak-matrix",
    promise:
      "While each of 34 faults is done to the gateway, no packet of a protected device is seen outside its tunnel.",
    kind: "lab",
    covers: [...leakSupport, "vm/**", "packaging/**"],
    // The script does every fault of this test, and those of the virtual machine, and writes docs/leak-matrix.md.
    tests: ["lab/leaks/matrix.lab.test.ts"],
    sizes: { PROBES_PER_SECOND: 2000 },
    steps: [{ kind: "script", script: "scripts/leak-matrix.ts" }],
    results: { LEAK_RESULTS: "." },
    needsBuild: true,
    needsRoot: true,
  },
  {
    name: "leak-layers",
    promise:
      "Without any single rule, route or set nothing leaks, and each of them is either noticed or has its reason.",
    kind: "lab",
    covers: leakSupport,
    // The script takes every part away where the test takes a share, and writes docs/leak-layers.md.
    tests: ["lab/leaks/mutations.lab.test.ts"],
    sizes: { PROBES_PER_SECOND: 2000 },
    steps: [{ kind: "script", script: "scripts/leak-layers.ts" }],
    results: { FOUND: "layers.json" },
    needsBuild: true,
    needsRoot: true,
  },
  {
    name: "planted",
    promise: "Each of ten leaks that are planted in the sources, one at a time, is named by a test.",
    kind: "lab",
    covers: [...leakSupport, "lab/**", "scripts/planted/**"],
    tests: [],
    sizes: {},
    steps: [{ kind: "script", script: "scripts/planted/run.ts" }],
    needsBuild: false,
    needsRoot: true,
  },
  {
    name: "vm",
    promise:
      "On a machine with systemd nothing leaks from power-on to power-off, with files spoilt and the disk full too.",
    kind: "lab",
    covers: [...daemon, "lab/*", "vm/**", "packaging/**"],
    tests: [],
    sizes: {},
    steps: [{ kind: "script", script: "vm/run.ts" }],
    results: { LEAK_RESULTS: "." },
    needsBuild: true,
    needsRoot: true,
  },
  {
    name: "browser",
    promise: "Every screen works by keyboard, within its layout and role, from the first start to a lock-out.",
    kind: "lab",
    covers: browserSupport,
    tests: ["e2e/*.e2e.test.ts", "!e2e/scale.e2e.test.ts"],
    sizes: {},
    steps: [
      {
        kind: "tests",
        project: "e2e",
        files: [
          "first-enforcement",
          "first-load",
          "forms",
          "instruments",
          "journey",
          "lockout",
          "pauses",
          "roles",
          "screens",
          "session",
          "setup",
          "displayed-state",
          "documentation",
        ].map((it) => `e2e/${it}.e2e.test.ts`),
      },
    ],
    needsBuild: true,
    needsRoot: true,
  },
  {
    name: "browser-scale",
    promise:
      "With 10,000 devices and 1,000 policies every interaction is answered in time, and an open tab does not grow.",
    kind: "lab",
    covers: browserSupport,
    tests: ["e2e/scale.e2e.test.ts"],
    sizes: { MEMORY_MIN: 5, SCALE_ROUNDS: 5 },
    steps: [{ kind: "tests", project: "e2e", files: ["e2e/scale.e2e.test.ts"] }],
    needsBuild: true,
    needsRoot: true,
  },
  benchmark("start", "The daemon answers soon after it starts.", daemon),
  benchmark("api", "An API request costs little more than with the bare framework.", daemon),
  benchmark("control", "Compiling, loading and changing 10,000 policies stays within its time.", [
    ...daemon,
    ...labSupport,
  ]),
  benchmark("monitor", "The leak monitor costs at most a hundredth of a core.", [
    ...daemon,
    ...withoutDns,
    ...labSupport,
  ]),
  benchmark("forwarding", "A forwarded packet costs little more than on a router configured by hand.", [
    ...daemon,
    ...withoutDns,
    ...labSupport,
  ]),
  benchmark("tunnel", "A packet through a tunnel costs little more than with wireguard-go configured by hand.", [
    ...daemon,
    ...withoutDns,
    ...labSupport,
  ]),
  benchmark("lists", "Block lists of 2,000,000 names are built in time and without blocking the daemon.", [
    "daemon/src/engines/lists/**",
    "daemon/src/system/**",
  ]),
  benchmark("verdicts", "A verdict on a name takes microseconds, however many rules and names there are.", [
    "daemon/src/engines/dnsdist/**",
    "daemon/src/engines/lists/**",
  ]),
  benchmark("dns", "A DNS answer costs little more than with dnsdist alone.", [...daemon, ...labSupport]),
  benchmark("dns-log", "The query log decodes, writes and searches its rows in time.", [
    "daemon/src/engines/dnsdist/**",
    "daemon/src/ledger/**",
    "daemon/src/system/**",
  ]),
  {
    name: "leak-sequences",
    promise: "In 200 random sequences of faults nothing leaks, and the gateway works again without help after each.",
    kind: "lab",
    covers: leakSupport,
    tests: ["lab/leaks/sequences.lab.test.ts"],
    sizes: { SEQUENCES: 200, SEQUENCE_FAULTS: 20, PROCESSES: 2, PER_SECOND: 250, PROBES_PER_SECOND: 1000 },
    steps: [
      // Of the test only its controls and the sequence that leaked once: the script does the random ones.
      { kind: "tests", project: "lab*", files: ["lab/leaks/sequences.lab.test.ts"], env: { SEQUENCES: 0 } },
      { kind: "script", script: "scripts/leak-sequences.ts" },
    ],
    results: { RESULTS: "sequences.jsonl" },
    continues: true,
    needsBuild: true,
    needsRoot: true,
  },
];
