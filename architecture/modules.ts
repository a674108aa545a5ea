/** A module and its import rule. `architecture.test.ts` enforces it; the diagram of ARCHITECTURE.md is generated from it. */
export interface Module {
  readonly name: string;
  readonly files: RegExp;
  /** Its line in the table of ARCHITECTURE.md. */
  readonly contains: string;
  readonly layer: "interface" | "state" | "enforcement" | "composition";
  readonly imports: readonly string[];
  /** Of these modules only the files that match may be imported. */
  readonly onlyFiles?: Readonly<Record<string, RegExp>>;
  /** Packages and node: modules that it may import. `node:*` is all of Node, `*` every installed package. */
  readonly packages: readonly string[];
}

export const modules: readonly Module[] = [
  {
    name: "shell",
    files: /^web\/src\/(?:main\.tsx$|virtual\.d\.ts$|shell\/)/,
    contains: "what surrounds every page: the menu, sign-in, the pending commit-confirm, the command palette",
    layer: "interface",
    imports: ["pages", "components", "ui", "api", "i18n", "contract"],
    packages: ["react", "react-dom", "wouter", "@ariakit/react", "@tanstack/react-query"],
  },
  {
    name: "pages",
    files: /^web\/src\/pages\//,
    contains: "one folder per page; pages do not import each other",
    layer: "interface",
    imports: ["components", "ui", "api", "i18n", "contract"],
    packages: ["react", "wouter", "@tanstack/react-query", "qr"],
  },
  {
    name: "components",
    files: /^web\/src\/components\//,
    contains: "components of the domain that several pages use: the ribbon, differences, choosers",
    layer: "interface",
    imports: ["ui", "api", "i18n", "contract"],
    packages: ["react", "wouter", "@tanstack/react-query"],
  },
  {
    name: "ui",
    files: /^web\/src\/ui\//,
    contains: "generic components: buttons, fields, tables, charts",
    layer: "interface",
    imports: ["api", "i18n", "contract"],
    packages: ["react", "wouter", "@ariakit/react", "@tanstack/react-query", "@tanstack/react-virtual", "qr", "uplot"],
  },
  {
    name: "api",
    files: /^web\/src\/api\//,
    contains: "the browser's connection to the daemon: the contract's client, queries, live events, the session",
    layer: "interface",
    imports: ["contract"],
    packages: ["react", "@tanstack/react-query", "virtual:routes", "virtual:rules"],
  },
  {
    name: "i18n",
    files: /^web\/src\/i18n\//,
    contains: "every string of the interface, once per language, and the formats of numbers and times",
    layer: "interface",
    imports: ["contract"],
    onlyFiles: { contract: /\/(?:forms|reasons?)\.ts$/ },
    packages: ["react"],
  },
  {
    name: "cli",
    files: /^cli\/src\//,
    contains: "commands of the terminal, mapped to API calls by the contract",
    layer: "interface",
    imports: ["contract"],
    packages: ["node:*"],
  },
  {
    name: "contract",
    files: /^contract\/src\//,
    contains: "every endpoint, value, error and event; runs in browsers and in Node",
    layer: "interface",
    imports: [],
    packages: ["typebox"],
  },
  {
    name: "http",
    files: /^daemon\/src\/http\//,
    contains: "the API server: authentication, validation, rate limits, error responses",
    layer: "interface",
    imports: ["contract"],
    packages: ["fastify", "@fastify/static", "ajv", "ajv-formats", "fast-json-stringify", "node:*"],
  },
  {
    name: "subsystems",
    files: /^daemon\/src\/subsystems\//,
    contains: "the resources of the API, one folder per subject; subsystems do not import each other",
    layer: "interface",
    imports: ["contract", "ledger", "system"],
    onlyFiles: { system: /\/async\.ts$/ },
    packages: ["typebox", "node:crypto", "node:util"],
  },
  {
    name: "ledger",
    files: /^daemon\/src\/ledger\//,
    contains: "staged and published resources, revisions and audit log; the only module that imports SQLite",
    layer: "state",
    imports: [],
    packages: ["node:sqlite", "node:crypto", "node:async_hooks"],
  },
  {
    name: "explain",
    files: /^daemon\/src\/explain\//,
    contains:
      "answers from the compiler for the API: where a packet leaves and why, what is compiled, which devices are exposed and when",
    layer: "state",
    imports: ["contract", "ledger", "compiler", "engines", "subsystems"],
    onlyFiles: { engines: /\.(?:model|render|diff)\.ts$/, subsystems: /\/subsystems\/[^/]+\.ts$/ },
    packages: [],
  },
  {
    name: "reconciler",
    files: /^daemon\/src\/reconciler\//,
    contains: "the loop: observe, compile, compare, apply, record",
    layer: "enforcement",
    imports: ["engines"],
    packages: [],
  },
  {
    name: "compiler",
    files: /^daemon\/src\/compiler\//,
    contains: "pure functions from the published document and the facts to the desired state of every engine",
    layer: "enforcement",
    imports: ["contract", "engines"],
    onlyFiles: { engines: /\.model\.ts$/ },
    packages: [],
  },
  {
    name: "engines",
    files: /^daemon\/src\/engines\//,
    contains:
      "one folder per program or kernel subsystem: its model, rendering, parsing, diff, and the calls that apply it",
    layer: "enforcement",
    imports: ["contract", "system"],
    onlyFiles: { contract: /\/reasons?\.ts$/ },
    packages: ["@noble/ciphers"],
  },
  {
    name: "monitors",
    files: /^daemon\/src\/monitors\//,
    contains: "notifications of the kernel: links, neighbours, host names, unknown devices",
    layer: "enforcement",
    imports: ["contract", "compiler", "ledger", "subsystems", "system"],
    onlyFiles: { compiler: /\/memoize\.ts$/, subsystems: /\.service\.ts$/ },
    packages: [],
  },
  {
    name: "health",
    files: /^daemon\/src\/health\//,
    contains: "which links are up: probes through each link, link states, and the choice of the uplink",
    layer: "enforcement",
    imports: ["contract", "system"],
    onlyFiles: { contract: /\/reasons?\.ts$/ },
    packages: [],
  },
  {
    name: "leakcheck",
    files: /^daemon\/src\/leakcheck\//,
    contains:
      "the leak check and its monitor: probes in a device's name, and the kernel compared with what was compiled",
    layer: "enforcement",
    imports: ["contract", "compiler", "engines", "system"],
    onlyFiles: { engines: /\.(?:model|render|parse|diff)\.ts$/ },
    packages: ["node:util"],
  },
  {
    name: "host",
    files: /^daemon\/src\/host\//,
    contains: "the machine itself: its interfaces, its platform, the programs that are installed",
    layer: "enforcement",
    imports: ["contract", "engines", "subsystems", "system"],
    onlyFiles: { engines: /\.parse\.ts$/, subsystems: /\.service\.ts$/ },
    packages: ["node:*"],
  },
  {
    name: "planes",
    files: /^daemon\/src\/planes\//,
    contains: "one folder per plane (forwarding, links, dns): its engines, its reconciler and what it reports",
    layer: "enforcement",
    imports: [
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
    packages: ["node:*"],
  },
  {
    name: "dns-proxy",
    files: /^daemon\/src\/dns-proxy\//,
    contains: "a separate program that sends DNS queries to upstreams that dnsdist cannot reach itself",
    layer: "enforcement",
    imports: ["engines"],
    onlyFiles: { engines: /\.model\.ts$/ },
    packages: ["node:*"],
  },
  {
    name: "socks-listener",
    files: /^daemon\/src\/socks-listener\//,
    contains: "a separate program, the SOCKS5 server of a listener",
    layer: "enforcement",
    imports: ["engines"],
    onlyFiles: { engines: /\.model\.ts$/ },
    packages: ["node:*"],
  },
  {
    name: "system",
    files: /^daemon\/src\/system\//,
    contains: "all access to Linux: programs, files, sockets, the clock",
    layer: "enforcement",
    imports: [],
    packages: ["node:*", "nodemailer"],
  },
  {
    name: "net",
    files: /^daemon\/src\/net\//,
    contains:
      "IP addresses, networks and MAC addresses: their only parser and printer, and what TLS clients offer; importable by every module",
    layer: "state",
    imports: [],
    packages: [],
  },
  {
    name: "config",
    files: /^daemon\/src\/config\//,
    contains: "the bootstrap file: its keys, parsing and validation",
    layer: "interface",
    imports: ["contract", "engines"],
    onlyFiles: { engines: /\.model\.ts$/ },
    packages: ["*"],
  },
  {
    name: "app",
    files: /^daemon\/src\/(?:main\.ts$|app\/)/,
    contains: "the process and the wiring of all modules; no decisions",
    layer: "composition",
    imports: [
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
      "system",
    ],
    packages: ["*"],
  },
];

/** Modules of plain values that every module of the daemon may import; the diagram does not draw these imports. */
export const importableByAll: ReadonlySet<string> = new Set(["net"]);

/** Of `daemon/src`. A larger diagram is not understood at one look. */
export const diagramLimits = { modules: 20, imports: 50 };

/** Files without clock, randomness, promises or Node: the compiler, and the models, renderers, parsers and diffs of engines. */
export const pureFiles =
  /^daemon\/src\/(?:compiler\/|net\/|.*\.machine\.ts$|leakcheck\/.*\.(?:render|parse)\.ts$|engines\/.*\.(?:model|render|parse|diff)\.ts$)/;

/** Files that may read the arguments and the environment of the process. */
export const entryPoints = /^(?:daemon\/src\/(?:main\.ts|app\/gateway\.ts|config\/[^/]+\.ts)|cli\/src\/main\.ts)$/;

/** Files that may open TLS sessions: the client of the daemon, and the DNS proxy, which gets the same offer with its settings. */
export const tlsClients = /^daemon\/src\/(?:system\/outbound-tls|dns-proxy\/(?:channel|http2))\.ts$/;
/** The file that passes this offer to a library, which opens sessions itself. */
export const mailClient = "daemon/src/system/mail.ts";

/** Words in file names that name no content. */
export const vagueWords: ReadonlySet<string> = new Set(
  ["util", "helper", "common", "misc", "manager", "base", "index"].flatMap((word) => [word, `${word}s`]),
);

export const maxLines = 400;
/** Wiring grows with every subject: beyond these limits it is split. */
export const lowerLimits: readonly { readonly files: RegExp; readonly lines: number }[] = [
  { files: /^daemon\/src\/app\/gateway\.ts$/, lines: 150 },
  { files: /^daemon\/src\/app\/modules\//, lines: 120 },
];
