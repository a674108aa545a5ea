/** The law: which room may import which. The tests enforce it and the picture is drawn from it. */
export interface Room {
  readonly name: string;
  readonly files: RegExp;
  /** Completes "Here live …" in the table of ARCHITECTURE.md. */
  readonly holds: string;
  readonly side: "asking" | "between" | "doing" | "outside";
  readonly mayImport: readonly string[];
  /** Some rooms show others only part of themselves: room → the files that may be seen from here. */
  readonly onlyThrough?: Readonly<Record<string, RegExp>>;
  /** Packages and node: modules it may use. `node:*` is all of Node, `*` is everything installed. */
  readonly mayUse: readonly string[];
}

export const rooms: readonly Room[] = [
  {
    name: "shell",
    files: /^web\/src\/(?:main\.tsx$|virtual\.d\.ts$|shell\/)/,
    holds: "what surrounds every page: the menu, signing in, the change on trial, the command palette",
    side: "asking",
    mayImport: ["pages", "components", "ui", "api", "i18n", "contract"],
    mayUse: ["react", "react-dom", "wouter", "@ariakit/react", "@tanstack/react-query"],
  },
  {
    name: "pages",
    files: /^web\/src\/pages\//,
    holds: "one folder per page; pages do not import each other",
    side: "asking",
    mayImport: ["components", "ui", "api", "i18n", "contract"],
    mayUse: ["react", "wouter", "@tanstack/react-query", "qr"],
  },
  {
    name: "components",
    files: /^web\/src\/components\//,
    holds: "components of the domain that several pages use: the ribbon, differences, choosers",
    side: "asking",
    mayImport: ["ui", "api", "i18n", "contract"],
    mayUse: ["react", "wouter", "@tanstack/react-query"],
  },
  {
    name: "ui",
    files: /^web\/src\/ui\//,
    holds: "generic components: buttons, fields, tables, charts",
    side: "asking",
    mayImport: ["api", "i18n", "contract"],
    mayUse: ["react", "wouter", "@ariakit/react", "@tanstack/react-query", "@tanstack/react-virtual", "qr", "uplot"],
  },
  {
    name: "api",
    files: /^web\/src\/api\//,
    holds: "the browser's connection to the daemon: the contract's client, queries, live events, the session",
    side: "asking",
    mayImport: ["contract"],
    mayUse: ["react", "@tanstack/react-query", "virtual:routes"],
  },
  {
    name: "i18n",
    files: /^web\/src\/i18n\//,
    holds: "every string of the interface, once per language, and the formats of numbers and times",
    side: "asking",
    mayImport: [],
    mayUse: ["react"],
  },
  {
    name: "cli",
    files: /^cli\/src\//,
    holds: "words typed in a terminal, turned into calls by the contract",
    side: "asking",
    mayImport: ["contract"],
    mayUse: ["node:*"],
  },
  {
    name: "contract",
    files: /^contract\/src\//,
    holds: "every endpoint, value, error and event; it runs in a browser as well as in Node",
    side: "asking",
    mayImport: [],
    mayUse: ["typebox"],
  },
  {
    name: "http",
    files: /^daemon\/src\/http\//,
    holds: "the front door: who may come in, what is well formed, how no is said",
    side: "asking",
    mayImport: ["contract"],
    mayUse: ["fastify", "@fastify/static", "ajv", "ajv-formats", "fast-json-stringify", "node:*"],
  },
  {
    name: "subsystems",
    files: /^daemon\/src\/subsystems\//,
    holds: "what people ask for, one folder per subject; none knows another",
    side: "asking",
    mayImport: ["contract", "ledger"],
    mayUse: ["typebox", "node:crypto", "node:util"],
  },
  {
    name: "ledger",
    files: /^daemon\/src\/ledger\//,
    holds: "what was asked, what was published, who did it; the one room that knows SQL's engine",
    side: "between",
    mayImport: [],
    mayUse: ["node:sqlite", "node:crypto"],
  },
  {
    name: "explain",
    files: /^daemon\/src\/explain\//,
    holds: "the compiler's answers for people: where a packet goes and why, what is compiled, who is exposed when",
    side: "between",
    mayImport: ["contract", "ledger", "compiler", "engines", "subsystems"],
    onlyThrough: { engines: /\.(?:model|render|diff)\.ts$/, subsystems: /\/subsystems\/[^/]+\.ts$/ },
    mayUse: [],
  },
  {
    name: "reconciler",
    files: /^daemon\/src\/reconciler\//,
    holds: "the loop: observe, compile, compare, apply, record",
    side: "doing",
    mayImport: ["compiler", "engines", "ledger"],
    mayUse: [],
  },
  {
    name: "compiler",
    files: /^daemon\/src\/compiler\//,
    holds: "pure passes from the published document and the facts to what every engine should be",
    side: "doing",
    mayImport: ["contract", "engines"],
    onlyThrough: { engines: /\.model\.ts$/ },
    mayUse: [],
  },
  {
    name: "engines",
    files: /^daemon\/src\/engines\//,
    holds: "one folder per program we drive: its model, how to print, read and compare it, and its effects",
    side: "doing",
    mayImport: ["system"],
    mayUse: ["@noble/ciphers"],
  },
  {
    name: "monitors",
    files: /^daemon\/src\/monitors\//,
    holds: "what the kernel reports by itself: links, neighbours, host names, unknown devices",
    side: "doing",
    mayImport: ["contract", "compiler", "ledger", "subsystems", "system"],
    onlyThrough: { compiler: /\/memoize\.ts$/, subsystems: /\.service\.ts$/ },
    mayUse: [],
  },
  {
    name: "health",
    files: /^daemon\/src\/health\//,
    holds: "which links are up: probes through each of them, what the results mean, and which uplink is best",
    side: "doing",
    mayImport: ["system"],
    mayUse: [],
  },
  {
    name: "leakcheck",
    files: /^daemon\/src\/leakcheck\//,
    holds: "the leak check and its monitor: attacks in a device's name, and the kernel compared with what was compiled",
    side: "doing",
    mayImport: ["contract", "compiler", "engines", "system"],
    onlyThrough: { engines: /\.(?:model|render|parse|diff)\.ts$/ },
    mayUse: ["node:util"],
  },
  {
    name: "host",
    files: /^daemon\/src\/host\//,
    holds: "the machine itself: its interfaces, its platform, the programs that are installed",
    side: "doing",
    mayImport: ["contract", "engines", "subsystems", "system"],
    onlyThrough: { engines: /\.parse\.ts$/, subsystems: /\.service\.ts$/ },
    mayUse: ["node:*"],
  },
  {
    name: "planes",
    files: /^daemon\/src\/planes\//,
    holds: "one folder per plane (forwarding, links, dns): its engines, its reconciler and what it reports",
    side: "doing",
    mayImport: [
      "contract",
      "compiler",
      "config",
      "engines",
      "health",
      "leakcheck",
      "ledger",
      "monitors",
      "reconciler",
      "subsystems",
      "system",
    ],
    mayUse: ["node:*"],
  },
  {
    name: "dns-proxy",
    files: /^daemon\/src\/dns-proxy\//,
    holds: "a program of its own that sends DNS queries to upstreams that dnsdist cannot reach itself",
    side: "doing",
    mayImport: ["engines"],
    onlyThrough: { engines: /\.model\.ts$/ },
    mayUse: ["node:*"],
  },
  {
    name: "system",
    files: /^daemon\/src\/system\//,
    holds: "the only door to Linux: run a program, read and write a file, tell the time",
    side: "doing",
    mayImport: [],
    mayUse: ["node:*"],
  },
  {
    name: "config",
    files: /^daemon\/src\/config\//,
    holds: "the bootstrap file: its keys, how it is read and checked",
    side: "asking",
    mayImport: ["contract", "compiler", "engines", "system"],
    onlyThrough: { compiler: /\/intent\.ts$/, engines: /\.model\.ts$/ },
    mayUse: ["*"],
  },
  {
    name: "app",
    files: /^daemon\/src\/(?:main\.ts$|app\/)/,
    holds: "the process, and the wiring of all modules; it decides nothing",
    side: "outside",
    mayImport: [
      "contract",
      "config",
      "http",
      "subsystems",
      "ledger",
      "explain",
      "compiler",
      "engines",
      "health",
      "host",
      "leakcheck",
      "monitors",
      "planes",
      "reconciler",
      "system",
    ],
    mayUse: ["*"],
  },
];

/** Files without a clock, chance, waiting or Node: the compiler, and the thinking half of an engine. */
export const pureFiles =
  /^daemon\/src\/(?:compiler\/|(?:health|leakcheck)\/.*\.machine\.ts$|leakcheck\/.*\.(?:render|parse)\.ts$|engines\/.*\.(?:model|render|parse|diff)\.ts$)/;

/** Where a process may look at its arguments and environment. */
export const processEdges = /^(?:daemon\/src\/(?:main\.ts|app\/gateway\.ts|config\/[^/]+\.ts)|cli\/src\/main\.ts)$/;

/** Words that name a place for things nobody named. */
export const emptyWords: ReadonlySet<string> = new Set(
  ["util", "helper", "common", "misc", "manager", "base", "index"].flatMap((word) => [word, `${word}s`]),
);

export const mostLines = 400;
/** Wiring grows with every subject; what does not fit any more is a module of its own. */
export const shorter: readonly { readonly files: RegExp; readonly lines: number }[] = [
  { files: /^daemon\/src\/app\/gateway\.ts$/, lines: 150 },
  { files: /^daemon\/src\/app\/modules\//, lines: 120 },
];
